// SPDX-License-Identifier: Apache-2.0

#include "sdag/select/rule_compiler.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "sdag/graph/isd_opcodes.h"
#include "sdag/graph/sdnode.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

using OperandKind = RuleOperand::Kind;

struct FunctionInfo {
  std::string_view name;
  int values;
};
constexpr FunctionInfo kFunctions[] = {
#define SELECTION_FUNCTION(name, values) {#name, values},
#include "sdag/select/selection_functions.inc"
};

struct FlagName {
  std::string_view name;
  uint32_t flag;
};
constexpr FlagName kFlagNames[] = {
    {"nnan", SDNodeFlags::kNoNaNs},
    {"ninf", SDNodeFlags::kNoInfs},
    {"nsz", SDNodeFlags::kNoSignedZeros},
    {"arcp", SDNodeFlags::kAllowReciprocal},
    {"contract", SDNodeFlags::kAllowContract},
    {"afn", SDNodeFlags::kApproximateFuncs},
    {"reassoc", SDNodeFlags::kAllowReassociation},
    {"nuw", SDNodeFlags::kNoUnsignedWrap},
    {"nsw", SDNodeFlags::kNoSignedWrap},
    {"exact", SDNodeFlags::kExact},
    {"disjoint", SDNodeFlags::kDisjoint},
    {"nneg", SDNodeFlags::kNonNeg},
};

struct OptionName {
  std::string_view name;
  RuleOption option;
  int value;
};
constexpr OptionName kOptionNames[] = {
    {"ftz", RuleOption::kFtz, 1},
    {"noftz", RuleOption::kFtz, 0},
    {"div-approx", RuleOption::kDivision, 0},
    {"div-full", RuleOption::kDivision, 1},
    {"div-ieee", RuleOption::kDivision, 2},
    {"div-ieee-noftz", RuleOption::kDivision, 3},
    {"div-flags", RuleOption::kDivisionFlags, 1},
    {"approx-sqrt", RuleOption::kPreciseSqrt, 0},
    {"sqrt-flags", RuleOption::kSqrtFlags, 1},
    {"approx-log2", RuleOption::kApproximateLog2, 1},
    {"fma-flags", RuleOption::kFmaLevel, 1},
    {"fma-always", RuleOption::kFmaLevel, 2},
};

// One item of a signature: "I0", "ch", "const", "X*".
struct SignatureItem {
  std::string text;
  bool is_token() const { return text == "ch" || text == "glue" || text == "ch?" || text == "glue?" || text == "ch*"; }
  bool is_any_number() const { return text.back() == '*'; }
  // A letter with a digit. Equal variables have equal types.
  bool is_type_variable() const {
    return text.size() >= 2 && text[1] >= '0' && text[1] <= '9' && std::isupper(text[0]);
  }
  bool is_leaf() const {
    return text == "const" || text == "cc" || text == "vt" || text == "bb" || text == "reg" || text == "sym" ||
           text == "md" || text == "fi";
  }
};

struct Signature {
  std::vector<SignatureItem> results, operands;  // without chain and glue

  explicit Signature(std::string_view text) {
    const size_t equals = text.find('=');
    Read(text.substr(0, equals), results);
    Read(text.substr(equals + 1), operands);
  }
  static void Read(std::string_view text, std::vector<SignatureItem>& items) {
    for (const auto word : absl::StrSplit(std::string(text), ' ', absl::SkipEmpty())) {
      SignatureItem item{std::string(word)};
      if (!item.is_token()) items.push_back(item);
    }
  }
  const SignatureItem* Operand(size_t i) const {
    if (i < operands.size()) return &operands[i];
    return !operands.empty() && operands.back().is_any_number() ? &operands.back() : nullptr;
  }
};

// Returns true if the node's operands 0 and 1 are tried in both orders. An order of a whole pattern is a number
// whose bit i exchanges the operands of the i-th such node.
bool IsCommutative(const RulePattern& pattern) {
  const std::optional<int16_t> opcode = FindIsdOpcode(pattern.opcode);
  if (!opcode.has_value() || (Desc(*opcode).properties & NodeProperty::kCommutative) == 0) return false;
  if (pattern.operands.size() < 2) return false;
  const auto is_plain = [](const RuleOperand& operand) {
    return operand.kind == OperandKind::kVariable && !operand.is_immediate && operand.function.empty();
  };
  return !(is_plain(pattern.operands[0]) && is_plain(pattern.operands[1]));
}

void CommutativeNodes(RulePattern& pattern, std::vector<RulePattern*>& nodes) {
  if (IsCommutative(pattern)) nodes.push_back(&pattern);
  for (RuleOperand& operand : pattern.operands) {
    if (operand.kind == OperandKind::kNode) CommutativeNodes(operand.node[0], nodes);
  }
}

class Compiler {
 public:
  Compiler(const RuleSource& rule, CompiledRule& out) : rule_(rule), out_(out), target_(ptx::PtxTargetInfo()) {}

  std::string Run() {
    out_.where = rule_.where;
    out_.flags = Rule::kByTypes | Rule::kByNode;
    InferFromOutputs();
    if (error_.empty()) CompileRoot();
    CompileRequirements();
    for (const std::string& condition : rule_.conditions) CompileCondition(condition);
    CompileOutputs();
    if (slots_ >= kMaxSlots) Fail("too many values");
    return error_;
  }

 private:
  static constexpr int kMaxSlots = 250;
  struct Variable {
    std::vector<uint16_t> slots;
    bool is_used = false;
  };
  // The demand of an instruction's operand on the variable in its place.
  struct Demand {
    bool is_immediate = false;
    RegClassId reg_class = kNoRegClass;
  };

  void Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }
  void Put(RuleOp op, std::initializer_list<int64_t> words) {
    out_.code.push_back(static_cast<uint16_t>(op));
    for (const int64_t word : words) out_.code.push_back(static_cast<uint16_t>(word));
    NoteDemand(op, absl::MakeConstSpan(words.begin(), words.size()));
  }
  // Notes a check of a fact that a quick look tells, too. The operands of the root are in slots 1 and 2.
  void NoteDemand(RuleOp op, absl::Span<const int64_t> words) {
    const bool is_operand = !words.empty() && (words[0] == 1 || words[0] == 2);
    switch (op) {
      case RuleOp::kResultType:
        if (words[0] == 0) out_.demands.result_type = static_cast<uint8_t>(words[1]);
        break;
      case RuleOp::kType:
        if (words[0] == 1) out_.demands.operand_type = static_cast<uint8_t>(words[1]);
        break;
      case RuleOp::kNode:
        if (is_operand)
          out_.demands.operand_opcodes[static_cast<size_t>(words[0]) - 1] = static_cast<int16_t>(words[1]);
        break;
      case RuleOp::kImmediate:
      case RuleOp::kRange:
      case RuleOp::kInteger:
      case RuleOp::kFloat:
        if (is_operand) out_.demands.operand_opcodes[static_cast<size_t>(words[0]) - 1] = RuleDemands::kAnyConstant;
        break;
      default:
        break;
    }
  }
  uint16_t NewSlot() { return static_cast<uint16_t>(slots_++); }

  std::optional<Opcode> FindOpcode(const std::string& name) {
    const std::optional<Opcode> opcode = target_.find_opcode(name);
    if (!opcode.has_value()) Fail(absl::StrCat("there is no instruction ", name));
    return opcode;
  }
  std::optional<int> FindFunction(const std::string& name) {
    for (size_t i = 0; i < std::size(kFunctions); ++i) {
      if (kFunctions[i].name == name) return static_cast<int>(i);
    }
    Fail(absl::StrCat("there is no function ", name));
    return std::nullopt;
  }

  // ---- Demands of outputs on variables.

  static int CountOf(const RulePattern& pattern, const std::string& name) {
    for (const RuleOperand& operand : pattern.operands) {
      if (operand.kind == OperandKind::kNode) {
        if (const int count = CountOf(operand.node[0], name); count != 0) return count;
      } else if (operand.kind == OperandKind::kVariable && operand.name == name) {
        if (operand.count != 0) return operand.count;
        if (operand.function.empty()) return 1;
        for (const FunctionInfo& function : kFunctions) {
          if (function.name == operand.function) return function.values;
        }
      }
    }
    return 0;
  }

  void InferFromOutputs() {
    for (const RuleOutput& output : rule_.before) InferFrom(output);
    for (const RuleOutput& output : rule_.results) InferFrom(output);
  }

  void InferFrom(const RuleOutput& output) {
    if (output.opcode.empty()) return;
    const std::optional<Opcode> opcode = FindOpcode(output.opcode);
    if (!opcode.has_value()) return;
    const absl::Span<const OperandDesc> descs = target_.Operands(*opcode);
    size_t number = target_.Get(*opcode).num_defs;
    for (const RuleOutput::Operand& operand : output.operands) {
      size_t count = 1;
      switch (operand.kind) {
        case RuleOutput::Operand::Kind::kNode:
          InferFrom(operand.node[0]);
          break;
        case RuleOutput::Operand::Kind::kCall:
          for (const FunctionInfo& function : kFunctions) {
            if (function.name == operand.name) count = static_cast<size_t>(function.values);
          }
          break;
        case RuleOutput::Operand::Kind::kVariable:
          count = static_cast<size_t>(std::max(0, CountOf(rule_.pattern, operand.name)));
          for (size_t i = 0; i < count && number + i < descs.size(); ++i) {
            const OperandDesc& desc = descs[number + i];
            Demand& demand = demands_[operand.name];
            if (desc.type == OperandType::kRegister) {
              demand.reg_class = desc.reg_class;
            } else if (desc.type == OperandType::kImmediate) {
              demand.is_immediate = true;
            }
          }
          break;
        case RuleOutput::Operand::Kind::kInteger:
        case RuleOutput::Operand::Kind::kFtz:
        case RuleOutput::Operand::Kind::kSame:
          break;
      }
      number += count;
    }
    const bool variadic = target_.Get(*opcode).Has(InstrFlag::kVariadic);
    if (error_.empty() && number != descs.size() && !variadic) {
      Fail(absl::StrCat(output.opcode, " has ", descs.size() - target_.Get(*opcode).num_defs, " operands, not ",
                        number - target_.Get(*opcode).num_defs));
    }
  }

  // ---- Patterns.

  void CompileRoot() {
    const RulePattern& root = rule_.pattern;
    out_.size = 1;
    slots_ = 1;
    if (root.opcode.compare(0, 5, "llvm.") == 0) {
      out_.opcode = isd::kIntrinsicWOChain;
      out_.intrinsic = root.opcode;
      out_.flags &= ~Rule::kByTypes;
      CompileOperands(root, nullptr, true);
    } else {
      const std::optional<int16_t> opcode = FindIsdOpcode(root.opcode);
      if (!opcode.has_value()) return Fail(absl::StrCat("there is no node ", root.opcode));
      out_.opcode = *opcode;
      const Signature signature(Desc(*opcode).signature);
      CompileOperands(root, &signature, true);
    }
    CheckResultClasses();
  }

  static size_t NumSlots(const RulePattern& pattern) {
    size_t count = 0;
    for (const RuleOperand& operand : pattern.operands) count += operand.count == 0 ? 1 : std::max(operand.count, 0);
    return count;
  }

  // Compiles the operands of a node. They are in slots from `first` on.
  void CompileOperands(const RulePattern& pattern, const Signature* signature, bool is_root) {
    const size_t count = NumSlots(pattern);
    const auto first = static_cast<uint16_t>(slots_);
    slots_ += static_cast<int>(count);
    std::map<std::string, MVT> types;
    if (signature == nullptr) {
      if (is_root) CheckNumber(pattern, count);
    } else {
      if (!CheckCount(pattern, *signature, count)) return;
      if (signature->operands.size() != count || pattern.has_more ||
          (count > 0 && signature->Operand(count - 1)->is_any_number())) {
        if (is_root) CheckNumber(pattern, count);
      }
    }
    if (is_root) CheckResultTypes(pattern, signature, types);
    uint16_t slot = first;
    size_t position = 0;
    for (const RuleOperand& operand : pattern.operands) {
      const size_t width = operand.count == 0 ? 1 : static_cast<size_t>(std::max(operand.count, 0));
      for (size_t i = 0; i < width; ++i, ++slot, ++position) {
        const SignatureItem* item = signature == nullptr ? nullptr : signature->Operand(position);
        CompileOperand(operand, item, slot, types, is_root);
      }
      if (width == 0) variables_[operand.name];
    }
  }

  void CheckNumber(const RulePattern& pattern, size_t count) {
    Put(RuleOp::kOperands, {static_cast<int64_t>(count) | (pattern.has_more ? kOrMore : 0)});
  }

  bool CheckCount(const RulePattern& pattern, const Signature& signature, size_t count) {
    const bool open = !signature.operands.empty() && signature.operands.back().is_any_number();
    const size_t required = signature.operands.size() - (open ? 1 : 0);
    if ((count < required && !pattern.has_more) || (!open && count > required)) {
      Fail(absl::StrCat("'", pattern.opcode, "' has ", required, " operands, not ", count));
      return false;
    }
    if (pattern.types.size() > signature.results.size() &&
        !(!signature.results.empty() && signature.results.back().is_any_number())) {
      Fail(absl::StrCat("'", pattern.opcode, "' has fewer results"));
      return false;
    }
    return true;
  }

  void CheckResultTypes(const RulePattern& pattern, const Signature* signature, std::map<std::string, MVT>& types) {
    for (size_t i = 0; i < pattern.types.size(); ++i) {
      Put(RuleOp::kResultType, {static_cast<int64_t>(i), static_cast<int64_t>(pattern.types[i])});
      if (signature == nullptr || i >= signature->results.size()) continue;
      const SignatureItem& item = signature->results[i];
      if (item.is_type_variable()) types.emplace(item.text, pattern.types[i]);
    }
  }

  // Checks that an operand has the type in the rule, unless the node's signature implies it.
  void CompileType(const RuleOperand& operand, const SignatureItem* item, uint16_t slot,
                   std::map<std::string, MVT>& types) {
    if (item != nullptr && item->is_leaf()) return;
    if (item != nullptr && item->is_type_variable()) {
      const auto known = types.find(item->text);
      if (known != types.end()) {
        if (operand.type.has_value() && *operand.type != known->second) {
          Fail(absl::StrCat("$", operand.name, " cannot be ", std::string(Name(*operand.type)), ": it is ",
                            std::string(Name(known->second))));
        }
        CheckDemand(operand, known->second);
        return;
      }
    }
    if (operand.type.has_value()) {
      Put(RuleOp::kType, {slot, static_cast<int64_t>(*operand.type)});
      if (item != nullptr && item->is_type_variable()) types.emplace(item->text, *operand.type);
      CheckDemand(operand, *operand.type);
      return;
    }
    const auto demand = demands_.find(operand.name);
    if (operand.kind == OperandKind::kVariable && demand != demands_.end() && demand->second.reg_class != kNoRegClass &&
        operand.function.empty()) {
      Put(RuleOp::kClass, {slot, demand->second.reg_class});
    }
  }

  // Checks that the instruction's operand can hold the type.
  void CheckDemand(const RuleOperand& operand, MVT type) {
    const auto demand = demands_.find(operand.name);
    if (operand.kind != OperandKind::kVariable || demand == demands_.end() || !operand.function.empty()) return;
    if (demand->second.reg_class != kNoRegClass && RegClassFor(type) != demand->second.reg_class) {
      Fail(absl::StrCat("$", operand.name, " of type ", std::string(Name(type)), " does not fit the instruction"));
    }
  }

  void CompileOperand(const RuleOperand& operand, const SignatureItem* item, uint16_t slot,
                      std::map<std::string, MVT>& types, bool is_root) {
    const bool is_leaf = item != nullptr && item->is_leaf();
    CompileType(operand, item, slot, types);
    switch (operand.kind) {
      case OperandKind::kVariable:
        return CompileVariable(operand, is_leaf, slot, is_root);
      case OperandKind::kNode:
        out_.flags = 0;
        return CompileNested(operand.node[0], slot);
      case OperandKind::kInteger:
        Restrict(is_root, 2);
        Put(RuleOp::kInteger, {slot, operand.low});
        if (operand.low < -32768 || operand.low > 32767) Fail("a number in a pattern has 16 bits");
        return;
      case OperandKind::kFloat:
        Restrict(is_root, 2);
        return Put(RuleOp::kFloat, {slot, operand.low});
      case OperandKind::kCondCode: {
        Restrict(is_root, 2);
        const std::optional<CondCode> code = FindCondCode(operand.name);
        if (!code.has_value()) return Fail(absl::StrCat("there is no condition code ", operand.name));
        return Put(RuleOp::kCondCode, {slot, static_cast<int64_t>(*code)});
      }
      case OperandKind::kType:
        Restrict(is_root, 2);
        return Put(RuleOp::kValueType, {slot, EVT(*operand.type).raw()});
      case OperandKind::kIgnored:
        return;
    }
  }

  // Notes that the rule restricts an operand to constants or to a certain constant: adds `size` to the size of the
  // pattern, and clears the flags that no longer hold.
  void Restrict(bool is_root, int size) {
    out_.size += size;
    out_.flags = static_cast<uint16_t>(is_root ? out_.flags & ~Rule::kByTypes : 0);
  }

  void CompileVariable(const RuleOperand& operand, bool is_leaf, uint16_t slot, bool is_root) {
    const auto demand = demands_.find(operand.name);
    const bool is_immediate =
        operand.is_immediate || (demand != demands_.end() && demand->second.is_immediate && operand.function.empty());
    if (is_immediate) {
      if (operand.has_range) {
        Restrict(is_root, 1);
        Put(RuleOp::kRange, {slot, operand.low, operand.high});
      } else {
        if (!is_leaf) Restrict(is_root, 1);
        Put(RuleOp::kImmediate, {slot});
      }
      immediates_.push_back(slot);
    }
    if (operand.takes_immediate) immediates_.push_back(slot);
    Variable& variable = variables_[operand.name];
    if (!operand.function.empty()) {
      const std::optional<int> function = FindFunction(operand.function);
      if (!function.has_value()) return;
      const int values = kFunctions[*function].values;
      const auto first = static_cast<uint16_t>(slots_);
      slots_ += values;
      Put(RuleOp::kCall, {*function, slot, first});
      for (int i = 0; i < values; ++i) variable.slots.push_back(static_cast<uint16_t>(first + i));
      return;
    }
    if (operand.count == 0 && !variable.slots.empty()) {
      out_.flags = 0;
      return Put(RuleOp::kSame, {variable.slots[0], slot});
    }
    variable.slots.push_back(slot);
  }

  void CompileNested(const RulePattern& pattern, uint16_t slot) {
    const std::optional<int16_t> opcode = FindIsdOpcode(pattern.opcode);
    if (!opcode.has_value()) return Fail(absl::StrCat("there is no node ", pattern.opcode));
    const Signature signature(Desc(*opcode).signature);
    const std::string_view text = Desc(*opcode).signature;
    if (text.substr(text.find('=') + 1, 2) == "ch") return Fail("a node with a chain cannot be folded into another");
    if (pattern.types.size() > 1) return Fail("a nested node has one result");
    out_.size += 2;
    Put(RuleOp::kNode, {slot, *opcode, slots_, static_cast<int64_t>(NumSlots(pattern))});
    if (pattern.one_use) Put(RuleOp::kOneUse, {slot});
    if (!pattern.types.empty()) Put(RuleOp::kType, {slot, static_cast<int64_t>(pattern.types[0])});
    RulePattern untyped = pattern;
    untyped.types.clear();
    CompileOperands(untyped, &signature, false);
  }

  // Checks that the root's results fit the instruction, if its types do not imply it.
  void CheckResultClasses() {
    if (rule_.results.size() != 1 || rule_.results[0].opcode.empty()) return;
    const std::optional<Opcode> opcode = FindOpcode(rule_.results[0].opcode);
    if (!opcode.has_value()) return;
    const std::vector<MVT>& types = rule_.pattern.types;
    const unsigned num_defs = target_.Get(*opcode).num_defs;
    for (size_t i = 0; i < types.size() && i < num_defs; ++i) {
      const OperandDesc& desc = target_.Operands(*opcode)[i];
      if (desc.type == OperandType::kRegister && RegClassFor(types[i]) != desc.reg_class) {
        Fail(absl::StrCat(rule_.results[0].opcode, " does not make values of type ", std::string(Name(types[i]))));
      }
    }
    if (types.size() < num_defs) Put(RuleOp::kResultClasses, {*opcode});
    if (types.size() > num_defs) Fail(absl::StrCat(rule_.results[0].opcode, " has fewer results"));
  }

  // ---- Conditions.

  // Checks that the subtarget has the instructions that the rule makes. The instruction tables say what has them.
  void CompileRequirements() {
    std::vector<uint8_t> known;
    for (const RuleOutput& output : rule_.before) RequireSupport(output, known);
    for (const RuleOutput& output : rule_.results) RequireSupport(output, known);
  }

  // `known` holds the requirements that are checked already.
  void RequireSupport(const RuleOutput& output, std::vector<uint8_t>& known) {
    for (const RuleOutput::Operand& operand : output.operands) {
      if (operand.kind == RuleOutput::Operand::Kind::kNode) RequireSupport(operand.node[0], known);
    }
    if (output.opcode.empty()) return;
    const std::optional<Opcode> opcode = FindOpcode(output.opcode);
    if (!opcode.has_value()) return;
    const uint8_t requirement = ptx::InstrInfo(*opcode).requirement;
    if (requirement == 0 || std::find(known.begin(), known.end(), requirement) != known.end()) return;
    known.push_back(requirement);
    Put(RuleOp::kSupports, {*opcode});
  }

  void CompileCondition(const std::string& condition) {
    const std::string_view text = condition;
    int number = 0;
    if (text.substr(0, 4) == "sm>=" && absl::SimpleAtoi(condition.substr(4), &number)) {
      return Put(RuleOp::kSm, {number});
    }
    if (text.substr(0, 5) == "ptx>=" && absl::SimpleAtoi(condition.substr(5), &number)) {
      return Put(RuleOp::kPtx, {number});
    }
    if (text.substr(0, 5) == "from=" || text.substr(0, 3) == "to=") {
      const bool is_from = text[0] == 'f';
      if (!absl::SimpleAtoi(condition.substr(is_from ? 5 : 3), &number)) Fail(absl::StrCat("no space: ", condition));
      (is_from ? from_ : to_) = number;
      if (from_ >= 0 && to_ >= 0) Put(RuleOp::kSpaces, {from_, to_});
      out_.flags &= ~Rule::kByTypes;
      return;
    }
    out_.size += 1;
    if (text[0] == '@') return CompilePredicate(condition.substr(1));
    for (const FlagName& flag : kFlagNames) {
      if (flag.name != text) continue;
      out_.flags &= ~Rule::kByTypes;
      return Put(RuleOp::kFlags, {flag.flag & 0xffff, flag.flag >> 16});
    }
    out_.flags = 0;
    for (const OptionName& option : kOptionNames) {
      if (option.name == text) return Put(RuleOp::kOption, {static_cast<int64_t>(option.option), option.value});
    }
    Fail(absl::StrCat("unknown condition '", condition, "'"));
  }

  void CompilePredicate(const std::string& text) {
    const size_t open = text.find('(');
    const std::optional<int> function = FindFunction(text.substr(0, open));
    if (!function.has_value()) return;
    if (kFunctions[*function].values != 0) return Fail(absl::StrCat(text, " is no condition"));
    uint16_t slot = 0;
    if (open == std::string::npos) {
      out_.flags &= ~Rule::kByTypes;
    } else {
      out_.flags = 0;
      const auto variable = variables_.find(text.substr(open + 2));
      if (variable == variables_.end()) return Fail(absl::StrCat("unknown variable in '", text, "'"));
      slot = variable->second.slots[0];
    }
    Put(RuleOp::kCall, {*function, slot, 0});
  }

  // ---- Outputs.

  void CompileOutputs() {
    if (!error_.empty()) return;
    // Functions can fail, so all of them are called before any node is made.
    for (const RuleOutput& output : rule_.before) CompileCalls(output);
    for (const RuleOutput& output : rule_.results) CompileCalls(output);
    for (const RuleOutput& output : rule_.before) CompileOutput(output, EmitFlag::kChain);
    std::vector<uint16_t> results;
    const bool is_one = rule_.results.size() == 1;
    bool is_replaced_by_operand = false;
    for (const RuleOutput& output : rule_.results) {
      if (output.opcode.empty()) {
        is_replaced_by_operand = true;
        results.push_back(SlotOf(output.operands.empty() ? "" : output.operands[0].name));
      } else {
        results.push_back(CompileOutput(output, is_one ? EmitFlag::kChain | EmitFlag::kRoot : 0));
      }
    }
    if (!error_.empty()) return;
    const bool all = is_one && !is_replaced_by_operand;
    out_.code.push_back(static_cast<uint16_t>(RuleOp::kDone));
    out_.code.push_back(all ? kAllResults : static_cast<uint16_t>(results.size()));
    out_.code.insert(out_.code.end(), results.begin(), results.end());
    for (const auto& [name, variable] : variables_) {
      if (!variable.is_used && name[0] != '_') Fail(absl::StrCat("$", name, " is not used"));
    }
  }

  uint16_t SlotOf(const std::string& name) {
    const auto variable = variables_.find(name);
    if (variable == variables_.end() || variable->second.slots.empty()) {
      Fail(absl::StrCat("unknown variable $", name));
      return 0;
    }
    variable->second.is_used = true;
    return variable->second.slots[0];
  }

  void CompileCalls(const RuleOutput& output) {
    for (const RuleOutput::Operand& operand : output.operands) {
      if (operand.kind == RuleOutput::Operand::Kind::kNode) CompileCalls(operand.node[0]);
      if (operand.kind != RuleOutput::Operand::Kind::kCall) continue;
      const std::optional<int> function = FindFunction(operand.name);
      if (!function.has_value()) return;
      const uint16_t argument = operand.argument.empty() ? 0 : SlotOf(operand.argument);
      calls_[&operand] = static_cast<uint16_t>(slots_);
      Put(RuleOp::kCall, {*function, argument, slots_});
      slots_ += kFunctions[*function].values;
    }
  }

  // Returns the type for a value of a register class if the rule names none.
  static MVT TypeOf(RegClassId reg_class) {
    switch (reg_class) {
      case ptx::reg_class::kB1:
        return MVT::kI1;
      case ptx::reg_class::kB16:
        return MVT::kI16;
      case ptx::reg_class::kB64:
        return MVT::kI64;
      case ptx::reg_class::kB128:
        return MVT::kI128;
      default:
        return MVT::kI32;
    }
  }

  uint16_t CompileOutput(const RuleOutput& output, int flags) {
    const std::optional<Opcode> opcode = FindOpcode(output.opcode);
    if (!opcode.has_value()) return 0;
    std::vector<uint16_t> operands;
    int num_operands = 0;
    for (const RuleOutput::Operand& operand : output.operands) {
      // Nested instructions count their own operands.
      num_put_ = 0;
      AppendOperand(operand, operands);
      num_operands += num_put_;
    }
    const uint16_t slot = NewSlot();
    Put(RuleOp::kEmit, {*opcode, flags, slot});
    // The types follow from the register classes. If the instruction stands for the root, the matcher replaces them
    // with the root's.
    std::vector<uint16_t> types;
    const absl::Span<const OperandDesc> descs = target_.Operands(*opcode);
    for (unsigned i = 0; i < target_.Get(*opcode).num_defs; ++i) {
      types.push_back(static_cast<uint16_t>(TypeOf(descs[i].reg_class)));
    }
    out_.code.push_back(static_cast<uint16_t>(types.size()));
    out_.code.insert(out_.code.end(), types.begin(), types.end());
    out_.code.push_back(static_cast<uint16_t>(num_operands));
    out_.code.insert(out_.code.end(), operands.begin(), operands.end());
    return slot;
  }

  void AppendOperand(const RuleOutput::Operand& operand, std::vector<uint16_t>& words) {
    const auto put = [&](OperandTag tag, int slot, std::initializer_list<int64_t> numbers = {}) {
      words.push_back(static_cast<uint16_t>(static_cast<int>(tag) << 8 | slot));
      for (const int64_t number : numbers) words.push_back(static_cast<uint16_t>(number));
      ++num_put_;
    };
    switch (operand.kind) {
      case RuleOutput::Operand::Kind::kNode: {
        const uint16_t slot = CompileOutput(operand.node[0], 0);
        num_put_ = 0;
        return put(OperandTag::kValue, slot);
      }
      case RuleOutput::Operand::Kind::kInteger:
        if (operand.value < -32768 || operand.value > 32767) Fail("a number in a rule has 16 bits");
        return put(OperandTag::kImmediate, 0, {operand.value});
      case RuleOutput::Operand::Kind::kFtz:
        return put(OperandTag::kFtz, 0, {operand.value, operand.value_if_ftz});
      case RuleOutput::Operand::Kind::kSame:
        return Fail("'*' stands for the operands of the instruction, in the pattern and after its name");
      case RuleOutput::Operand::Kind::kCall: {
        const std::optional<int> function = FindFunction(operand.name);
        for (int i = 0; function.has_value() && i < kFunctions[*function].values; ++i) {
          put(OperandTag::kValue, static_cast<uint16_t>(calls_[&operand] + i));
        }
        return;
      }
      case RuleOutput::Operand::Kind::kVariable: {
        const auto variable = variables_.find(operand.name);
        if (variable == variables_.end()) return Fail(absl::StrCat("unknown variable $", operand.name));
        variable->second.is_used = true;
        for (const uint16_t slot : variable->second.slots) {
          const bool is_immediate = std::find(immediates_.begin(), immediates_.end(), slot) != immediates_.end();
          put(is_immediate ? OperandTag::kConstant : OperandTag::kValue, slot);
        }
        return;
      }
    }
  }

  const RuleSource& rule_;
  CompiledRule& out_;
  const TargetInfo& target_;
  std::string error_;
  int slots_ = 1;
  int num_put_ = 0;          // operands added for one operand of the rule
  int from_ = -1, to_ = -1;  // state spaces
  std::map<std::string, Variable> variables_;
  std::map<std::string, Demand> demands_;
  std::vector<uint16_t> immediates_;
  std::map<const RuleOutput::Operand*, uint16_t> calls_;
};

}  // namespace

// (NODE $a *) -> OPCODE *: the instruction has the operands of the node, except those that the rule names. An
// address is one operand of the node.
void ExpandSame(RuleSource& rule) {
  if (rule.pattern.same_at < 0 || rule.results.size() != 1) return;
  RuleOutput& output = rule.results[0];
  const TargetInfo& target = ptx::PtxTargetInfo();
  const std::optional<Opcode> opcode = target.find_opcode(output.opcode);
  const auto is_star = [](const RuleOutput::Operand& operand) {
    return operand.kind == RuleOutput::Operand::Kind::kSame;
  };
  const auto star = std::find_if(output.operands.begin(), output.operands.end(), is_star);
  if (!opcode.has_value() || star == output.operands.end()) return;
  const absl::Span<const OperandDesc> descs = target.Operands(*opcode);
  const size_t before = static_cast<size_t>(star - output.operands.begin());
  const size_t after = output.operands.size() - before - 1;
  std::vector<RuleOutput::Operand> operands(output.operands.begin(), star);
  int position = rule.pattern.same_at;
  for (size_t i = target.Get(*opcode).num_defs + before; i + after < descs.size(); ++i) {
    RuleOperand& taken = *rule.pattern.operands.insert(rule.pattern.operands.begin() + position++, RuleOperand());
    taken.kind = OperandKind::kVariable;
    taken.name = absl::StrCat("operand", i);
    if (descs[i].role == static_cast<uint8_t>(ptx::OperandRole::kBase)) {
      taken.function = "addr";
      ++i;
    } else if (descs[i].type == OperandType::kUnknown) {
      taken.is_immediate = true;
    }
    operands.emplace_back().name = taken.name;
  }
  operands.insert(operands.end(), star + 1, output.operands.end());
  output.operands = std::move(operands);
}

absl::Status CompileRule(const RuleSource& source, std::vector<CompiledRule>& compiled) {
  RuleSource rule = source;
  ExpandSame(rule);
  RuleSource variant = rule;
  std::vector<RulePattern*> nodes;
  CommutativeNodes(variant.pattern, nodes);
  if (nodes.size() > 4) return absl::InvalidArgumentError(absl::StrCat(rule.where, ": too many commutative nodes"));
  for (unsigned order = 0; order < 1u << nodes.size(); ++order) {
    variant = rule;
    nodes.clear();
    CommutativeNodes(variant.pattern, nodes);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if ((order >> i & 1) != 0) std::swap(nodes[i]->operands[0], nodes[i]->operands[1]);
    }
    CompiledRule& out = compiled.emplace_back();
    const std::string error = Compiler(variant, out).Run();
    if (!error.empty()) return absl::InvalidArgumentError(absl::StrCat(rule.where, ": ", error));
  }
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag

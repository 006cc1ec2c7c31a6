// SPDX-License-Identifier: Apache-2.0

// Inline assembly. Constraints are NVPTX's: a letter is a register class ("r", "=f"), "n" and "i" a constant, "X"
// anything, "0" the place of output 0, and "~{memory}" says what the text changes. Of several letters ("rn"), a
// constant takes one for constants, and another value the first register class of its size. Of alternatives for all
// operands ("=r|r,r|n"), the one with the most constants is taken, as in LLVM. Outputs are read from virtual registers
// after the node.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "mir/code/inline_asm.h"
#include "ptx/target/ptx_target.h"
#include "sdag/from_ir/lowerings.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

struct LetterClass {
  char letter;
  RegClassId reg_class;
  unsigned bits;
};
constexpr LetterClass kLetters[] = {
    {'b', ptx::reg_class::kB1, 1},   {'c', ptx::reg_class::kB16, 16}, {'h', ptx::reg_class::kB16, 16},
    {'r', ptx::reg_class::kB32, 32}, {'f', ptx::reg_class::kB32, 32}, {'l', ptx::reg_class::kB64, 64},
    {'N', ptx::reg_class::kB64, 64}, {'d', ptx::reg_class::kB64, 64}, {'q', ptx::reg_class::kB128, 128},
};

struct AsmConstraint {
  bool is_output = false;
  bool is_early_clobber = false;
  std::string_view code;  // "r", "n", "0", "rn", "r|n"
};

// Returns one alternative of a constraint. A constraint without alternatives is the same in all of them.
std::string_view AlternativeOf(std::string_view code, size_t number) {
  if (code.find('|') == std::string_view::npos) return code;
  for (; number > 0 && !code.empty(); --number) {
    const size_t bar = code.find('|');
    code.remove_prefix(bar == std::string_view::npos ? code.size() : bar + 1);
  }
  return code.substr(0, code.find('|'));
}

// Splits "=r,=&f,r,0,~{memory}". Clobbers are left out.
std::vector<AsmConstraint> ParseConstraints(std::string_view text, bool& clobbers_memory) {
  std::vector<AsmConstraint> constraints;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (item.starts_with("~")) {
      clobbers_memory |= item == "~{memory}";
      continue;
    }
    AsmConstraint constraint;
    if (item.starts_with("=")) {
      constraint.is_output = true;
      item.remove_prefix(1);
    }
    // "%" says that two operands may be exchanged.
    while (item.starts_with("&") || item.starts_with("%")) {
      constraint.is_early_clobber |= item[0] == '&';
      item.remove_prefix(1);
    }
    constraint.code = item;
    constraints.push_back(constraint);
  }
  return constraints;
}

uint64_t GroupWord(InlineAsmGroup::Kind kind, uint64_t data) {
  return static_cast<uint64_t>(kind) | 1u << 3 | data << 16;
}

class InlineAsmLowering {
 public:
  InlineAsmLowering(FunctionBuilder& builder, const ir::Instruction& instruction, const ir::InlineAsm& text)
      : builder_(builder), dag_(builder.dag()), instruction_(instruction), asm_(text) {}

  void Run() {
    if (asm_.has_flag(ir::InlineAsm::kIntelDialect)) return Fail("inline assembly in Intel's dialect");
    const std::string unescaped = UnescapeIrString(asm_.constraints());
    std::vector<AsmConstraint> constraints = ParseConstraints(unescaped, clobbers_memory_);
    Resolve(constraints);
    // A text without effects beside its results need not keep its place.
    has_effects_ = clobbers_memory_ || asm_.has_flag(ir::InlineAsm::kSideEffect);
    chain_ = has_effects_ ? builder_.Root() : builder_.LoadRoot();
    operands_.resize(4);
    for (const AsmConstraint& constraint : constraints) {
      const bool ok = constraint.is_output ? AddOutput(constraint) : AddInput(constraint);
      if (!ok) return;
    }
    if (next_result_ != builder_.PartsOf(instruction_.type()).size()) return Fail("outputs that no constraint names");
    MakeNode();
  }

 private:
  void Fail(std::string_view what) { builder_.Refuse(std::string(what)); }

  static bool IsNumber(const ir::Value& value) {
    return value.is_constant() && value.type()->is_integer() &&
           static_cast<const ir::ConstantValue&>(value).constant().kind == IrConstant::Kind::kInteger;
  }

  // Returns the letter of a code that an input takes, or an output if `value` is null. Empty if there is none.
  std::string_view LetterFor(std::string_view code, const ir::Value* value, MVT type) const {
    const bool is_immediate = code == "i" || code == "n";
    if (is_immediate && value != nullptr && !value->is_constant()) return {};
    if (code.size() <= 1 && code != "X") return code;
    if (code[0] >= '0' && code[0] <= '9') return code;
    const size_t constant = code.find_first_of("inX");
    if (value != nullptr && constant != std::string_view::npos && IsNumber(*value)) return "i";
    std::string_view first;
    for (const LetterClass& letter : kLetters) {
      const bool is_allowed = code == "X" || code.find(letter.letter) != std::string_view::npos;
      if (is_allowed && letter.bits == SizeInBits(type)) return {&letter.letter, 1};
      if (is_allowed && first.empty() && letter.bits > SizeInBits(type)) first = {&letter.letter, 1};
    }
    return first;
  }

  // Leaves one letter of each constraint, of the alternative that fits best.
  void Resolve(std::vector<AsmConstraint>& constraints) {
    size_t num_alternatives = 1;
    for (const AsmConstraint& constraint : constraints) {
      const auto bars = std::count(constraint.code.begin(), constraint.code.end(), '|');
      num_alternatives = std::max(num_alternatives, static_cast<size_t>(bars) + 1);
    }
    std::vector<std::string_view> best;
    size_t best_constants = 0;
    for (size_t number = 0; number < num_alternatives; ++number) {
      size_t num_constants = 0;
      const std::vector<std::string_view> letters = LettersOf(constraints, number, num_constants);
      if (letters.empty() || (!best.empty() && num_constants <= best_constants)) continue;
      best = letters;
      best_constants = num_constants;
    }
    for (size_t i = 0; i < best.size(); ++i) constraints[i].code = best[i];
  }

  // Returns the letters of an alternative, or an empty list if it does not fit.
  std::vector<std::string_view> LettersOf(absl::Span<const AsmConstraint> constraints, size_t number,
                                          size_t& num_constants) const {
    const absl::Span<const ValuePart> parts = builder_.PartsOf(instruction_.type());
    const auto& arguments = instruction_.arguments();
    std::vector<std::string_view> letters;
    size_t output = 0, input = 0;
    for (const AsmConstraint& constraint : constraints) {
      const ir::Value* value = nullptr;
      MVT type = MVT::kI32;
      if (constraint.is_output) {
        if (output < parts.size()) type = parts[output].type;
        ++output;
      } else if (input < arguments.size()) {
        value = &arguments[input++].value();
        const absl::Span<const ValuePart> of_value = builder_.PartsOf(value->type());
        if (!of_value.empty()) type = of_value[0].type;
      }
      const std::string_view letter = LetterFor(AlternativeOf(constraint.code, number), value, type);
      if (letter.empty()) return {};
      num_constants += letter == "i" || letter == "n" ? 1 : 0;
      letters.push_back(letter);
    }
    return letters;
  }

  // Returns the register class that a letter names for values of a type.
  std::optional<RegClassId> ClassOf(std::string_view code, MVT type) const {
    if (code.size() != 1) return std::nullopt;
    const std::optional<RegClassId> natural = RegClassFor(type);
    for (const LetterClass& letter : kLetters) {
      if (letter.letter != code[0] || letter.bits != SizeInBits(type)) continue;
      return natural.has_value() ? std::optional<RegClassId>(letter.reg_class) : std::nullopt;
    }
    return std::nullopt;
  }

  // Returns the integer that a letter passes. Integers of other widths are extended or cut off, as in LLVM.
  static std::optional<MVT> IntegerFor(std::string_view code) {
    for (const LetterClass& letter : kLetters) {
      if (code.size() == 1 && letter.letter == code[0]) return IntegerOf(letter.bits);
    }
    return std::nullopt;
  }

  bool AddOutput(const AsmConstraint& constraint) {
    const absl::Span<const ValuePart> parts = builder_.PartsOf(instruction_.type());
    const size_t index = next_result_++;
    if (index >= parts.size()) return builder_.Refuse("an output that the type has no member for");
    MVT type = parts[index].type;
    // A value that is narrower than the register comes in its low bits.
    const std::optional<MVT> integer = IntegerFor(constraint.code);
    if (IsScalarInteger(type) && integer.has_value() && SizeInBits(type) < SizeInBits(*integer)) type = *integer;
    const std::optional<RegClassId> reg_class = ClassOf(constraint.code, type);
    if (!reg_class.has_value()) {
      return builder_.Refuse(StrCat("constraint '=", constraint.code, "' of a value of type ", Name(type)));
    }
    const Register reg = builder_.machine_function().reg_info().CreateVirtualRegister(*reg_class);
    const auto kind = constraint.is_early_clobber ? InlineAsmGroup::Kind::kEarlyClobberDef : InlineAsmGroup::Kind::kDef;
    operands_.push_back(dag_.GetTargetConstant(GroupWord(kind, uint64_t{*reg_class} + 1), MVT::kI32));
    operands_.push_back(dag_.GetRegister(reg, type));
    outputs_.push_back({reg, type});
    return true;
  }

  bool AddInput(const AsmConstraint& constraint) {
    if (next_argument_ >= instruction_.arguments().size()) return builder_.Refuse("a constraint without an argument");
    const ir::Value& argument = instruction_.arguments()[next_argument_++].value();
    const ValueNodes nodes = builder_.Use(argument);
    if (nodes.size() != 1) return builder_.Refuse(StrCat("an operand of type ", argument.type()->ToString()));
    SDValue value = nodes[0];
    const std::string_view code = constraint.code;
    if (code == "n" || code == "i" || code == "s") return AddImmediate(value, argument);
    const bool is_tied = !code.empty() && code[0] >= '0' && code[0] <= '9';
    size_t tied = 0;
    if (is_tied) {
      for (const char digit : code) tied = tied * 10 + static_cast<size_t>(digit - '0');
      if (tied >= outputs_.size() || code.size() > 3) return builder_.Refuse(StrCat("constraint '", code, "'"));
    }
    const ValuePart& part = builder_.PartsOf(argument.type())[0];
    MVT type = value.type();
    if (is_tied) type = outputs_[tied].type;
    if (!is_tied && IsScalarInteger(type)) type = IntegerFor(code).value_or(type);
    if (type != value.type()) {
      if (IsScalarInteger(type) && IsScalarInteger(value.type())) {
        value = builder_.Resize(builder_.ZeroExtended(value, part), type, isd::kZeroExtend);
      } else if (SizeInBits(type) == SizeInBits(value.type())) {
        value = builder_.Node(isd::kBitcast, type, {value});
      } else {
        return builder_.Refuse(StrCat("constraint '", code, "' of a value of type ", Name(value.type())));
      }
    }
    const std::optional<RegClassId> reg_class = is_tied ? RegClassFor(type) : ClassOf(code, type);
    if (!reg_class.has_value()) {
      return builder_.Refuse(StrCat("constraint '", code, "' of a value of type ", Name(type)));
    }
    const Register reg = builder_.machine_function().reg_info().CreateVirtualRegister(*reg_class);
    chain_ = dag_.GetCopyToReg(builder_.Loc(), chain_, reg, value, glue_);
    glue_ = chain_.Result(1);
    const uint64_t word = is_tied ? GroupWord(InlineAsmGroup::Kind::kUse, tied) | uint64_t{1} << 31
                                  : GroupWord(InlineAsmGroup::Kind::kUse, uint64_t{*reg_class} + 1);
    operands_.push_back(dag_.GetTargetConstant(word, MVT::kI32));
    operands_.push_back(dag_.GetRegister(reg, type));
    return true;
  }

  bool AddImmediate(SDValue value, const ir::Value& argument) {
    const auto* constant = DynCast<ConstantSDNode>(value);
    const auto* global = DynCast<GlobalAddressSDNode>(value);
    operands_.push_back(dag_.GetTargetConstant(GroupWord(InlineAsmGroup::Kind::kImmediate, 0), MVT::kI32));
    if (constant != nullptr) {
      operands_.push_back(dag_.GetTargetConstant(constant->value(), value.type()));
    } else if (global != nullptr) {
      operands_.push_back(dag_.GetGlobalAddress(global->global(), value.type(), global->offset(), true));
    } else {
      return builder_.Refuse(StrCat("an immediate operand of type ", argument.type()->ToString(), ", no constant"));
    }
    return true;
  }

  uint64_t Properties() const {
    const ir::CallDetail& call = instruction_.call();
    const ir::Program& program = builder_.function().program();
    const ir::AttributeSet& attributes = program.attribute_set(call.function_attributes);
    const auto has = [&](std::string_view name) {
      if (attributes.attributes.Has(name)) return true;
      for (const uint32_t group : attributes.groups) {
        const IrAttributeGroup* found = builder_.module().FindAttributeGroup(group);
        if (found != nullptr && found->attributes.Has(name)) return true;
      }
      return false;
    };
    uint64_t properties = 0;
    if (asm_.has_flag(ir::InlineAsm::kSideEffect)) properties |= InlineAsmProperty::kSideEffects;
    if (has("convergent")) properties |= InlineAsmProperty::kConvergent;
    if (clobbers_memory_) properties |= InlineAsmProperty::kMayLoad | InlineAsmProperty::kMayStore;
    return properties;
  }

  void MakeNode() {
    operands_[0] = chain_;
    const std::string text = UnescapeIrString(asm_.text());
    operands_[1] = dag_.GetExternalSymbol(text, MVT::kI64, true);
    operands_[2] = dag_.GetMDNode(SourceLocation());
    operands_[3] = dag_.GetTargetConstant(Properties(), MVT::kI64);
    if (glue_) operands_.push_back(glue_);
    const MVT types[] = {MVT::kOther, MVT::kGlue};
    SDValue node = dag_.GetNode(isd::kInlineAsm, builder_.Loc(), types, operands_);
    ValueNodes results;
    const absl::Span<const ValuePart> parts = builder_.PartsOf(instruction_.type());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const SDValue copy =
          dag_.GetCopyFromReg(builder_.Loc(), node, outputs_[i].reg, outputs_[i].type, node.Result(i == 0 ? 1 : 2));
      results.push_back(builder_.Resize(copy, parts[i].type, isd::kAnyExtend));
      node = copy.Result(1);
    }
    if (has_effects_ || outputs_.empty()) builder_.SetRoot(node);
    if (!results.empty()) builder_.Define(instruction_, results);
  }

  // The node of !srcloc, which the printer of errors uses.
  MetadataId SourceLocation() {
    const ir::Program& program = builder_.function().program();
    for (const ir::Attachment& attachment : instruction_.attachments()) {
      if (program.metadata_kind(attachment.kind) == "srcloc" && !attachment.node.is_inline()) {
        return attachment.node.node();
      }
    }
    return MDNodeSDNode::kNull;
  }

  struct Output {
    Register reg;
    MVT type;
  };

  FunctionBuilder& builder_;
  SelectionDAG& dag_;
  const ir::Instruction& instruction_;
  const ir::InlineAsm& asm_;
  SDValue chain_, glue_;
  std::vector<SDValue> operands_;
  std::vector<Output> outputs_;
  size_t next_result_ = 0;
  size_t next_argument_ = 0;
  bool clobbers_memory_ = false;
  bool has_effects_ = false;
};

}  // namespace

void LowerInlineAsm(FunctionBuilder& builder, const ir::Instruction& instruction, const ir::InlineAsm& text) {
  InlineAsmLowering(builder, instruction, text).Run();
}

}  // namespace ptxmir::sdag

// SPDX-License-Identifier: Apache-2.0

#include "sdag/select/rule_matcher.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "ptx/target/ptx_target.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

// Returns the number of words that follow a check.
unsigned NumWords(RuleOp op) {
  switch (op) {
    case RuleOp::kOperands:
    case RuleOp::kResultClasses:
    case RuleOp::kOneUse:
    case RuleOp::kImmediate:
    case RuleOp::kSm:
    case RuleOp::kPtx:
    case RuleOp::kSupports:
      return 1;
    case RuleOp::kResultType:
    case RuleOp::kType:
    case RuleOp::kClass:
    case RuleOp::kSame:
    case RuleOp::kInteger:
    case RuleOp::kFloat:
    case RuleOp::kCondCode:
    case RuleOp::kValueType:
    case RuleOp::kFlags:
    case RuleOp::kSpaces:
    case RuleOp::kOption:
      return 2;
    case RuleOp::kRange:
    case RuleOp::kCall:
      return 3;
    case RuleOp::kNode:
      return 4;
    case RuleOp::kEmit:
    case RuleOp::kDone:
      return 0;
  }
  return 0;
}

// The words after a check. No check has more.
struct CheckWords {
  CheckWords(RuleOp op, RuleWords& code) {
    const unsigned count = NumWords(op);
    for (unsigned i = 0; i < count; ++i) words[i] = code.Next();
  }
  uint16_t words[4] = {};
};

int64_t Signed(uint16_t word) { return static_cast<int16_t>(word); }

bool IsConstant(SDValue value) {
  return DynCast<ConstantSDNode>(value) != nullptr || DynCast<ConstantFPSDNode>(value) != nullptr;
}

// Sets `bits` to a small whole number in the format of a type. Returns false if the type is not floating point.
bool FloatBits(MVT type, int64_t number, uint64_t& bits) {
  const auto value = static_cast<double>(number);
  uint64_t wide = 0;
  std::memcpy(&wide, &value, sizeof(wide));
  const uint64_t sign = wide >> 63;
  const uint64_t exponent = wide >> 52 & 0x7ff;
  const uint64_t fraction = wide & ((uint64_t{1} << 52) - 1);
  const auto pack = [&](unsigned exponent_bits, unsigned fraction_bits) {
    const uint64_t bias = (uint64_t{1} << (exponent_bits - 1)) - 1;
    const uint64_t narrow = number == 0 ? 0 : exponent - 1023 + bias;
    bits = sign << (exponent_bits + fraction_bits) | narrow << fraction_bits | fraction >> (52 - fraction_bits);
    return true;
  };
  switch (ScalarType(type)) {
    case MVT::kF16:
      return pack(5, 10);
    case MVT::kBF16:
      return pack(8, 7);
    case MVT::kF32:
      return pack(8, 23);
    case MVT::kF64:
      return pack(11, 52);
    default:
      return false;
  }
}

bool ClassesFit(Opcode opcode, absl::Span<const MVT> results) {
  const TargetInfo& target = ptx::PtxTargetInfo();
  const absl::Span<const OperandDesc> descs = target.Operands(opcode);
  const unsigned num_defs = target.Get(opcode).num_defs;
  if (results.size() > num_defs) return false;
  for (size_t i = 0; i < results.size(); ++i) {
    if (descs[i].type == OperandType::kRegister && RegClassFor(results[i]) != descs[i].reg_class) return false;
  }
  return true;
}

bool IsTypeSuffix(std::string_view text) {
  const size_t letters = text.find_first_of("0123456789");
  if (letters == std::string_view::npos || letters == 0) return false;
  const std::string_view kind = text.substr(0, letters);
  return (kind == "p" || kind == "v" || kind == "i" || kind == "f" || kind == "bf") &&
         text.find_first_not_of("0123456789ibfp", letters) == std::string_view::npos;
}

bool CountFits(size_t count, uint16_t word) {
  return (word & kOrMore) != 0 ? count >= static_cast<size_t>(word & ~kOrMore) : count == word;
}

absl::Span<const MVT> WithoutTokens(absl::Span<const MVT> types) {
  while (!types.empty() && IsToken(types.back())) types.remove_suffix(1);
  return types;
}

}  // namespace

absl::Span<const Rule> RulesFor(int16_t opcode, MVT result_type) {
  if (opcode < 0 || opcode >= isd::kNumOpcodes) return {};
  const RuleRange groups = kRuleGroupsOf[opcode];
  if (groups.count == 0) return {};
  const RuleGroup* group = kRuleGroups + groups.first;
  const RuleGroup* const last = group + groups.count - 1;
  while (group != last && group->result_type != static_cast<uint8_t>(result_type)) ++group;
  return {kRules + group->rules.first, group->rules.count};
}

// The name of an overloaded intrinsic ends with types, as in IR: ".p3", ".i32", ".v2f16".
absl::Span<const Rule> RulesFor(const SDNode& node) {
  const auto* intrinsic = DynCast<IntrinsicSDNode>(&node);
  if (intrinsic == nullptr) return RulesFor(node.opcode(), node.value_type(0));
  const IntrinsicRules* end = kIntrinsicRules + kNumIntrinsicRules;
  std::string_view name = intrinsic->intrinsic_name();
  if (name.substr(0, kIntrinsicPrefix.size()) != kIntrinsicPrefix) return {};
  name.remove_prefix(kIntrinsicPrefix.size());
  for (;;) {
    const IntrinsicRules* found = std::lower_bound(
        kIntrinsicRules, end, name,
        [](const IntrinsicRules& rules, std::string_view wanted) { return kIntrinsicNames + rules.name < wanted; });
    if (found != end && kIntrinsicNames + found->name == name) {
      return {kRules + found->rules.first, found->rules.count};
    }
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || !IsTypeSuffix(name.substr(dot + 1))) return {};
    name = name.substr(0, dot);
  }
}

void RuleMatcher::LoadRoot() {
  std::uninitialized_fill_n(slots_, kAlwaysFilled, SDValue());
  slots_[0] = {root_, 0};
  unsigned first = 0;
  unsigned end = root_->num_operands();
  if (end > 0 && IsChain(root_->operand(0))) {
    chain_ = root_->operand(0);
    first = 1;
  }
  if (end > first && root_->operand(end - 1).type() == MVT::kGlue) glue_ = root_->operand(--end);
  num_operands_ = end - first;
  for (unsigned i = 0; i < num_operands_ && i + 1 < kMaxSlots; ++i) slots_[i + 1] = root_->operand(first + i);
  num_results_ = static_cast<unsigned>(WithoutTokens(root_->value_types()).size());
}

bool RuleMatcher::MayMatch(const RuleDemands& demands) const {
  const auto holds = [](int16_t opcode, SDValue operand) {
    if (opcode == RuleDemands::kAnyOpcode) return true;
    if (opcode == RuleDemands::kAnyConstant) return operand && IsConstant(operand);
    return operand && operand.opcode() == opcode;
  };
  return (demands.result_type == RuleDemands::kAnyType ||
          demands.result_type == static_cast<uint8_t>(root_->value_type(0))) &&
         (demands.operand_type == RuleDemands::kAnyType ||
          demands.operand_type == static_cast<uint8_t>(slots_[1].type())) &&
         holds(demands.operand_opcodes[0], slots_[1]) && holds(demands.operand_opcodes[1], slots_[2]);
}

bool RuleMatcher::CheckOption(RuleOption option, int value) const {
  if (options_ == nullptr) return false;
  switch (option) {
    case RuleOption::kFtz:
      return options_->f32_ftz == (value != 0);
    case RuleOption::kDivision:
      return static_cast<int>(options_->f32_division) == value;
    case RuleOption::kPreciseSqrt:
      return options_->precise_f32_sqrt == (value != 0);
    case RuleOption::kDivisionFlags:
      return options_->division_heeds_flags == (value != 0);
    case RuleOption::kSqrtFlags:
      return options_->sqrt_heeds_flags == (value != 0);
    case RuleOption::kApproximateLog2:
      return options_->approximate_f32_log2 == (value != 0);
    case RuleOption::kFmaLevel:
      return static_cast<int>(options_->fma_level) == value;
  }
  return false;
}

bool RuleMatcher::CheckConstant(RuleOp op, const uint16_t* words) const {
  const SDValue value = slots_[words[0]];
  if (op == RuleOp::kFloat) {
    const auto* number = DynCast<ConstantFPSDNode>(value);
    uint64_t bits = 0;
    return number != nullptr && FloatBits(value.type(), Signed(words[1]), bits) && bits == number->bits();
  }
  const auto* constant = DynCast<ConstantSDNode>(value);
  if (constant == nullptr) return false;
  const absl::int128 number = constant->SExtValue128();
  if (op == RuleOp::kInteger) return number == Signed(words[1]);
  return number >= Signed(words[1]) && number <= Signed(words[2]);
}

bool RuleMatcher::Check(RuleOp op, const uint16_t* words) {
  switch (op) {
    case RuleOp::kOperands:
      return CountFits(num_operands_, words[0]);
    case RuleOp::kResultType:
      return words[0] < num_results_ && root_->value_type(words[0]) == static_cast<MVT>(words[1]);
    case RuleOp::kResultClasses:
      return ClassesFit(words[0], WithoutTokens(root_->value_types()));
    case RuleOp::kType:
      return slots_[words[0]].type() == static_cast<MVT>(words[1]);
    case RuleOp::kClass:
      // An operand that must be a constant in the DAG cannot be in a register.
      return RegClassFor(slots_[words[0]].type()) == words[1] && slots_[words[0]].opcode() != isd::kTargetConstant;
    case RuleOp::kNode: {
      const SDValue value = slots_[words[0]];
      if (!value || value.opcode() != static_cast<int16_t>(words[1]) || value.resno() != 0) return false;
      if (value->num_operands() < words[3]) return false;
      for (unsigned i = 0; i < words[3]; ++i) slots_[words[2] + i] = value.operand(i);
      return true;
    }
    case RuleOp::kOneUse:
      return slots_[words[0]].HasOneUse();
    case RuleOp::kSame:
      return slots_[words[0]] == slots_[words[1]];
    case RuleOp::kImmediate:
      return IsConstant(slots_[words[0]]) && !IsVector(slots_[words[0]].type());
    case RuleOp::kRange:
    case RuleOp::kInteger:
    case RuleOp::kFloat:
      return CheckConstant(op, words);
    case RuleOp::kCondCode: {
      const auto* condition = DynCast<CondCodeSDNode>(slots_[words[0]]);
      return condition != nullptr && condition->code() == static_cast<CondCode>(words[1]);
    }
    case RuleOp::kValueType: {
      const auto* type = DynCast<VTSDNode>(slots_[words[0]]);
      return type != nullptr && type->type().raw() == words[1];
    }
    case RuleOp::kFlags: {
      const uint32_t mask = words[0] | static_cast<uint32_t>(words[1]) << 16;
      return (root_->flags() & mask) == mask;
    }
    case RuleOp::kSpaces: {
      const auto* cast = DynCast<AddrSpaceCastSDNode>(root_);
      return cast != nullptr && cast->source_space() == words[0] && cast->target_space() == words[1];
    }
    case RuleOp::kSm:
      return subtarget_.HasSm(words[0]);
    case RuleOp::kPtx:
      return subtarget_.HasPtx(words[0]);
    case RuleOp::kSupports:
      return CheckSupport(words[0]);
    case RuleOp::kOption:
      return CheckOption(static_cast<RuleOption>(words[0]), words[1]);
    case RuleOp::kCall: {
      const auto function = static_cast<SelectionFunction>(words[0]);
      return CallSelectionFunction(function, {dag_, subtarget_, root_}, slots_[words[1]], &slots_[words[2]]);
    }
    case RuleOp::kEmit:
    case RuleOp::kDone:
      return true;
  }
  return false;
}

bool RuleMatcher::CheckSupport(Opcode opcode) {
  if (subtarget_.Supports(opcode)) return true;
  if (!missing_instruction_.has_value()) missing_instruction_ = opcode;
  return false;
}

bool RuleMatcher::Apply(const Rule& rule) {
  if (!MayMatch(rule.demands)) return false;
  for (RuleWords code(rule);;) {
    const auto op = static_cast<RuleOp>(code.Next());
    if (op == RuleOp::kEmit || op == RuleOp::kDone) {
      if (dag_ == nullptr) return true;
      if (op == RuleOp::kDone) {
        Finish(code);
        return true;
      }
      Emit(code);
      continue;
    }
    if (!Check(op, CheckWords(op, code).words)) return false;
  }
}

bool RuleMatcher::HoldsForTypes(const Rule& rule, absl::Span<const MVT> results, absl::Span<const MVT> operands,
                                const ptx::Subtarget& subtarget) {
  results = WithoutTokens(results);
  // Remove the chain in front. Condition codes and similar operands have a token's type and are at the end.
  if (!operands.empty() && operands.front() == MVT::kOther) operands.remove_prefix(1);
  if (!operands.empty() && operands.back() == MVT::kGlue) operands.remove_suffix(1);
  const uint8_t result_type = rule.demands.result_type;
  if (result_type != RuleDemands::kAnyType && (results.empty() || result_type != static_cast<uint8_t>(results[0]))) {
    return false;
  }
  const auto type_of = [&](uint16_t slot) { return slot - 1u < operands.size() ? operands[slot - 1] : MVT::kUntyped; };
  for (RuleWords code(rule);;) {
    const auto op = static_cast<RuleOp>(code.Next());
    const CheckWords check(op, code);
    const uint16_t* word = check.words;
    bool holds = true;
    switch (op) {
      case RuleOp::kOperands:
        holds = CountFits(operands.size(), word[0]);
        break;
      case RuleOp::kResultType:
        holds = word[0] < results.size() && results[word[0]] == static_cast<MVT>(word[1]);
        break;
      case RuleOp::kResultClasses:
        holds = ClassesFit(word[0], results);
        break;
      case RuleOp::kType:
        holds = type_of(word[0]) == static_cast<MVT>(word[1]);
        break;
      case RuleOp::kClass:
        holds = RegClassFor(type_of(word[0])) == word[1];
        break;
      case RuleOp::kSm:
        holds = subtarget.HasSm(word[0]);
        break;
      case RuleOp::kPtx:
        holds = subtarget.HasPtx(word[0]);
        break;
      case RuleOp::kSupports:
        holds = subtarget.Supports(word[0]);
        break;
      case RuleOp::kEmit:
      case RuleOp::kDone:
        return true;
      default:
        break;  // leaves and functions: assume that they match
    }
    if (!holds) return false;
  }
}

SDValue RuleMatcher::AsTargetConstant(SDValue value) {
  if (IsVector(value.type())) return value;
  if (const auto* constant = DynCast<ConstantSDNode>(value)) {
    return dag_->GetConstant(constant->value(), value.type(), true);
  }
  if (const auto* number = DynCast<ConstantFPSDNode>(value)) {
    return dag_->GetConstantFP(number->bits(), value.type(), true);
  }
  return value;
}

SDValue RuleMatcher::EmitOperand(RuleWords& words) {
  const uint16_t word = words.Next();
  const unsigned slot = word & 0xff;
  switch (static_cast<OperandTag>(word >> 8)) {
    case OperandTag::kValue:
      return slots_[slot];
    case OperandTag::kConstant:
      return AsTargetConstant(slots_[slot]);
    case OperandTag::kImmediate:
      return dag_->GetSignedConstant(Signed(words.Next()), MVT::kI32, true);
    case OperandTag::kFtz: {
      const uint16_t without = words.Next();
      const uint16_t with = words.Next();
      return dag_->GetSignedConstant(Signed(options_->f32_ftz ? with : without), MVT::kI32, true);
    }
  }
  return SDValue();
}

void RuleMatcher::Emit(RuleWords& words) {
  const Opcode opcode = words.Next();
  const uint16_t flags = words.Next();
  SDValue& result = slots_[words.Next()];
  absl::InlinedVector<MVT, 8> types;
  const unsigned num_types = words.Next();
  for (unsigned i = 0; i < num_types; ++i) types.push_back(static_cast<MVT>(words.Next()));
  absl::InlinedVector<SDValue, 16> operands;
  const unsigned num_operands = words.Next();
  for (unsigned i = 0; i < num_operands; ++i) operands.push_back(EmitOperand(words));
  const bool is_root = (flags & EmitFlag::kRoot) != 0;
  const bool takes_chain = (flags & EmitFlag::kChain) != 0 && chain_;
  if (takes_chain) operands.push_back(chain_);
  absl::InlinedVector<const MachineMemOperand*, 1> memory;
  if (is_root) {
    if (glue_) operands.push_back(glue_);
    for (unsigned i = 0; i < num_results_ && i < types.size(); ++i) types[i] = root_->value_type(i);
    for (unsigned i = num_results_; i < root_->num_values(); ++i) types.push_back(root_->value_type(i));
    const auto* access = DynCast<MemSDNode>(root_);
    if (access != nullptr && access->memoperand() != nullptr) memory.push_back(access->memoperand());
  } else if (takes_chain) {
    types.push_back(MVT::kOther);
  }
  const uint32_t node_flags = is_root ? root_->flags() & SDNodeFlags::kMachineInstrFlags : 0;
  if (is_root && types.size() == root_->num_values()) {
    dag_->SelectNodeTo(root_, opcode, types, operands, memory, node_flags);
    has_become_instruction_ = true;
    return;
  }
  result = {dag_->GetMachineNode(opcode, root_->loc(), types, operands, memory, node_flags), 0};
  if (takes_chain && !is_root) chain_ = result.Result(static_cast<unsigned>(types.size()) - 1);
}

void RuleMatcher::Finish(RuleWords& words) {
  if (has_become_instruction_) return;
  replacements_.clear();
  const uint16_t count = words.Next();
  if (count == kAllResults) {
    const SDValue made = slots_[words.Next()];
    const unsigned num_defs = std::max(num_results_, made->num_values() - (root_->num_values() - num_results_));
    for (unsigned i = 0; i < num_results_; ++i) replacements_.push_back(made.Result(i));
    for (unsigned i = num_results_; i < root_->num_values(); ++i) {
      replacements_.push_back(made.Result(num_defs + i - num_results_));
    }
    return;
  }
  for (unsigned i = 0; i < num_results_; ++i) replacements_.push_back(i < count ? slots_[words.Next()] : SDValue());
  for (unsigned i = num_results_; i < root_->num_values(); ++i) {
    replacements_.push_back(root_->value_type(i) == MVT::kGlue ? glue_ : chain_);
  }
}

}  // namespace ptxmir::sdag

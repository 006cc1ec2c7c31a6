// SPDX-License-Identifier: Apache-2.0

#include "mir/upgrade/instr_upgrader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/str_cat.h"
#include "mir/code/function_ir.h"
#include "mir/code/inline_asm.h"

namespace ptxmir {
namespace {

using RecipeKind = RecipeOperand::Kind;
using Map = RecipeOperand::Map;
using Action = RecipeStep::Action;

constexpr char kOtherOperands[] = "has operands that no known version of LLVM gives it";

// Codes of state spaces and memory orders in LLVM 22.
constexpr int64_t kLocalSpace = 5;
constexpr int64_t kParameterSpace = 101;
constexpr int64_t kVolatileOrder = 8;

// Returns the code of a state space that old loads and stores have: generic, global, constant, shared, parameter and
// local are 0 to 5.
std::optional<int64_t> MapSpace(int64_t value) {
  constexpr int64_t kSpaces[] = {0, 1, 4, 3, kParameterSpace, kLocalSpace};
  if (value < 0 || value >= static_cast<int64_t>(std::size(kSpaces))) return std::nullopt;
  return kSpaces[value];
}

// Returns the kind of a loaded value. Floating-point values are bits today.
std::optional<int64_t> MapSign(int64_t value) {
  constexpr int64_t kFloat = 2;
  constexpr int64_t kBits = 3;
  if (value < 0 || value > kBits) return std::nullopt;
  return value == kFloat ? kBits : value;
}

// Returns a comparison of integers. Old LLVMs have the type of the values in the opcode, and use the same code for
// signed and unsigned values.
std::optional<int64_t> MapIntCompare(Map map, int64_t value) {
  constexpr int64_t kNotEqual = 1;
  constexpr int64_t kGreaterOrEqual = 5;
  constexpr int64_t kUnsigned = 6;  // from a signed comparison to the unsigned one
  if (value < 0 || value > kGreaterOrEqual) return std::nullopt;
  if (value <= kNotEqual) return value;
  if (map == Map::kBitCompare) return std::nullopt;
  return map == Map::kUnsignedCompare ? value + kUnsigned : value;
}

// Returns a comparison of floating-point values. Old LLVMs have four codes, 6 to 9, that only unsigned integers use.
std::optional<int64_t> MapFloatCompare(int64_t value) {
  constexpr int64_t kLastOrdered = 5;
  constexpr int64_t kFirstUnordered = 10;
  constexpr int64_t kLast = 17;
  if (value >= 0 && value <= kLastOrdered) return value;
  if (value < kFirstUnordered || value > kLast) return std::nullopt;
  return value - kFirstUnordered + kLastOrdered + 1;
}

std::optional<int64_t> MapValue(Map map, int64_t value) {
  constexpr int64_t kFlushBit = 0x100;
  switch (map) {
    case Map::kVolatile:
      if (value != 0 && value != 1) return std::nullopt;
      return value * kVolatileOrder;
    case Map::kSpace:
      return MapSpace(value);
    case Map::kSign:
      return MapSign(value);
    case Map::kSignedCompare:
    case Map::kUnsignedCompare:
    case Map::kBitCompare:
      return MapIntCompare(map, value);
    case Map::kFloatCompare:
      return MapFloatCompare(value & ~kFlushBit);
    case Map::kDoubleCompare:
      return MapFloatCompare(value);
    case Map::kFlush:
      return (value & kFlushBit) != 0 ? 1 : 0;
    case Map::kConversion: {
      // The codes of roundings, with the bits for ftz and sat. Later LLVMs added to both.
      constexpr int64_t kLastRounding = 9;
      constexpr int64_t kEnd = 64;
      if (value < 0 || value >= kEnd || (value & 15) > kLastRounding) return std::nullopt;
      return value;
    }
  }
  return std::nullopt;
}

bool IsOne(const MachineOperand& operand) {
  if (!operand.is_fp_imm()) return false;
  switch (operand.fp_width()) {
    case MachineOperand::FPWidth::kFloat:
      return operand.fp_bits() == 0x3f800000;
    case MachineOperand::FPWidth::kDouble:
      return operand.fp_bits() == 0x3ff0000000000000;
    default:
      return false;
  }
}

// Returns true if several operands of a recipe read the same old operand.
bool RepeatsUses(const Recipe& recipe) {
  uint64_t seen = 0;
  for (const RecipeStep& step : recipe.steps) {
    for (const RecipeOperand& operand : step.operands) {
      if (operand.kind != RecipeKind::kCopy || operand.number >= 64) continue;
      const uint64_t bit = uint64_t{1} << operand.number;
      if ((seen & bit) != 0) return true;
      seen |= bit;
    }
  }
  return false;
}

}  // namespace

std::string InstrUpgrader::Upgrade(const Recipe& recipe, absl::Span<const MachineOperand> operands,
                                   std::vector<UpgradedInstr>* upgraded) {
  upgraded->clear();
  temporaries_.clear();
  if (recipe.num_operands != Recipe::kAnyNumber && recipe.num_operands != static_cast<int>(operands.size())) {
    return StrCat("has ", operands.size(), " operands, and ", recipe.num_operands, " in the versions that are known");
  }
  if (recipe.is_unchanged) {
    upgraded->push_back({recipe.steps[0].opcode, {operands.begin(), operands.end()}});
    if (upgraded->back().opcode <= generic::kInlineAsmBr) RenumberInlineAsm(upgraded->back().operands);
    return MoveImmediates(upgraded) ? std::string() : kOtherOperands;
  }
  may_repeat_uses_ = RepeatsUses(recipe);
  for (const RecipeStep& step : recipe.steps) {
    std::string reason =
        step.action == Action::kEmit ? Emit(step, operands, upgraded) : AddPart(step, operands, upgraded);
    if (!reason.empty()) return reason;
  }
  return MoveImmediates(upgraded) ? std::string() : kOtherOperands;
}

bool InstrUpgrader::MoveImmediates(std::vector<UpgradedInstr>* upgraded) {
  const TargetInfo& target = function_.target();
  for (size_t i = 0; i < upgraded->size(); ++i) {
    const absl::Span<const OperandDesc> descs = target.Operands((*upgraded)[i].opcode);
    for (size_t k = 0; k < descs.size() && k < (*upgraded)[i].operands.size(); ++k) {
      const MachineOperand operand = (*upgraded)[i].operands[k];
      if (descs[k].type != OperandType::kRegister || descs[k].reg_class == kNoRegClass || !operand.is_imm()) continue;
      const std::string name = StrCat("MOV_B", target.reg_classes[descs[k].reg_class].bits, "_i");
      const std::optional<Opcode> move = target.find_opcode(name);
      if (!move.has_value()) return false;
      const Register reg = new_register_(descs[k].reg_class);
      (*upgraded)[i].operands[k] = MachineOperand::CreateReg(reg);
      upgraded->insert(upgraded->begin() + static_cast<std::ptrdiff_t>(i++),
                       {*move, {MachineOperand::CreateReg(reg, MachineOperand::kDefine), operand}});
    }
  }
  return true;
}

std::string InstrUpgrader::Emit(const RecipeStep& step, absl::Span<const MachineOperand> operands,
                                std::vector<UpgradedInstr>* upgraded) {
  UpgradedInstr instr = {step.opcode, {}};
  for (const RecipeOperand& operand : step.operands) {
    if (!Build(operand, operands, &instr.operands)) return kOtherOperands;
  }
  upgraded->push_back(std::move(instr));
  return {};
}

bool InstrUpgrader::Build(const RecipeOperand& recipe, absl::Span<const MachineOperand> operands,
                          std::vector<MachineOperand>* built) {
  const MachineOperand* old = recipe.number < operands.size() ? &operands[recipe.number] : nullptr;
  switch (recipe.kind) {
    case RecipeKind::kCopy:
      if (old == nullptr) return false;
      built->push_back(*old);
      if (may_repeat_uses_ && old->is_use()) built->back().set_reg_flag(MachineOperand::kKill, false);
      return true;
    case RecipeKind::kImmediate:
      built->push_back(MachineOperand::CreateImm(recipe.value));
      return true;
    case RecipeKind::kTemporary:
      built->push_back(MachineOperand::CreateReg(Temporary(recipe.number)));
      return true;
    case RecipeKind::kDefinition:
      temporaries_.resize(std::max<size_t>(temporaries_.size(), recipe.number + 1));
      temporaries_[recipe.number] = new_register_(recipe.reg_class);
      built->push_back(MachineOperand::CreateReg(temporaries_[recipe.number], MachineOperand::kDefine));
      return true;
    case RecipeKind::kSymbol:
      built->push_back(MachineOperand::CreateExternalSymbol(function_.InternSymbol(recipe.text)));
      return true;
    case RecipeKind::kParameter:
      if (old == nullptr || !old->is_imm() || old->imm() < 0) return false;
      built->push_back(MachineOperand::CreateExternalSymbol(function_.InternSymbol(StrCat("param", old->imm()))));
      return true;
    case RecipeKind::kMapped: {
      std::optional<int64_t> value = old != nullptr && old->is_imm() ? MapValue(recipe.map, old->imm()) : std::nullopt;
      if (!value.has_value()) return false;
      if (recipe.map == Map::kSpace && *value == kParameterSpace) value = ParameterSpace(operands);
      built->push_back(MachineOperand::CreateImm(*value));
      return true;
    }
    case RecipeKind::kIsValue:
      return old != nullptr && old->is_imm() && old->imm() == recipe.value;
    case RecipeKind::kIsOne:
      return old != nullptr && IsOne(*old);
  }
  return false;
}

// A register that holds the address of a parameter is an address in local memory, unless the parameter is a kernel's.
int64_t InstrUpgrader::ParameterSpace(absl::Span<const MachineOperand> operands) const {
  const auto is_symbol = [](const MachineOperand& operand) { return operand.is_symbol(); };
  const bool has_symbol = std::any_of(operands.begin(), operands.end(), is_symbol);
  return has_symbol || IsKernelFunction(function_) ? kParameterSpace : kLocalSpace;
}

// The words before the operands of inline assembly have the number of a register class, plus 1. The classes have other
// numbers in each version.
void InstrUpgrader::RenumberInlineAsm(std::vector<MachineOperand>& operands) const {
  constexpr int64_t kClassBits = 0x3fff0000;
  size_t i = kInlineAsmFirstGroup;
  while (i < operands.size() && operands[i].is_imm()) {
    const InlineAsmGroup group(operands[i].imm());
    if (group.is_register() && !group.is_tied() && group.data() != 0 && i + 1 < operands.size() &&
        operands[i + 1].is_reg() && operands[i + 1].reg().is_virtual()) {
      const RegClassId reg_class = function_.reg_info().reg_class(operands[i + 1].reg());
      const int64_t data = reg_class == kNoRegClass ? 0 : int64_t{reg_class} + 1;
      operands[i].set_imm((operands[i].imm() & ~kClassBits) | data << 16);
    }
    i += 1 + group.num_operands();
  }
}

// Calls.

std::string InstrUpgrader::AddPart(const RecipeStep& step, absl::Span<const MachineOperand> operands,
                                   std::vector<UpgradedInstr>* upgraded) {
  constexpr char kOutOfOrder[] = "is not where the parts of a call have it";
  std::vector<MachineOperand> values;
  for (const RecipeOperand& operand : step.operands) {
    if (!Build(operand, operands, &values)) return kOtherOperands;
  }
  const CallState state = call_.state;
  bool ok = true;
  switch (step.action) {
    case Action::kCall:
      ok = state == CallState::kNone;
      call_ = {CallState::kBegun, step.opcode, values[0].imm(), {}, 0};
      break;
    case Action::kCallee:
      ok = state == CallState::kBegun;
      call_.callee = values[0];
      call_.state = CallState::kHasCallee;
      break;
    case Action::kArguments:
      ok = state == CallState::kHasCallee;
      call_.state = CallState::kInArguments;
      break;
    case Action::kArgument:
      // Arguments are only counted today: the first is param0.
      ok = state == CallState::kInArguments && values[0].is_imm() && values[0].imm() == call_.num_arguments;
      ++call_.num_arguments;
      break;
    case Action::kArgumentsEnd:
      ok = state == CallState::kInArguments;
      call_.state = CallState::kClosed;
      break;
    case Action::kPrototype:
      ok = state == CallState::kClosed && values[0].is_imm() && EndCall(&values[0], upgraded);
      break;
    case Action::kEnd:
      ok = state == CallState::kInArguments && EndCall(nullptr, upgraded);
      break;
    case Action::kNothing:
    case Action::kEmit:
      break;
  }
  return ok ? std::string() : kOutOfOrder;
}

// Returns false if the opcode needs a prototype and there is none, or the other way around.
bool InstrUpgrader::EndCall(const MachineOperand* prototype, std::vector<UpgradedInstr>* upgraded) {
  UpgradedInstr instr = {
      call_.opcode,
      {call_.callee, MachineOperand::CreateImm(call_.has_result), MachineOperand::CreateImm(call_.num_arguments)}};
  if (prototype != nullptr) instr.operands.push_back(*prototype);
  call_ = {};
  const bool ok = instr.operands.size() == function_.target().Get(instr.opcode).num_operands;
  upgraded->push_back(std::move(instr));
  return ok;
}

}  // namespace ptxmir

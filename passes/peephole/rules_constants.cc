// SPDX-License-Identifier: Apache-2.0

// Constants: computed in the compiler, and put into the forms of instructions and the operands that take one. Copies.

#include <algorithm>

#include "analysis/values/integer_facts.h"
#include "passes/peephole/peephole_rule.h"
#include "passes/peephole/value_type.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/opcode_forms.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::peephole {
namespace {

using ptx::Family;

bool IsRegister(const MachineOperand& operand) { return operand.is_use() && operand.reg().is_valid(); }

// ---- Folding.

// Returns true if all registers that the instruction reads are constant, or all but `*variable`, which is read once.
bool HasAtMostOneVariable(const PeepholeEditor& editor, const MachineInstr& instr, const MachineOperand** variable) {
  *variable = nullptr;
  bool reads_any = false;
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_use() || !operand.reg().is_valid()) continue;
    reads_any = true;
    if (editor.MovedConstant(operand) != nullptr) continue;
    if (*variable != nullptr) return false;
    *variable = &operand;
  }
  return reads_any;
}

// Computes instructions whose sources are all constant.
bool FoldConstants(PeepholeEditor& editor, MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.is_pure() || info.family == Family::kMov || instr.num_operands() < 2) return false;
  const MachineOperand* variable = nullptr;
  if (!HasAtMostOneVariable(editor, instr, &variable)) {
    // Also an instruction of immediates, such as SHL32_ii.
    if (variable != nullptr || !instr.operand(1).is_imm()) return false;
  }
  if (variable != nullptr) return false;
  const std::optional<uint64_t> value = editor.Evaluate(instr, Register(), 0);
  return value.has_value() && editor.ReplaceByConstant(instr, *value);
}

// The form of selp with two immediates that gives a register of the class.
std::optional<Opcode> SelectOfConstants(RegClassId reg_class) {
  switch (reg_class) {
    case ptx::reg_class::kB16:
      return ptx::FindForm(ptx::SemanticTag::kSelpB16, "ii");
    case ptx::reg_class::kB32:
      return ptx::FindForm(ptx::SemanticTag::kSelpB32, "ii");
    case ptx::reg_class::kB64:
      return ptx::FindForm(ptx::SemanticTag::kSelpB64, "ii");
    default:
      return std::nullopt;
  }
}

// selp d, c1, c2, p; op e, d, c3  =>  selp e, (c1 op c3), (c2 op c3), p. If e is a predicate, it is p, not p or
// constant.
bool FoldSelectedConstants(PeepholeEditor& editor, MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.is_pure() || info.family == Family::kMov || instr.num_operands() < 2) return false;
  const MachineOperand* variable = nullptr;
  if (!HasAtMostOneVariable(editor, instr, &variable) || variable == nullptr) return false;
  const MachineInstr* const select = editor.DefOf(*variable, Family::kSelp);
  if (select == nullptr || !select->operand(3).reads_reg()) return false;
  const Register result = instr.operand(0).reg();
  const bool gives_predicate = editor.BitsOf(result) == 1;
  if (!gives_predicate && !editor.IsOnlyUse(*variable)) return false;
  const unsigned bits = editor.BitsOf(variable->reg());
  const std::optional<uint64_t> chosen = editor.Constant(select->operand(1), bits);
  const std::optional<uint64_t> other = editor.Constant(select->operand(2), bits);
  if (!chosen.has_value() || !other.has_value()) return false;
  const std::optional<uint64_t> if_true = editor.Evaluate(instr, variable->reg(), *chosen);
  const std::optional<uint64_t> if_false = editor.Evaluate(instr, variable->reg(), *other);
  if (!if_true.has_value() || !if_false.has_value()) return false;
  if (*if_true == *if_false) return editor.ReplaceByConstant(instr, *if_true);
  const MachineOperand predicate = select->operand(3);
  if (gives_predicate) {
    return *if_true != 0 ? editor.Replace(instr, predicate) : editor.Rewrite(instr, ptx::op::NOT_pred, {predicate});
  }
  const unsigned result_bits = editor.BitsOf(result);
  return editor.Rewrite(
      instr, SelectOfConstants(editor.reg_info().reg_class(result)),
      {Immediate(static_cast<uint64_t>(IntegerFacts::SignExtend(*if_true, result_bits))),
       Immediate(static_cast<uint64_t>(IntegerFacts::SignExtend(*if_false, result_bits))), predicate});
}

// ---- Immediates.

// Returns the immediate operand for a constant that an instruction of this type takes in place of a register of `bits`
// bits. The text of a float differs from that of an integer with its bits.
std::optional<MachineOperand> ImmediateOf(const MachineOperand& constant, unsigned bits, bool is_float) {
  using FPWidth = MachineOperand::FPWidth;
  if (constant.is_fp_imm() == is_float && (!is_float || bits >= 32)) return constant;
  if (is_float) {
    if (bits != 32 && bits != 64) return std::nullopt;
    const uint64_t value = static_cast<uint64_t>(constant.imm()) & IntegerFacts::LowMask(bits);
    return MachineOperand::CreateFPImm(bits == 32 ? FPWidth::kFloat : FPWidth::kDouble, value);
  }
  return MachineOperand::CreateImm(IntegerFacts::SignExtend(constant.fp_bits(), bits));
}

bool TakeImmediate(PeepholeEditor& editor, MachineInstr& instr, unsigned operand, const MachineOperand& constant) {
  const std::optional<Opcode> form = ptx::FormWithImmediate(instr.opcode(), operand);
  if (!form.has_value() || !editor.Supports(*form)) return false;
  const MachineOperand& old = instr.operand(operand);
  const ValueType type = ValueTypeOf(instr.opcode());
  const bool is_float = type.is_float() && editor.BitsOf(old.reg()) == type.bits;
  const std::optional<MachineOperand> immediate = ImmediateOf(constant, editor.BitsOf(old.reg()), is_float);
  if (!immediate.has_value()) return false;
  editor.SetOpcode(instr, *form);
  return editor.SetOperand(instr, operand, *immediate);
}

// Exchanges the first two sources, so that the second one is the constant.
bool CommuteConstant(PeepholeEditor& editor, MachineInstr& instr, unsigned operand) {
  const unsigned first = instr.desc().num_defs;
  if (!ptx::InstrInfo(instr.opcode()).is_commutable() || operand != first) return false;
  if (!IsRegister(instr.operand(first + 1)) || editor.MovedConstant(instr.operand(first + 1)) != nullptr) return false;
  if (!ptx::FormWithImmediate(instr.opcode(), first + 1).has_value()) return false;
  // Of two NaNs, arithmetic of doubles gives the first.
  if (const ValueType type = ValueTypeOf(instr.opcode()); type.is_float() && type.bits == 64) return false;
  const MachineOperand a = ReadOf(instr.operand(first));
  const MachineOperand b = ReadOf(instr.operand(first + 1));
  editor.SetOperand(instr, first, b);
  return editor.SetOperand(instr, first + 1, a);
}

// add.s32 d, a, %c with %c = mov.b32 5  =>  add.s32 d, a, 5
bool FoldImmediate(PeepholeEditor& editor, MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (info.family == Family::kGeneric || info.is_move()) return false;
  const unsigned num_operands = std::min<unsigned>(instr.num_operands(), instr.desc().num_operands);
  for (unsigned i = instr.desc().num_defs; i < num_operands; ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!IsRegister(operand)) continue;
    const MachineOperand* const constant = editor.MovedConstant(operand);
    if (constant == nullptr) continue;
    if (TakeImmediate(editor, instr, i, *constant) || CommuteConstant(editor, instr, i)) return true;
  }
  return false;
}

// Makes integers of the constant floats that a vector store already has.
void StoreIntegers(PeepholeEditor& editor, MachineInstr& store, unsigned bits) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(store.opcode());
  for (unsigned i = info.first_value; i < unsigned{info.first_value} + info.num_values; ++i) {
    const MachineOperand& value = store.operand(i);
    if (value.is_fp_imm()) editor.SetOperand(store, i, *ImmediateOf(value, bits, /*is_float=*/false));
  }
}

// st.b32 [a], %c with %c = mov.b32 5  =>  st.b32 [a], 5. Stores take any operand where their value stands. The
// constants of a vector become integers: ptxas wants them to be of one type.
bool FoldStoredConstant(PeepholeEditor& editor, MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  const absl::Span<const OperandDesc> operands = ptx::PtxTargetInfo().Operands(instr.opcode());
  if (info.first_value == ptx::PtxInstrInfo::kNoOperand) return false;
  for (unsigned i = info.first_value; i < unsigned{info.first_value} + info.num_values && i < operands.size(); ++i) {
    const auto role = static_cast<ptx::OperandRole>(operands[i].role);
    const bool takes_constant = role == ptx::OperandRole::kRegimm || role == ptx::OperandRole::kRegorsink;
    if (!takes_constant || !IsRegister(instr.operand(i))) continue;
    const MachineOperand* const constant = editor.MovedConstant(instr.operand(i));
    if (constant == nullptr) continue;
    const unsigned bits = editor.BitsOf(instr.operand(i).reg());
    const bool is_float = constant->is_fp_imm() && info.num_values == 1;
    const std::optional<MachineOperand> immediate = ImmediateOf(*constant, bits, is_float);
    if (!immediate.has_value()) continue;
    if (info.num_values > 1) StoreIntegers(editor, instr, bits);
    return editor.SetOperand(instr, i, *immediate);
  }
  return false;
}

constexpr Family kStores[] = {Family::kSt};

constexpr PeepholeRule kConstantRules[] = {
    {.name = "instructions of constants folded", .sources = kMovedSource | kNoRegister, .apply = FoldConstants},
    {.name = "instructions of selected constants folded",
     .passes = kStock | kNvvm,
     .sources = kSelectedSource,
     .apply = FoldSelectedConstants},
    {.name = "constants folded into forms with an immediate", .sources = kMovedSource, .apply = FoldImmediate},
    {.name = "constants folded into stores", .families = kStores, .sources = kMovedSource, .apply = FoldStoredConstant},
};

}  // namespace

absl::Span<const PeepholeRule> ConstantRules() { return kConstantRules; }

}  // namespace ptxmir::peephole

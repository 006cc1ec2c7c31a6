// SPDX-License-Identifier: Apache-2.0

#include "passes/peephole/comparison.h"

#include "ptx/isa/isa_enums.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::peephole {

ComparisonCode Comparison::Inverse() const {
  // eq, ne, lt, le, gt, ge, and their counterparts
  static constexpr ComparisonCode kOfFloats[] = {kNeu, kEqu, kGeu, kGtu, kLeu, kLtu, kNe,
                                                 kEq,  kGe,  kGt,  kLe,  kLt,  kNan, kNum};
  static constexpr ComparisonCode kOfIntegers[] = {kNe, kEq, kGe, kGt, kLe, kLt, kEqu, kNeu, kGeu, kGtu, kLeu, kLtu};
  return type.is_float() ? kOfFloats[code] : kOfIntegers[code];
}

unsigned CodeOperand(const MachineInstr& setp) { return setp.desc().num_defs + 2u; }

std::optional<Comparison> ComparisonOf(const MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (info.family != ptx::Family::kSetp || instr.desc().num_defs != 1) return std::nullopt;
  const ValueType type = ValueTypeOf(instr.opcode());
  const MachineOperand& code = instr.operand(CodeOperand(instr));
  if ((!type.is_integer() && !type.is_float()) || !code.is_imm() || code.imm() < 0 || code.imm() > kNan) {
    return std::nullopt;
  }
  // Integers have no codes 6 and 7, nor 12 and 13.
  const bool is_unordered_equality = code.imm() == kEqu || code.imm() == kNeu || code.imm() >= kNum;
  if (type.is_integer() && is_unordered_equality) return std::nullopt;
  const unsigned ftz = CodeOperand(instr) + 1;
  const bool flushes = ftz < instr.num_operands() && instr.operand(ftz).imm() != 0;
  return Comparison{static_cast<ComparisonCode>(code.imm()), type, flushes};
}

}  // namespace ptxmir::peephole

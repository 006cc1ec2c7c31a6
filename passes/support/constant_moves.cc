// SPDX-License-Identifier: Apache-2.0

#include "passes/support/constant_moves.h"

#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::optional<Opcode> IntegerMove(RegClassId reg_class) {
  switch (reg_class) {
    case ptx::reg_class::kB1:
      return ptx::op::MOV_B1_i;
    case ptx::reg_class::kB16:
      return ptx::op::MOV_B16_i;
    case ptx::reg_class::kB32:
      return ptx::op::MOV_B32_i;
    case ptx::reg_class::kB64:
      return ptx::op::MOV_B64_i;
    default:
      return std::nullopt;
  }
}

std::optional<Opcode> FloatMove(MachineOperand::FPWidth width, RegClassId reg_class) {
  switch (width) {
    case MachineOperand::FPWidth::kHalf:
      return reg_class == ptx::reg_class::kB16 ? std::optional(ptx::op::MOV_F16_i) : std::nullopt;
    case MachineOperand::FPWidth::kBFloat:
      return reg_class == ptx::reg_class::kB16 ? std::optional(ptx::op::MOV_BF16_i) : std::nullopt;
    case MachineOperand::FPWidth::kFloat:
      return reg_class == ptx::reg_class::kB32 ? std::optional(ptx::op::MOV_F32_i) : std::nullopt;
    case MachineOperand::FPWidth::kDouble:
      return reg_class == ptx::reg_class::kB64 ? std::optional(ptx::op::MOV_F64_i) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

RegClassId ClassOfBits(unsigned bits) {
  return bits == 64 ? ptx::reg_class::kB64 : bits == 32 ? ptx::reg_class::kB32 : ptx::reg_class::kB16;
}

std::optional<Opcode> ConstantMove(const MachineOperand& constant, RegClassId reg_class) {
  if (constant.is_fp_imm()) return FloatMove(constant.fp_width(), reg_class);
  return constant.is_imm() ? IntegerMove(reg_class) : std::nullopt;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "passes/support/constant_moves.h"

#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::optional<Opcode> FloatMove(MachineOperand::FPWidth width, unsigned bits) {
  switch (width) {
    case MachineOperand::FPWidth::kHalf:
      return bits == 16 ? std::optional(ptx::op::MOV_F16_i) : std::nullopt;
    case MachineOperand::FPWidth::kBFloat:
      return bits == 16 ? std::optional(ptx::op::MOV_BF16_i) : std::nullopt;
    case MachineOperand::FPWidth::kFloat:
      return bits == 32 ? std::optional(ptx::op::MOV_F32_i) : std::nullopt;
    case MachineOperand::FPWidth::kDouble:
      return bits == 64 ? std::optional(ptx::op::MOV_F64_i) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

RegClassId ClassOfBits(unsigned bits) {
  return bits == 64 ? ptx::reg_class::kB64 : bits == 32 ? ptx::reg_class::kB32 : ptx::reg_class::kB16;
}

std::optional<Opcode> ConstantMove(const MachineOperand& constant, unsigned bits) {
  if (constant.is_fp_imm()) return FloatMove(constant.fp_width(), bits);
  if (!constant.is_imm()) return std::nullopt;
  return bits == 64 ? ptx::op::MOV_B64_i : bits == 32 ? ptx::op::MOV_B32_i : ptx::op::MOV_B16_i;
}

}  // namespace ptxmir

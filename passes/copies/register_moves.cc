// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/register_moves.h"

#include <utility>
#include <vector>

#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// Returns true if the instruction is a COPY or a move of its second operand to its first one, which is a virtual
// register.
bool HasFormOfMove(const MachineInstr& instr) {
  if (instr.num_operands() != 2 || instr.extra() != nullptr || instr.has_flag(MachineInstr::kBundledPred) ||
      instr.has_flag(MachineInstr::kBundledSucc)) {
    return false;
  }
  const MachineOperand& result = instr.operand(0);
  if (!result.is_def() || !result.reg().is_virtual() || result.is_implicit() || result.is_tied()) return false;
  return instr.is_copy() || ptx::InstrInfo(instr.opcode()).is_move();
}

}  // namespace

bool IsRegisterMove(const MachineInstr& instr) {
  if (!HasFormOfMove(instr)) return false;
  const MachineOperand& source = instr.operand(1);
  if (!source.reads_reg() || !source.reg().is_virtual() || source.is_implicit()) return false;
  const MachineRegisterInfo& reg_info = instr.function().reg_info();
  return reg_info.reg_class(source.reg()) == reg_info.reg_class(instr.operand(0).reg());
}

bool IsMoveOfConstant(const MachineInstr& instr) {
  if (!HasFormOfMove(instr)) return false;
  const MachineOperand& source = instr.operand(1);
  return source.is_imm() || source.is_fp_imm() || source.is_global() || source.is_symbol();
}

bool MayContainMoves(const MachineFunction& function) {
  return function.MayContainAny(
      [](Opcode opcode) { return opcode == generic::kCopy || ptx::InstrInfo(opcode).is_move(); });
}

uint64_t RemoveMovesInSsa(MachineFunction& function) {
  MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<Register> extended;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
      next = instr->next();
      if (!IsRegisterMove(*instr)) continue;
      const Register result = instr->operand(0).reg();
      const Register source = instr->operand(1).reg();
      if (source == result || reg_info.UniqueDef(source) == nullptr) continue;
      instr->EraseFromParent();
      reg_info.ReplaceRegister(result, source);
      extended.push_back(source);
    }
  }
  const uint64_t num_removed = extended.size();
  ClearKillFlags(reg_info, std::move(extended));
  return num_removed;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/redundant_moves.h"

#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "passes/copies/register_moves.h"
#include "passes/ssa/expression_table.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// Erases the moves of constants that a register of the same class and block has already. Returns their number.
uint64_t RemoveRepeatedConstants(MachineFunction& function) {
  MachineRegisterInfo& reg_info = function.reg_info();
  ExpressionTable constants(SourceOrder::kGiven);
  std::vector<Register> extended;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
      next = instr->next();
      if (!IsMoveOfConstant(*instr)) continue;
      const size_t hash = constants.Hash(*instr);
      MachineInstr* const first = constants.FindIf(*instr, hash, [&](const MachineInstr& earlier) {
        return reg_info.reg_class(earlier.operand(0).reg()) == reg_info.reg_class(instr->operand(0).reg());
      });
      if (first == nullptr) {
        constants.Add(*instr, hash);
        continue;
      }
      KeepCommonPromises(*first, *instr);
      const Register result = instr->operand(0).reg();
      extended.push_back(first->operand(0).reg());
      instr->EraseFromParent();
      reg_info.ReplaceRegister(result, extended.back());
    }
    constants.ShrinkTo(0);
  }
  const uint64_t num_removed = extended.size();
  ClearKillFlags(reg_info, std::move(extended));
  return num_removed;
}

}  // namespace

PassResult RunRedundantMoveElimination(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || !MayContainMoves(function)) return {};
  const uint64_t num_moves = RemoveMovesInSsa(function);
  const uint64_t num_constants = RemoveRepeatedConstants(function);
  context.AddStatistic("moves between registers removed", num_moves);
  context.AddStatistic("repeated constants removed", num_constants);
  if (num_moves + num_constants == 0) return {};
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "MovesRemoved", function)
           << RemarkArg("NumMoves", num_moves) << " moves between registers and "
           << RemarkArg("NumConstants", num_constants) << " repeated constants removed";
  });
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir

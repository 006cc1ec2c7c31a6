// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_allowance.h"

#include <algorithm>

namespace ptxmir {
namespace {

RematCost Percentage(RematCost cost, int32_t percent) {
  return static_cast<RematCost>(static_cast<__int128>(cost) * percent / 100);
}

}  // namespace

RematAllowance::RematAllowance(const MachineFunction& function, const RematPlanner& planner, const MachineLoops& loops,
                               int32_t percent, int32_t percent_in_loop)
    : loop_of_block_(function.block_number_bound()), executions_(function.block_number_bound()) {
  RematCost executed = 0;
  std::vector<RematCost> executed_in_loop(loops.num_cycles() + size_t{1});
  for (const MachineBasicBlock& block : function) {
    const BlockNumber number = block.number();
    const CycleId loop = loops.InnermostCycle(block);
    loop_of_block_[number] = loop == CycleForest::kNoCycle ? 0 : size_t{loop} + 1;
    executions_[number] = planner.Executions(number);
    RematCost instrs = 0;
    for (const MachineInstr& instr : block) instrs += !instr.is_debug() && !instr.is_phi();
    executed += instrs * executions_[number];
    executed_in_loop[loop_of_block_[number]] += instrs * executions_[number];
  }
  left_ = Percentage(executed, percent);
  if (percent_in_loop == kNoLimit) return;
  for (const RematCost cost : executed_in_loop) left_in_loop_.push_back(Percentage(cost, percent_in_loop));
}

bool RematAllowance::Spend(const RematPlan& plan) {
  if (plan.added > 0 && plan.added > left_) return false;
  AddToLoops(plan, 1);
  const bool is_allowed = plan.added <= 0 || left_in_loop_.empty() ||
                          std::all_of(plan.clones.begin(), plan.clones.end(),
                                      [&](const RematClone& clone) { return left_in_loop_[LoopOf(clone)] >= 0; });
  if (is_allowed) {
    left_ -= plan.added;
  } else {
    AddToLoops(plan, -1);
  }
  return is_allowed;
}

void RematAllowance::Return(const RematPlan& plan) {
  left_ += plan.added;
  AddToLoops(plan, -1);
}

void RematAllowance::AddToLoops(const RematPlan& plan, int sign) {
  if (left_in_loop_.empty()) return;
  for (const RematClone& clone : plan.clones) {
    const RematCost added = static_cast<RematCost>(clone.chain.size()) * executions_[clone.place.block];
    left_in_loop_[LoopOf(clone)] -= sign * added;
  }
}

}  // namespace ptxmir

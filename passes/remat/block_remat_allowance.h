// SPDX-License-Identifier: Apache-2.0

// Limits how much more a function executes after rematerialization, by the frequencies of its blocks: by a percentage
// over the whole function, and by another one in each loop without the loops that it contains. Frequencies are
// estimates. Where they take an inner loop to be executed far more often than it is, a small part of the whole would be
// a large part of the loops around it.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_ALLOWANCE_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_ALLOWANCE_H_

#include <cstddef>
#include <vector>

#include "analysis/control_flow/machine_loops.h"
#include "mir/code/machine_function.h"
#include "passes/remat/block_remat_plan.h"

namespace ptxmir {

class RematAllowance {
 public:
  static constexpr int32_t kNoLimit = -1;

  // Takes percentages of what the function executes now. `percent_in_loop` may be kNoLimit. Instructions that are in no
  // loop count as one loop.
  RematAllowance(const MachineFunction& function, const RematPlanner& planner, const MachineLoops& loops,
                 int32_t percent, int32_t percent_in_loop);

  // Spends what the plan adds. If that is more than is left, returns false and spends nothing. Plans after which less
  // is executed are always allowed.
  bool Spend(const RematPlan& plan);
  // Takes back what a plan spent.
  void Return(const RematPlan& plan);

 private:
  size_t LoopOf(const RematClone& clone) const { return loop_of_block_[clone.place.block]; }
  // Adds what the clones of the plan execute to what is spent in their loops; `sign` is -1 to subtract it.
  void AddToLoops(const RematPlan& plan, int sign);

  RematCost left_ = 0;
  std::vector<size_t> loop_of_block_;    // 0: in no loop
  std::vector<RematCost> executions_;    // by block
  std::vector<RematCost> left_in_loop_;  // by loop; empty if there is no limit
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_ALLOWANCE_H_

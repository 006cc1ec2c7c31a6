// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/backward_reachability.h"

#include <cstddef>

namespace ptxmir {

BackwardReachability::BackwardReachability(const MachineFunction& function)
    : blocks_(function.block_number_bound()), first_predecessor_(function.block_number_bound() + 1) {
  for (const MachineBasicBlock& block : function) {
    first_predecessor_[block.number() + 1] = static_cast<uint32_t>(block.predecessors().size());
  }
  for (size_t i = 1; i < first_predecessor_.size(); ++i) first_predecessor_[i] += first_predecessor_[i - 1];
  predecessors_.resize(first_predecessor_.back());
  for (const MachineBasicBlock& block : function) {
    uint32_t next = first_predecessor_[block.number()];
    for (const MachineBasicBlock* predecessor : block.predecessors()) predecessors_[next++] = predecessor->number();
  }
}

void BackwardReachability::Search() {
  // The list of blocks that the value is live into grows while the loop runs over it.
  for (size_t next = 0; next < live_in_.size(); ++next) {
    const BlockNumber block = live_in_[next];
    if (blocks_[block].defined_on_edges == value_) continue;
    for (uint32_t i = first_predecessor_[block]; i < first_predecessor_[block + 1]; ++i) ReachEnd(predecessors_[i]);
  }
}

}  // namespace ptxmir

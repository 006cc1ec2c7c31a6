// SPDX-License-Identifier: Apache-2.0

// NaturalLoops: the loops of an IR function, by block. An edge to a block that dominates its source is the back edge of
// a loop: all blocks that reach it without going through its target, the header. Loops with one header are one loop.
// Irreducible cycles are not loops. As analysis/control_flow/machine_loops.h for machine code.

#ifndef PTXMIR_IR_FREQUENCY_NATURAL_LOOPS_H_
#define PTXMIR_IR_FREQUENCY_NATURAL_LOOPS_H_

#include <cstdint>
#include <vector>

#include "ir/code/basic_block.h"
#include "ir/code/dominators.h"
#include "ir/code/function.h"

namespace ptxmir::ir {

class NaturalLoops {
 public:
  using Loop = uint32_t;
  static constexpr Loop kNone = ~Loop{0};

  // The function must be as it was when the dominators were computed.
  NaturalLoops(const Function& function, const Dominators& dominators);

  uint32_t num_loops() const { return static_cast<uint32_t>(parents_.size()); }
  // Returns the innermost loop that contains the block, or kNone.
  Loop LoopOf(const BasicBlock& block) const { return innermost_[block.number()]; }
  // Returns the loop around a loop, or kNone.
  Loop Parent(Loop loop) const { return parents_[loop]; }
  // Returns true if `inner` is `outer` or inside it. Everything is inside kNone, which is inside of itself only.
  bool Contains(Loop outer, Loop inner) const;

 private:
  std::vector<Loop> innermost_;  // by block number
  std::vector<Loop> parents_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_FREQUENCY_NATURAL_LOOPS_H_

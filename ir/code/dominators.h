// SPDX-License-Identifier: Apache-2.0

// The dominator tree of a function as it is now. Edits make it stale.

#ifndef PTXMIR_IR_CODE_DOMINATORS_H_
#define PTXMIR_IR_CODE_DOMINATORS_H_

#include <cstdint>
#include <vector>

#include "ir/code/function.h"

namespace ptxmir::ir {

class Dominators {
 public:
  // Numbers the function's values (Function::NumberValues).
  explicit Dominators(Function& function);

  bool IsReachable(const BasicBlock& block) const { return nodes_[block.number()].is_reachable; }
  // Returns the immediate dominator; null for the entry and for unreachable blocks.
  const BasicBlock* ImmediateDominator(const BasicBlock& block) const {
    const uint32_t parent = nodes_[block.number()].parent;
    return parent == kNone ? nullptr : function_.blocks()[parent];
  }
  // Returns, by number, the blocks that each block dominates immediately, in their order.
  std::vector<std::vector<BasicBlock*>> Children() const;
  // Both blocks must be reachable. A block dominates itself.
  bool Dominates(const BasicBlock& a, const BasicBlock& b) const {
    const Node& above = nodes_[a.number()];
    const Node& below = nodes_[b.number()];
    return above.enter <= below.enter && below.leave <= above.leave;
  }
  // Returns true if the definition is available at a use: for a PHI, at the end of the incoming block. Everything is
  // available in unreachable code.
  bool IsAvailable(const Instruction& definition, const Use& use) const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Node {
    uint32_t parent = kNone;
    uint32_t enter = 0;  // the interval of depth-first numbers below the block
    uint32_t leave = 0;
    bool is_reachable = false;
  };

  Function& function_;
  std::vector<Node> nodes_;  // by block number
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_DOMINATORS_H_

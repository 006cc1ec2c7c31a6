// Which blocks dominate which, for the verifier, which must not rely on an analysis that a pass may
// have left wrong.
//
// The semi-NCA algorithm (Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems",
// 2005) on dense preorder numbers, without recursion. Dominance is then containment of intervals of
// a preorder of the tree.

#ifndef PTXMIR_MIR_VERIFIER_DOMINANCE_H_
#define PTXMIR_MIR_VERIFIER_DOMINANCE_H_

#include <cstdint>
#include <vector>

#include "mir/machine_function.h"

namespace ptxmir {

class BlockDominance {
 public:
  // The function's edges must be in order.
  explicit BlockDominance(const MachineFunction& function);

  bool IsReachable(const MachineBasicBlock& block) const {
    return order_[block.number()] != kUnreached;
  }
  // Both must be reachable. A block dominates itself.
  bool Dominates(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    const uint32_t first = tree_first_[order_[a.number()]];
    const uint32_t at = tree_first_[order_[b.number()]];
    return at >= first && at - first < tree_size_[order_[a.number()]];
  }

 private:
  static constexpr uint32_t kUnreached = ~uint32_t{0};

  void NumberBlocks(const MachineFunction& function);
  void ComputeDominators();
  // The vertex with the smallest semidominator on the path above `vertex`, up to those numbered
  // `last_linked` and more.
  uint32_t Evaluate(uint32_t vertex, uint32_t last_linked);
  void NumberTree();

  std::vector<uint32_t> order_;  // by block number: number in depth-first order
  std::vector<const MachineBasicBlock*> blocks_;
  // By number in depth-first order.
  std::vector<uint32_t> parent_, semi_, label_, dominator_;
  std::vector<uint32_t> tree_first_, tree_size_;
  std::vector<uint32_t> path_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFIER_DOMINANCE_H_

// SPDX-License-Identifier: Apache-2.0

// The comparisons that hold on the edges of a function, because a conditional branch takes the edge only then.
//
// A condition on an edge to a block with one predecessor holds in all blocks that this block dominates. In SSA form, it
// then speaks of the same values as a use there: a register cannot have got a new value without the edge being taken
// again. A condition on any edge holds for what a PHI takes from it. Conjunctions are taken apart.

#ifndef PTXMIR_ANALYSIS_VALUES_EDGE_CONDITIONS_H_
#define PTXMIR_ANALYSIS_VALUES_EDGE_CONDITIONS_H_

#include <cstdint>
#include <vector>

#include "analysis/control_flow/dominator_tree.h"
#include "analysis/values/integer_transfer.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// `subject` `comparison` `other`, or a constant if `other` is not valid.
struct EdgeCondition {
  Register subject;
  IntegerComparison comparison;
  Register other;
  uint64_t constant = 0;
  BlockNumber from;
  BlockNumber to;
  bool holds_below;  // `to` has no other predecessor
};

class EdgeConditions {
 public:
  EdgeConditions(const MachineFunction& function, const DominatorTree& dominators);

  bool HasConditionsOn(Register reg) const {
    return reg.virtual_index() < first_.size() && first_[reg.virtual_index()] != kNone;
  }
  // Calls `visit(condition)` for the conditions on a register that hold in the block.
  template <typename Visitor>
  void ForEachIn(Register reg, const MachineBasicBlock& block, Visitor visit) const {
    ForEach(reg, [&](const EdgeCondition& condition) {
      if (condition.holds_below && dominators_.Dominates(*function_.block(condition.to), block)) visit(condition);
    });
  }
  // Calls `visit(condition)` for those that hold on the edge, but not in the block that it leaves.
  template <typename Visitor>
  void ForEachOn(Register reg, BlockNumber from, BlockNumber to, Visitor visit) const {
    ForEach(reg, [&](const EdgeCondition& condition) {
      if (condition.from == from && condition.to == to) visit(condition);
    });
  }
  // Calls `visit(subject)` for the registers that are compared with this one.
  template <typename Visitor>
  void ForEachComparedWith(Register reg, Visitor visit) const {
    if (reg.virtual_index() >= first_compared_.size()) return;
    for (uint32_t i = first_compared_[reg.virtual_index()]; i != kNone; i = next_compared_[i]) {
      visit(conditions_[i].subject);
    }
  }
  const DominatorTree& dominators() const { return dominators_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr int kMaxDepth = 4;        // of nested predicates
  static constexpr int kMaxConditions = 16;  // the most that a query looks at

  template <typename Visitor>
  void ForEach(Register reg, Visitor visit) const {
    if (!HasConditionsOn(reg)) return;
    int left = kMaxConditions;
    for (uint32_t i = first_[reg.virtual_index()]; i != kNone && left > 0; i = next_[i], --left) visit(conditions_[i]);
  }

  void AddBranch(const MachineBasicBlock& block);
  void AddPredicate(Register predicate, bool value, EdgeCondition edge, int depth);
  void AddComparison(const MachineInstr& compare, bool value, EdgeCondition edge);
  void Add(const EdgeCondition& condition);

  const MachineFunction& function_;
  const DominatorTree& dominators_;
  std::vector<EdgeCondition> conditions_;
  // Lists of conditions: by subject, and by the register that it is compared with. The last one added comes first.
  std::vector<uint32_t> first_;
  std::vector<uint32_t> next_;
  std::vector<uint32_t> first_compared_;
  std::vector<uint32_t> next_compared_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_EDGE_CONDITIONS_H_

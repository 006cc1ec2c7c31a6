// SPDX-License-Identifier: Apache-2.0

// The decisions of machine-cse. The pass itself (machine_cse.h) walks the dominator tree and edits; a policy says
// which instructions take part, what may be replaced, and what is hoisted so that it can be replaced. There are two
// policies: cse_within_pressure.h and cse_like_llvm.h.

#ifndef PTXMIR_PASSES_SSA_CSE_POLICY_H_
#define PTXMIR_PASSES_SSA_CSE_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"
#include "passes/ssa/expression_table.h"

namespace ptxmir {

// When operands that are copies are replaced by their sources.
enum class CopyLookThrough : uint8_t {
  kNever,
  kBeforeSearch,  // in each candidate, before an equal expression is searched for
  kIfNotFound,    // only if none is found, before a second search
};

class CsePolicy {
 public:
  struct Search {
    SourceOrder source_order;
    CopyLookThrough copies;
  };

  explicit CsePolicy(Search search) : search_(search) {}
  CsePolicy(const CsePolicy&) = delete;
  CsePolicy& operator=(const CsePolicy&) = delete;
  virtual ~CsePolicy() = default;

  const Search& search() const { return search_; }

  // Returns the preorder of the dominator tree in which the blocks are visited.
  virtual std::vector<BlockNumber> Order() const = 0;
  // Returns true if the results of the instruction depend only on its operands, so that an equal instruction above
  // it may take its place.
  virtual bool IsCandidate(const MachineInstr& instr) const = 0;
  // Hoists expressions before the walk, which visits the blocks in this order.
  virtual void HoistBeforeWalk(const std::vector<BlockNumber>& /*order*/) {}
  // Called for a candidate if no dominating block computes the same. Hoists the same expression from a block that was
  // visited earlier to one that dominates the candidate, and returns it there. Returns null if nothing was hoisted.
  virtual MachineInstr* HoistForCandidate(const MachineInstr& /*instr*/, size_t /*hash*/) { return nullptr; }
  // Returns true if users of `instr` should read the results of `earlier` instead, which computes the same.
  virtual bool MayReplace(const MachineInstr& instr, const MachineInstr& earlier) = 0;
  // Called for a candidate that stays.
  virtual void DidKeep(MachineInstr& /*instr*/, size_t /*hash*/) {}
  // Reports the decisions, after the walk.
  virtual void Report() const {}

 private:
  const Search search_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_CSE_POLICY_H_

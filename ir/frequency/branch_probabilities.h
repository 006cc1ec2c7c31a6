// SPDX-License-Identifier: Apache-2.0

// BranchProbabilities: how likely each edge of an IR function is, by the rules of LLVM's BranchProbabilityInfo, which
// llc uses when it selects instructions:
//
//   1. the weights in !prof metadata;
//   2. blocks that end in unreachable code, do not return, or call cold functions are unlikely, and so are blocks from
//      which all paths lead there; edges out of a loop are 31 times less likely than those that stay inside;
//   3. pointers are mostly not equal, 5 to 3;
//   4. integers are mostly neither 0, -1 nor negative, 5 to 3;
//   5. floating-point numbers are mostly not equal, 5 to 3, and almost never NaN.
//
// The first rule that says something about a block decides; otherwise its edges are equally likely. Ball and Larus,
// "Branch Prediction for Free" (PLDI 1993), is where most of these rules come from.
//
// Differences from LLVM: LLVM takes "fcmp oeq" for likely, although its comment says the opposite; weights of unlikely
// blocks go up from successors to predecessors only, not along lines of dominators besides; irreducible cycles count as
// no loops; successors that the values of PHIs make unlikely, the estimated trip counts of loops, and comparisons of
// what strcmp and its like return are not looked at.

#ifndef PTXMIR_IR_FREQUENCY_BRANCH_PROBABILITIES_H_
#define PTXMIR_IR_FREQUENCY_BRANCH_PROBABILITIES_H_

#include <cstdint>
#include <vector>

#include "ir/code/function.h"

namespace ptxmir::ir {

class BranchProbabilities {
 public:
  // A probability is a numerator over this number, as in machine code.
  static constexpr uint32_t kOne = 1u << 31;

  // Numbers the function's values (Function::NumberValues).
  explicit BranchProbabilities(Function& function);

  // Returns the probability of the edge to the successor with that index. Those of a block add up to one, rounding
  // aside.
  uint32_t Edge(const BasicBlock& block, unsigned successor) const {
    return edges_[first_edge_[block.number()] + successor];
  }

 private:
  std::vector<uint32_t> first_edge_;  // by block number
  std::vector<uint32_t> edges_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_FREQUENCY_BRANCH_PROBABILITIES_H_

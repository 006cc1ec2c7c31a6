// SPDX-License-Identifier: Apache-2.0

// known-bits: the known bits and the ranges of integers and predicates in virtual registers, in SSA form.
//
// Facts come from constants, special registers (special_register_ranges.h), the widths and !range metadata of loads,
// and from the transfer functions of operations (integer_transfer.h). A branch tells more: in the blocks that an edge
// dominates, the condition of the edge holds, and so it does for a value that a PHI takes from this edge. At() takes
// that into account, Of() does not.
//
// The solution is that of abstract interpretation (Cousot and Cousot 1977), on SSA values: PHIs are optimistic, values
// are computed in reverse postorder and again where an operand changed, and the ranges of a PHI that still grow after
// a few rounds are widened to the largest ones. One more round then narrows what was widened, by the conditions of
// loops. The number of rounds is bounded; after that, all PHIs of loops are unknown.
//
// A PHI that counts from a known start by a constant step, until it is equal to a bound, stays between them, although
// "not equal" says nothing about a range: LLVM writes the exits of loops that way.
//
// A register with several definitions, or with none that is reached, has no facts but its width. Facts hold as long as
// registers keep their values, also while a pass rewrites how they are computed.

#ifndef PTXMIR_ANALYSIS_VALUES_KNOWN_BITS_H_
#define PTXMIR_ANALYSIS_VALUES_KNOWN_BITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/values/edge_conditions.h"
#include "analysis/values/integer_facts.h"

namespace ptxmir {

class KnownBits : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kKnownBits;
  KnownBits(MachineFunction& function, AnalysisManager& analyses);

  // Returns what holds wherever the register is read. `bits` is 0 for a register that holds no integer of up to 64
  // bits.
  IntegerFacts Of(Register reg) const;
  // Returns what holds for the register in a block.
  IntegerFacts At(Register reg, const MachineBasicBlock& block) const;
  // Returns what holds for an operand where the instruction reads it. An immediate has `bits` bits. Anything else, or a
  // register of another width, is unknown.
  IntegerFacts OfOperand(const MachineInstr& instr, unsigned operand, unsigned bits) const;

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  friend class KnownBitsSolver;

  const MachineFunction& function_;
  EdgeConditions conditions_;
  std::vector<IntegerFacts> facts_;  // by virtual register
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_KNOWN_BITS_H_

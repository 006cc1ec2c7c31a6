// SPDX-License-Identifier: Apache-2.0

// Slow but obviously correct versions of liveness, and the comparison of LiveIntervals with them.

#ifndef PTXMIR_TESTS_ANALYSIS_LIVENESS_LIVE_REFERENCE_H_
#define PTXMIR_TESTS_ANALYSIS_LIVENESS_LIVE_REFERENCE_H_

#include <string>

#include "analysis/liveness/live_range.h"
#include "mir/code/machine_function.h"

namespace ptxmir::testing {

// Computes intervals and checks:
// - At every slot of every instruction and at block borders, a register is live if backward data flow says so.
// - The value of each use stands for the definitions that reach it according to forward data flow, through
//   PHI-defs.
// - PHI-defs are in the iterated dominance frontier of the definitions, in blocks where the register is live.
void ExpectIntervalsAsReference(MachineFunction& function, const std::string& where);

// Returns a range as text, for comparing two ranges that use the same slot indexes. RangeText includes the numbers
// of the values, PointsText does not.
std::string RangeText(const LiveRange& range);
std::string PointsText(const LiveRange& range);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_ANALYSIS_LIVENESS_LIVE_REFERENCE_H_

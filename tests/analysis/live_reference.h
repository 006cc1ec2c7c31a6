// SPDX-License-Identifier: Apache-2.0

// Slow, obviously right versions of liveness, and comparison of LiveIntervals with them.

#ifndef PTXMIR_TESTS_ANALYSIS_LIVE_REFERENCE_H_
#define PTXMIR_TESTS_ANALYSIS_LIVE_REFERENCE_H_

#include <string>

#include "analysis/live_range.h"
#include "mir/code/machine_function.h"

namespace ptxmir::testing {

// Computes intervals and expects of them:
// - At every slot of every instruction and at block borders, a register is live if backward data flow says so.
// - The value of each use stands for the definitions that reach it according to forward data flow, through PHI-defs.
// - PHI-defs stand where the iterated dominance frontier of the definitions says, and the register is live.
void ExpectIntervalsAsReference(MachineFunction& function, const std::string& where);

// A range as text, by numbers: for comparing two that have the same indexes. PointsText leaves the values out.
std::string RangeText(const LiveRange& range);
std::string PointsText(const LiveRange& range);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_ANALYSIS_LIVE_REFERENCE_H_

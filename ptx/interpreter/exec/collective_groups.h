// SPDX-License-Identifier: Apache-2.0

// Helpers for instructions that the lanes of a warp execute together: ForEachGroup for those that wait for all lanes
// (.sync.aligned), ForEachActive for those that do not.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_COLLECTIVE_GROUPS_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_COLLECTIVE_GROUPS_H_

#include <vector>

#include "ptx/interpreter/exec/warp.h"

namespace ptxmir::ptx {

// Calls `function(group)` once all live lanes of the warp have arrived. `function` returns false after a fault.
template <typename Function>
StepResult ForEachGroup(Warp& warp, const DecodedInstr& instr, Function&& function) {
  std::vector<LaneMask> groups;
  const StepResult result = warp.CollectiveGroups(instr, Warp::kAllAlive, &groups);
  if (result != StepResult::kNext) return result;
  for (LaneMask group : groups) {
    if (!function(group)) return StepResult::kFault;
  }
  return StepResult::kNext;
}

// Calls `function(lane)` for the active lanes until a call returns false, which it does after a fault.
template <typename Function>
StepResult ForEachActive(Warp& warp, Function&& function) {
  bool ok = true;
  ForEachLane(warp.active(), [&](unsigned lane) { ok = ok && function(lane); });
  return ok ? StepResult::kNext : StepResult::kFault;
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_COLLECTIVE_GROUPS_H_

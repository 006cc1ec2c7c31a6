// SPDX-License-Identifier: Apache-2.0

// The names of the steps of a SelectionDAG, for -print-before and -print-after.

#ifndef PTXMIR_COMPILER_DAG_STEPS_H_
#define PTXMIR_COMPILER_DAG_STEPS_H_

#include <iterator>
#include <optional>
#include <string_view>

namespace ptxmir {

// In the order of sdag::DagStep.
inline constexpr std::string_view kDagStepNames[] = {"dag-combine1", "dag-legalize", "dag-combine2", "dag-isel"};

// Returns the step with this name, or nullopt if there is none.
inline std::optional<unsigned> FindDagStep(std::string_view name) {
  for (unsigned step = 0; step < std::size(kDagStepNames); ++step) {
    if (kDagStepNames[step] == name) return step;
  }
  return std::nullopt;
}

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_DAG_STEPS_H_

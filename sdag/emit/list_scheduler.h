// SPDX-License-Identifier: Apache-2.0

// The list scheduler for the units of a DAG (schedule_dag_sdnodes.h describes its priorities).

#ifndef PTXMIR_SDAG_EMIT_LIST_SCHEDULER_H_
#define PTXMIR_SDAG_EMIT_LIST_SCHEDULER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sdag/emit/schedule_dag_sdnodes.h"

namespace ptxmir::sdag {

// The dependences of units in the other direction. Refers to the units by number.
class UnitSuccessors {
 public:
  explicit UnitSuccessors(absl::Span<const SUnit> units);

  // Returns the dependences on a unit, sorted by unit, each once.
  absl::Span<const SUnit::Dep> Of(uint32_t unit) const {
    return absl::MakeConstSpan(deps_).subspan(first_[unit], first_[unit + 1] - first_[unit]);
  }

 private:
  std::vector<SUnit::Dep> deps_;
  std::vector<uint32_t> first_;  // index into deps_, by unit; one more at the end
};

// Returns the 32-bit registers that the values of a unit take.
uint32_t WeightOf(const SUnit& unit);

// Returns the numbers of all units in an order in which operands precede their users.
std::vector<uint32_t> ScheduleList(absl::Span<const SUnit> units, DagScheduler scheduler);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_LIST_SCHEDULER_H_

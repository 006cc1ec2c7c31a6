// SPDX-License-Identifier: Apache-2.0

// Executes the blocks of a function on sets of symbolic values: the transfer functions of the register checker.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_EXECUTION_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_EXECUTION_H_

#include <cstdint>
#include <vector>

#include "passes/register_check/register_checker_locations.h"
#include "passes/register_check/register_checker_reports.h"
#include "passes/register_check/register_checker_state.h"

namespace ptxmir::register_check {

struct Execution {
  struct Copy {
    uint32_t target;
    uint32_t source;
  };

  const CheckerFacts& facts;
  SymbolicState state;
  ValueReports* reports = nullptr;  // null while the dataflow problem is not yet solved
  std::vector<Copy> pending = {};   // the deleted copies since the last kept instruction
};

// Executes a block, at whose entry `locations` have the given sets and all others are empty.
void ExecuteBlock(Execution& execution, const MatchedBlock& block, absl::Span<const Location> locations,
                  absl::Span<const SetId> sets);

}  // namespace ptxmir::register_check

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_EXECUTION_H_

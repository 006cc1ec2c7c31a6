// SPDX-License-Identifier: Apache-2.0

// The dataflow problem of the register checker. See register_checker.h.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_FLOW_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_FLOW_H_

#include <cstdint>

#include "passes/register_check/register_checker_match.h"

namespace ptxmir::register_check {

// Solves the problem, and reports to the matched function the uses that cannot be proved. Returns the number of block
// executions that were needed to solve it.
uint64_t CheckValues(MatchedFunction& matched);

}  // namespace ptxmir::register_check

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_FLOW_H_

// SPDX-License-Identifier: Apache-2.0

// Checks that instruction selection turns DAGs into machine code that computes what the nodes mean
// (sdag/meaning/dag_evaluator.h). For several targets, levels and schedulers, one thread runs each kernel on generated
// memory. The verifier must accept the code, and memory operands must describe the accesses. Two kernels have nodes
// that the evaluator does not know, a jump table and inline assembly: functions in C++ say what those compute.

#ifndef PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_
#define PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_

#include <string>
#include <string_view>

namespace ptxmir::testing {

// Returns a description of the first fault, or an empty string.
std::string CheckSelection(std::string_view text);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_

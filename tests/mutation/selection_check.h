// SPDX-License-Identifier: Apache-2.0

// Checks that instruction selection turns DAGs into machine code that computes what the nodes mean
// (sdag/meaning/dag_evaluator.h). For several targets, levels and schedulers, one thread runs each kernel on generated
// memory. The verifier must accept the code, and memory operands must describe the accesses. The results of kernels
// with nodes that the evaluator does not know are compared with recorded ones.

#ifndef PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_
#define PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_

#include <map>
#include <string>
#include <string_view>

namespace ptxmir::testing {

// Returns a description of the first fault, or an empty string. `recorded` holds hashes by kernel and input.
std::string CheckSelection(std::string_view text, const std::map<std::string, std::string>& recorded);

// Returns the results to record: a line with kernel, input and hash for each run.
std::string SelectionResults(std::string_view text);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_

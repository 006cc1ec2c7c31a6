// SPDX-License-Identifier: Apache-2.0

// Whether instruction selection makes of DAGs machine code that computes what their nodes mean
// (sdag/meaning/dag_evaluator.h): for several targets, levels and schedulers, each kernel is run by one thread on
// generated memory. The verifier takes the code, and accesses of it say what they access. Of kernels that the evaluator
// does not know all nodes of, what they compute is recorded.

#ifndef PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_
#define PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_

#include <map>
#include <string>
#include <string_view>

namespace ptxmir::testing {

// What is wrong, or an empty string. `recorded`: hashes by kernel and input.
std::string CheckSelection(std::string_view text, const std::map<std::string, std::string>& recorded);

// What is to be recorded: kernel, input and hash, a line each.
std::string SelectionResults(std::string_view text);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_SELECTION_CHECK_H_

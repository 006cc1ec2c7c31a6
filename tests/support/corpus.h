// SPDX-License-Identifier: Apache-2.0

// The files of tests/corpus, and what is to be known of them to run their kernels before and after a pass.

#ifndef PTXMIR_TESTS_SUPPORT_CORPUS_H_
#define PTXMIR_TESTS_SUPPORT_CORPUS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mir/code/machine_function.h"
#include "passes/pass.h"

namespace ptxmir::testing {

// Paths of all .mir files, sorted.
std::vector<std::string> CorpusMirFiles();

// Whether what the function computes depends on how many instructions are executed.
bool ReadsTimers(const MachineFunction& function);

// The counter's value, of all passes that have one of that description.
uint64_t CounterOf(const Statistics& statistics, std::string_view description);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_SUPPORT_CORPUS_H_

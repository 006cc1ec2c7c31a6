// SPDX-License-Identifier: Apache-2.0

// The files of tests/corpus, and helpers for running their kernels before and after a pass.

#ifndef PTXMIR_TESTS_SUPPORT_CORPUS_H_
#define PTXMIR_TESTS_SUPPORT_CORPUS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mir/code/machine_function.h"
#include "passes/pass_context.h"
#include "tests/support/sanitized.h"

namespace ptxmir::testing {

// Returns the paths of all .mir files, sorted.
std::vector<std::string> CorpusMirFiles();

// The distance of the files that a test takes.
inline constexpr size_t kCorpusSampleStride = CaseStride(6);

// Returns the paths of all .mir files, or of the sample that sanitizers take, sorted.
std::vector<std::string> CorpusSample();

// Returns true if the result of the function depends on how many instructions are executed.
bool ReadsTimers(const MachineFunction& function);

// Returns the sum of the counters with this description over all passes.
uint64_t CounterOf(const Statistics& statistics, std::string_view description);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_SUPPORT_CORPUS_H_

// SPDX-License-Identifier: Apache-2.0

// Runs passes on the functions of the corpus and checks what every pass must keep: the code verifies, kernels compute
// the same in the interpreter, and the analyses that the pass claims to preserve are right.

#ifndef PTXMIR_TESTS_SUPPORT_PASS_CORPUS_H_
#define PTXMIR_TESTS_SUPPORT_PASS_CORPUS_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "options/knobs.h"
#include "passes/pass_context.h"

namespace ptxmir::testing {

enum class CodeForm : uint8_t { kSsa, kOutOfSsa };

struct PassCorpusTotals {
  uint64_t compared = 0;  // functions whose kernels were executed before and after a pass
  uint64_t changed = 0;   // runs of a pass that changed a function
  Statistics statistics;  // counters of the passes
};

// Runs the passes one after the other on every function of the corpus' sample, in the given form. Stops at the first
// failure, which fails the test.
PassCorpusTotals RunPassesOnCorpus(absl::Span<const std::string_view> passes, CodeForm form, const Knobs& knobs);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_SUPPORT_PASS_CORPUS_H_

// SPDX-License-Identifier: Apache-2.0

// Runs a text target on many damaged texts, in child processes. So a crash, a hang or excessive memory is a
// finding like any other, and the run continues after it.
//
// A child takes one text after the other until it dies or the run ends. Before each text, it stores the text's
// number in memory that it shares with the parent, and limits its processor time (ITIMER_PROF, so that load on the
// machine does not shorten the limit). The memory cost of a text is the growth of the peak resident size (VmHWM,
// reset for each text through /proc/self/clear_refs). That also works under AddressSanitizer, where address space
// limits do not. Where they do, RLIMIT_DATA is the safety net.

#ifndef PTXMIR_TOOLS_FUZZ_TEXT_FUZZER_H_
#define PTXMIR_TOOLS_FUZZ_TEXT_FUZZER_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/fuzz/text_mutator.h"
#include "tools/fuzz/text_targets.h"

namespace ptxmir::fuzz {

struct TextFuzzOptions {
  uint64_t first = 0;        // the number of the first text
  uint64_t num_inputs = 0;   // 0: as many as the time allows
  double seconds = 0;        // 0: as long as the texts take
  size_t max_findings = 20;  // the number of different findings after which the run ends
  // The limits for one text: a constant, plus an amount for each of its bytes.
  double cpu_seconds = 5;
  double cpu_seconds_per_byte = 50e-6;
  size_t memory_bytes = size_t{192} << 20;
  size_t memory_bytes_per_byte = 3000;
};

struct TextFinding {
  uint64_t index = 0;     // the text is TextMutator::Generate(index)
  std::string what;       // one line; the same for the same cause, as far as possible
  std::string details;    // the output of the child
  uint64_t repeated = 0;  // later texts with the same finding
};

struct TextFuzzReport {
  uint64_t num_inputs = 0;
  uint64_t num_bytes = 0;
  double seconds = 0;
  std::array<uint64_t, kNumReached> reached{};
  double slowest_cpu_seconds = 0;
  uint64_t slowest = 0;       // the number of that text
  size_t largest_growth = 0;  // bytes
  uint64_t largest = 0;
  std::vector<TextFinding> findings;
  // The reason why the run was not possible, or empty.
  std::string error;

  std::string ToString(std::string_view target) const;
};

TextFuzzReport RunTextFuzzer(const TextMutator& mutator, const TextTarget& target, const TextFuzzOptions& options);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_FUZZER_H_

// SPDX-License-Identifier: Apache-2.0

// Runs a text target on many damaged texts, in child processes, so that a
// crash, a hang and memory out of proportion are findings like any other and
// the run goes on behind them.
//
// A child takes texts one after the other until it dies or the run is over;
// before each it notes the text's number in memory shared with the parent, and
// limits its processor time (ITIMER_PROF, which a busy machine does not
// shorten). What a text costs in memory is the growth of the peak resident size
// (VmHWM, reset for each text through /proc/self/clear_refs), which also works
// under AddressSanitizer, where address space limits do not; RLIMIT_DATA is the
// safety net where they do.

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
  uint64_t first = 0;        // number of the first text
  uint64_t num_inputs = 0;   // 0: as many as the time allows
  double seconds = 0;        // 0: as long as the texts take
  size_t max_findings = 20;  // different ones; then the run ends
  // What one text may cost: a constant, and so much for each byte of it.
  double cpu_seconds = 5;
  double cpu_seconds_per_byte = 50e-6;
  size_t memory_bytes = size_t{192} << 20;
  size_t memory_bytes_per_byte = 3000;
};

struct TextFinding {
  uint64_t index = 0;     // TextMutator::Generate(index) is the text
  std::string what;       // one line: the same for the same cause, as far as one can tell
  std::string details;    // what the child printed
  uint64_t repeated = 0;  // texts with the same finding after this one
};

struct TextFuzzReport {
  uint64_t num_inputs = 0;
  uint64_t num_bytes = 0;
  double seconds = 0;
  std::array<uint64_t, kNumReached> reached{};
  double slowest_cpu_seconds = 0;
  uint64_t slowest = 0;       // its number
  size_t largest_growth = 0;  // bytes
  uint64_t largest = 0;
  std::vector<TextFinding> findings;
  // Why the run could not be made; empty when it was.
  std::string error;

  std::string ToString(std::string_view target) const;
};

TextFuzzReport RunTextFuzzer(const TextMutator& mutator, const TextTarget& target, const TextFuzzOptions& options);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_FUZZER_H_

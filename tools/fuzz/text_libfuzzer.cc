// SPDX-License-Identifier: Apache-2.0

// The text targets as libFuzzer entry points. //tools/fuzz:libfuzzer_mir and its siblings build it with
// -DPTXMIR_TEXT_TARGET="mir" (or another name of text_targets.h), under --config=fuzz.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tools/fuzz/text_mutator.h"
#include "tools/fuzz/text_targets.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using ptxmir::fuzz::TextMutator;
using ptxmir::fuzz::TextTarget;

const TextTarget& Target() {
  static const TextTarget& target = *ptxmir::fuzz::FindTextTarget(PTXMIR_TEXT_TARGET);
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ptxmir::fuzz::TextOutcome outcome = Target().run(text);
  if (outcome.finding.empty()) return 0;
  std::fprintf(stderr, "finding: %s\n", outcome.finding.c_str());
  std::abort();
}

// libFuzzer's own mutations work on bytes only. Ours work on tokens and lines.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (seed % 3 == 0) return LLVMFuzzerMutate(data, size, max_size);
  static const TextMutator& mutator = *new TextMutator(Target().built_in_texts(), Target().dictionary(), 0);
  ptxmir::fuzz::Random random(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  mutator.Mutate(text, random);
  const size_t kept = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), kept);
  return kept;
}

// SPDX-License-Identifier: Apache-2.0

// The targets that are fuzzed with damaged text. Each target takes any bytes, passes them to one of the readers,
// and continues as far as the text allows. On the way it checks the invariants. ptxmir-fuzz-text, libFuzzer
// (text_libfuzzer.cc) and tests use the same targets.
//
//   mir      read, verify, write, read again and write again (the same text), lower at -O0 and -O2 with the verifier
//            after every pass, print PTX; twice, with and without -simplify-mir
//   ir       the IR module: read, everything that is computed on demand, write from data, read again
//   yaml     the YAML reader alone
//   dag      SelectionDAGs: read, verify, write, read again and write again, select at -O0 and -O2
//   ll       LLVM IR with bodies: read, upgrade, verify, write and read again (the same text), clone, split and erase,
//            link with itself
//   options  the command line, pass positions and -mattr
//
// A target has no limits of its own. The caller limits time and memory.

#ifndef PTXMIR_TOOLS_FUZZ_TEXT_TARGETS_H_
#define PTXMIR_TOOLS_FUZZ_TEXT_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace ptxmir::fuzz {

// How far an input came. Rejecting is as good as accepting; this only shows if the inputs are useful.
enum class Reached { kRejected, kRead, kVerified, kPrinted };
inline constexpr int kNumReached = static_cast<int>(Reached::kPrinted) + 1;

struct TextOutcome {
  Reached reached = Reached::kRejected;
  // A description of our error; empty if there is none.
  std::string finding;
};

struct TextTarget {
  std::string_view name;
  std::string_view description;
  TextOutcome (*run)(std::string_view input);
  // The initial texts.
  std::vector<std::string> (*built_in_texts)();
  // Returns the parts of a MIR file of any size that the target can take: up to `max_texts` texts that are quick
  // to read.
  std::vector<std::string> (*texts_of_mir_file)(std::string_view file, size_t max_size, size_t max_texts);
  // The words that the reader knows.
  std::vector<std::string> (*dictionary)();
};

absl::Span<const TextTarget> TextTargets();
// Returns null if there is no target of that name.
const TextTarget* FindTextTarget(std::string_view name);

// Makes texts for the mir and ir targets that are quick to read from a MIR file of any size: the IR document with
// one machine function at a time, without the bodies of long IR functions. Returns those within `max_size`, at
// most `max_texts`, spread over the file.
std::vector<std::string> SmallMirTexts(std::string_view file, size_t max_size, size_t max_texts);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_TARGETS_H_

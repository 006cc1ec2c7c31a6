// SPDX-License-Identifier: Apache-2.0

// What is fuzzed with damaged text: each target takes any bytes, gives them to
// one of the readers and goes on as far as the text allows, checking what must
// hold on the way. Used by ptxmir-fuzz-text, by libFuzzer (text_libfuzzer.cc)
// and by tests alike.
//
//   mir      read, verify, write, read again and write again (the same text), lower at -O0 and -O2 with the verifier
//            after every pass, print PTX; twice, with and without -simplify-mir
//   ir       the IR module: read, everything that is computed on demand, write from data, read again
//   yaml     the YAML reader alone
//   dag      SelectionDAGs: read, verify, write, read again and write again, select at -O0 and -O2
//   options  the command line, pass positions and -mattr
//
// A target has no limits of its own: time and memory are the caller's to watch.

#ifndef PTXMIR_TOOLS_FUZZ_TEXT_TARGETS_H_
#define PTXMIR_TOOLS_FUZZ_TEXT_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace ptxmir::fuzz {

// How far an input came. Rejecting is as good as accepting: this only tells
// whether the inputs are of use.
enum class Reached { kRejected, kRead, kVerified, kPrinted };
inline constexpr int kNumReached = static_cast<int>(Reached::kPrinted) + 1;

struct TextOutcome {
  Reached reached = Reached::kRejected;
  // What is wrong with us; empty: nothing.
  std::string finding;
};

struct TextTarget {
  std::string_view name;
  std::string_view description;
  TextOutcome (*run)(std::string_view input);
  // Texts to begin with.
  std::vector<std::string> (*built_in_texts)();
  // What of a MIR file of any size can be given to the target: up to `max_texts` texts that are quick to read.
  std::vector<std::string> (*texts_of_mir_file)(std::string_view file, size_t max_size, size_t max_texts);
  // Words that the reader knows.
  std::vector<std::string> (*dictionary)();
};

absl::Span<const TextTarget> TextTargets();
// Null when there is none of that name.
const TextTarget* FindTextTarget(std::string_view name);

// Makes texts for the mir and ir targets that are quick to read out of a MIR
// file of any size: the IR document with one machine function at a time,
// without the bodies of IR functions where they are long, as far as the result
// is within `max_size`. At most `max_texts`, spread over the file.
std::vector<std::string> SmallMirTexts(std::string_view file, size_t max_size, size_t max_texts);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_TARGETS_H_

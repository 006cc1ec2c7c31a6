// SPDX-License-Identifier: Apache-2.0

// The text target of SelectionDAGs (text_targets.h). What the reader accepts must be sound. A DAG that the
// verifier accepts is written and read again, to the same text, and selected at -O0 and -O2, or rejected with a
// reason.

#ifndef PTXMIR_TOOLS_FUZZ_DAG_TEXT_TARGET_H_
#define PTXMIR_TOOLS_FUZZ_DAG_TEXT_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/fuzz/text_targets.h"

namespace ptxmir::fuzz {

TextOutcome RunDag(std::string_view input);

std::vector<std::string> DagTexts();
// Returns the documents of a file of DAGs one by one, and nothing for other files.
std::vector<std::string> SmallDagTexts(std::string_view file, size_t max_size, size_t max_texts);
std::vector<std::string> DagDictionary();

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_DAG_TEXT_TARGET_H_

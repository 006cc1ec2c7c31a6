// SPDX-License-Identifier: Apache-2.0

// The text target of SelectionDAGs (text_targets.h): what is read must be sound; a DAG that the verifier takes is
// written and read again, to the same text, and selected at -O0 and -O2, or refused with a reason.

#ifndef PTXMIR_TOOLS_FUZZ_DAG_TEXT_TARGET_H_
#define PTXMIR_TOOLS_FUZZ_DAG_TEXT_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/fuzz/text_targets.h"

namespace ptxmir::fuzz {

TextOutcome RunDag(std::string_view input);

std::vector<std::string> DagTexts();
// Of a file of DAGs, its documents one at a time; nothing of others.
std::vector<std::string> SmallDagTexts(std::string_view file, size_t max_size, size_t max_texts);
std::vector<std::string> DagDictionary();

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_DAG_TEXT_TARGET_H_

// SPDX-License-Identifier: Apache-2.0

// The target `ll`: files of LLVM IR with bodies. They are read and upgraded, verified, written and read again, and
// linked with themselves.

#ifndef PTXMIR_TOOLS_FUZZ_LL_TEXT_TARGET_H_
#define PTXMIR_TOOLS_FUZZ_LL_TEXT_TARGET_H_

#include "tools/fuzz/text_targets.h"

namespace ptxmir::fuzz {

TextOutcome RunLl(std::string_view input);

std::vector<std::string> LlTexts();
// Returns the file itself if it is IR and small enough, and nothing for other files.
std::vector<std::string> SmallLlTexts(std::string_view file, size_t max_size, size_t max_texts);
std::vector<std::string> LlDictionary();

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_LL_TEXT_TARGET_H_

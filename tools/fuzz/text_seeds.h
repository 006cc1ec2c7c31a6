// SPDX-License-Identifier: Apache-2.0

// The initial inputs of the text targets: small texts with many constructs, the words that a reader knows, and
// texts cut out of MIR files.

#ifndef PTXMIR_TOOLS_FUZZ_TEXT_SEEDS_H_
#define PTXMIR_TOOLS_FUZZ_TEXT_SEEDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmir::fuzz {

std::vector<std::string> MirTexts();
std::vector<std::string> MirDictionary();
std::vector<std::string> IrTexts();
std::vector<std::string> IrDictionary();
std::vector<std::string> YamlTexts();
std::vector<std::string> YamlDictionary();
std::vector<std::string> OptionTexts();
std::vector<std::string> OptionDictionary();

// Makes small texts from a MIR file of any size: the IR document with one machine function at a time, without the
// bodies of long IR functions. Returns those within `max_size`, at most `max_texts`, spread over the file.
std::vector<std::string> SmallMirTexts(std::string_view file, size_t max_size, size_t max_texts);
// Returns the IR only.
std::vector<std::string> IrTextOfMirFile(std::string_view file, size_t max_size, size_t max_texts);
std::vector<std::string> NoTexts(std::string_view file, size_t max_size, size_t max_texts);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_SEEDS_H_

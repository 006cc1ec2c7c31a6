// SPDX-License-Identifier: Apache-2.0

// Light scans of IR text that is not parsed: where a function body or a metadata node ends, which blocks a
// body has, and which globals it mentions.

#ifndef PTXMIR_IR_IR_BODY_SCAN_H_
#define PTXMIR_IR_IR_BODY_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace ptxmir {

// Past the '}' that closes the body whose '{' stands at `begin`; null when there is none. `indentation` is
// that of the text's top level.
const char* FindBodyEnd(const char* begin, const char* end, size_t indentation);

// Past the last bracket of the metadata node at `begin`; null when it is not closed.
const char* FindMetadataEnd(const char* begin, const char* end);

// A label's spelling is kept as it stands in the text: `is_quoted` names may have escapes.
struct ScannedBlock {
  std::string_view label;  // empty: unnamed
  bool is_quoted = false;
  uint32_t number = 0;
  std::optional<MetadataId> loop;
};

// The blocks of a body ('{' to '}'). `first_slot` is the slot number that follows the arguments.
std::vector<ScannedBlock> ScanBlocks(std::string_view body, uint32_t first_slot);

// Calls `mention` for every global that the text names: with the name as it stands, without '@' and quotes,
// and whether it was quoted.
void ScanMentions(std::string_view text, const std::function<void(std::string_view name, bool is_quoted)>& mention);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_BODY_SCAN_H_

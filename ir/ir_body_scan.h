// SPDX-License-Identifier: Apache-2.0

// Fast scans of IR text that is not parsed. They find the end of a function body or a metadata node, the blocks of
// a body, and the globals that a body mentions.

#ifndef PTXMIR_IR_IR_BODY_SCAN_H_
#define PTXMIR_IR_IR_BODY_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ir/module.h"

namespace ptxmir {

// Returns the position after the '}' that closes the body whose '{' is at `begin`, or null if there is none.
// `indentation` is the indentation of the text's top level.
const char* FindBodyEnd(const char* begin, const char* end, size_t indentation);

// Returns the position after the last bracket of the metadata node at `begin`, or null if it is not closed. Calls
// `reference` with the position of each number of a node in it: "!7".
const char* FindMetadataEnd(const char* begin, const char* end, absl::FunctionRef<void(const char*)> reference);

// A block of a body. The label is spelled as in the text; it may contain escapes if `is_quoted` is set.
struct ScannedBlock {
  std::string_view label;  // empty if the block is unnamed
  bool is_quoted = false;
  uint32_t number = 0;
  std::optional<MetadataId> loop;
};

// Returns the blocks of a body (from '{' to '}'). `first_slot` is the slot number that follows the arguments.
std::vector<ScannedBlock> ScanBlocks(std::string_view body, uint32_t first_slot);

// Calls `loop` with the number of every node that the body names as !llvm.loop. Much faster than ScanBlocks.
void ScanLoopMetadata(std::string_view body, absl::FunctionRef<void(MetadataId)> loop);

// The mention of a global in a text.
struct GlobalMention {
  std::string_view name;  // as written, without '@' and quotes
  bool is_quoted = false;
  bool is_callee = false;  // of a call: in LLVM's syntax only a callee is followed directly by a parenthesis
};

// Calls `mention` for every global that the text names.
void ScanMentions(std::string_view text, absl::FunctionRef<void(const GlobalMention&)> mention);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_BODY_SCAN_H_

// SPDX-License-Identifier: Apache-2.0

// Metadata nodes in a generic form: a kind and a list of operands with or without keys.
//
//     !7 = distinct !{!7, !8}                       kind "", operands are nodes 7 and 8
//     !9 = !DILocation(line: 3, scope: !4)          kind "DILocation", operands keyed "line", "scope"
//
// A module records only the position of each node. A node is parsed when it is first requested (Module::metadata).

#ifndef PTXMIR_IR_IR_METADATA_H_
#define PTXMIR_IR_IR_METADATA_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "ir/ids.h"
#include "ir/ir_constant.h"

namespace ptxmir {

struct MetadataNode;

struct MetadataOperand {
  enum class Kind : uint8_t {
    kNull,        // null
    kNode,        // !7
    kInlineNode,  // !{...} or !DIExpression(...) within another node
    kString,      // !"..." or "..."; `text` is unescaped
    kInteger,     // line: 3
    kSymbol,      // tag: DW_TAG_member, isLocal: true, flags: DIFlagA | DIFlagB; `text` is as written
    kConstant,    // i32 1, ptr @k
  };
  Kind kind = Kind::kNull;
  MetadataId node = 0;
  int64_t integer = 0;
  std::string_view key;  // empty if positional
  std::string_view text;
  const MetadataNode* inline_node = nullptr;
  const IrConstant* constant = nullptr;
};

struct MetadataNode {
  bool is_distinct = false;
  std::string_view kind;  // "DILocation"; empty for a tuple
  absl::Span<const MetadataOperand> operands;

  // Returns null if there is none.
  const MetadataOperand* Find(std::string_view key) const {
    for (const MetadataOperand& operand : operands) {
      if (operand.key == key) return &operand;
    }
    return nullptr;
  }
  int64_t Integer(std::string_view key, int64_t fallback = 0) const {
    const MetadataOperand* found = Find(key);
    return found == nullptr || found->kind != MetadataOperand::Kind::kInteger ? fallback : found->integer;
  }
  // Returns the text of a string or symbol, or an empty string if there is none.
  std::string_view Text(std::string_view key) const {
    const MetadataOperand* found = Find(key);
    return found == nullptr ? std::string_view() : found->text;
  }
  std::optional<MetadataId> Node(std::string_view key) const {
    const MetadataOperand* found = Find(key);
    if (found == nullptr || found->kind != MetadataOperand::Kind::kNode) return std::nullopt;
    return found->node;
  }
};

// An attachment "!dbg !7" of a function, global or instruction.
struct MetadataAttachment {
  std::string_view kind;  // without '!': "dbg"
  MetadataId node = 0;    // valid if `text` is empty
  std::string_view text;  // an inline node, as written; otherwise empty
};

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_METADATA_H_

// SPDX-License-Identifier: Apache-2.0

// A pull parser for the part of YAML that MIR is written in. The caller knows the schema. It asks for a mapping, a
// sequence or a scalar and gets views into the source text.
//
//     YamlReader yaml(buffer, diagnostics);
//     while (yaml.NextDocument()) {
//       yaml.ReadMapping([&](const YamlScalar& key) {
//         if (key.raw == "name") return yaml.ReadScalar(&name);
//         ...
//       });
//     }
//
// Supported: many documents; block and flow collections, nested arbitrarily; plain, single-quoted and
// double-quoted scalars, on one or several lines; literal and folded block scalars; comments. Not supported,
// because MIR does not use them: anchors, aliases, tags, "? key" and directives.
//
// Nothing is copied and no tree is built. A scalar is a view, and its address gives its position in the source.
// Nesting is bounded, so damaged input cannot exhaust the stack.

#ifndef PTXMIR_BASE_YAML_H_
#define PTXMIR_BASE_YAML_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostics.h"

namespace ptxmir {

struct YamlScalar {
  enum class Style : uint8_t {
    kPlain,
    kSingleQuoted,
    kDoubleQuoted,
    kLiteral,  // "|"
    kFolded,   // ">"
  };

  // The characters in the source, without quotes. For block scalars: whole lines, including their indentation.
  std::string_view raw;
  Style style = Style::kPlain;
  // Whether the value differs from `raw` because it contains escapes or line breaks. Always true for block
  // scalars.
  bool needs_decoding = false;
  // The indentation of a block scalar, in columns.
  uint32_t indent = 0;

  const char* position() const { return raw.data(); }
  bool is_block() const { return style == Style::kLiteral || style == Style::kFolded; }
  // Returns the decoded value of the scalar.
  std::string Value() const;
  // Returns the position in the source of the character at `offset` of Value().
  const char* PositionOf(size_t offset) const;
};

class YamlReader {
 public:
  // Reads the whole buffer.
  YamlReader(const SourceBuffer& buffer, DiagnosticEngine& diagnostics)
      : YamlReader(buffer, buffer.text(), diagnostics) {}
  // Reads `text`, which is a part of the buffer.
  YamlReader(const SourceBuffer& buffer, std::string_view text, DiagnosticEngine& diagnostics)
      : buffer_(buffer),
        diagnostics_(diagnostics),
        p_(text.data()),
        end_(text.data() + text.size()),
        line_start_(text.data()) {}

  // Moves to the next document and skips the rest of the current one. Returns false at the end of the text.
  bool NextDocument();

  // The following functions return false after an error from which only NextDocument recovers.

  // Calls `bool handle(const YamlScalar& key)` for every entry. The handler must consume the value and returns
  // true to continue. A missing node reads as an empty mapping.
  template <typename Handler>
  bool ReadMapping(Handler&& handle) {
    Collection collection;
    if (!BeginMapping(&collection)) return false;
    YamlScalar key;
    while (NextKey(collection, &key)) {
      if (!handle(std::as_const(key))) return false;
    }
    return End(collection);
  }
  // Calls `bool handle()` before every element. The handler must consume the element and returns true to continue.
  // A missing node reads as an empty sequence.
  template <typename Handler>
  bool ReadSequence(Handler&& handle) {
    Collection collection;
    if (!BeginSequence(&collection)) return false;
    while (NextElement(collection)) {
      if (!handle()) return false;
    }
    return End(collection);
  }
  // Reads a scalar. A missing node reads as an empty plain scalar.
  bool ReadScalar(YamlScalar* scalar);
  // Skips a node of any kind.
  bool SkipNode();
  // Skips a node. Sets `text` to everything from the current position to the end of the node's last line,
  // including its line break. Writing `text` after "key:" reproduces the node.
  bool SkipNodeVerbatim(std::string_view* text);

  // Returns true if the next node is a literal ("|") or folded (">") block scalar.
  bool AtBlockScalar();
  bool AtMapping();
  bool AtSequence();
  // Returns true if nothing is left of the document.
  bool AtEmptyDocument() { return !FindNode(); }

  void Error(const char* position, std::string message) { diagnostics_.Error(buffer_, position, std::move(message)); }

  // For callers that match well-known text themselves. The new position must be one where the reader could have
  // stopped: right after a node.
  const char* position() const { return p_; }
  const char* line_start() const { return line_start_; }
  const char* end() const { return end_; }
  // Sets the position. `line_start` is the beginning of the line that contains it.
  void set_position(const char* position, const char* line_start) {
    p_ = position;
    line_start_ = line_start;
  }

 private:
  struct Collection {
    bool is_flow = false;
    bool is_empty = false;  // a missing node
    bool is_first = true;
    bool failed = false;
    char close = 0;
    bool outer_in_sequence = false;  // restored at the end, like outer_indent
    int indent = 0;                  // indentation of the entries of a block collection
    int outer_indent = 0;
  };

  static constexpr int kMaxDepth = 100;

  int Column(const char* p) const { return static_cast<int>(p - line_start_); }
  bool AtDocumentMark(const char* p) const;
  // Skips blanks, comments and line breaks. Returns false at the end of the document.
  bool SkipToContent();
  // Moves to the beginning of the next node. Returns false if there is none, that is, if an entry has no value.
  bool FindNode();
  bool AtBlockElement() const;
  bool Enter(const char* position);
  bool BeginMapping(Collection* collection);
  bool BeginSequence(Collection* collection);
  bool BeginBlockCollection(Collection* collection);
  bool NextKey(Collection& collection, YamlScalar* key);
  bool NextElement(Collection& collection);
  bool NextFlowEntry(Collection& collection);
  bool NextBlockEntry(Collection& collection);
  bool End(const Collection& collection);
  // Reports an error and gives up the document.
  bool Fail(Collection& collection, const char* position, std::string message);
  bool ReadKey(YamlScalar* key);
  bool ReadQuoted(YamlScalar* scalar);
  void ReadPlain(YamlScalar* scalar);
  bool ReadPlainKey(YamlScalar* key);
  bool ReadBlockScalar(YamlScalar* scalar);
  // Returns true if the line from `p` on is "key: ..." or "key:".
  bool IsKeyAhead(const char* p) const;

  const SourceBuffer& buffer_;
  DiagnosticEngine& diagnostics_;
  const char* p_;
  const char* end_;
  const char* line_start_;
  int indent_ = -1;           // indentation of the innermost block collection
  bool in_sequence_ = false;  // whether the innermost block collection is a sequence
  int flow_depth_ = 0;
  int depth_ = 0;
  bool started_ = false;
};

// Conversions that accept what LLVM accepts. They return nullopt for other values.
std::optional<bool> ParseYamlBool(const YamlScalar& scalar);
std::optional<uint64_t> ParseYamlUnsigned(const YamlScalar& scalar, uint64_t max);
std::optional<int64_t> ParseYamlSigned(const YamlScalar& scalar);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_YAML_H_

// SPDX-License-Identifier: Apache-2.0

// A reader for the part of YAML that MIR is written in, pull style: the caller, who knows the schema, asks
// for a mapping, a sequence or a scalar, and gets views into the source text.
//
//     YamlReader yaml(buffer, diagnostics);
//     while (yaml.NextDocument()) {
//       yaml.ReadMapping([&](const YamlScalar& key) {
//         if (key.raw == "name") return yaml.ReadScalar(&name);
//         ...
//       });
//     }
//
// Known: many documents; block and flow collections, nested in any way; plain, single- and double-quoted
// scalars, over several lines; literal and folded block scalars; comments. Not known, because MIR has no
// use for them: anchors, aliases, tags, "? key" and directives.
//
// Nothing is copied and nothing is built: a scalar is a view, its position in the source follows from its
// address. Nesting is bounded, so that damaged input cannot exhaust the stack.

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

  // The characters in the source, without quotes. Of block scalars: whole lines, with their indentation.
  std::string_view raw;
  Style style = Style::kPlain;
  // Whether the value differs from `raw`: it holds escapes or line breaks (of block scalars: always).
  bool needs_decoding = false;
  // Columns of indentation of a block scalar.
  uint32_t indent = 0;

  const char* position() const { return raw.data(); }
  bool is_block() const { return style == Style::kLiteral || style == Style::kFolded; }
  // What the scalar stands for.
  std::string Value() const;
  // Where in the source the character at `offset` of Value() comes from.
  const char* PositionOf(size_t offset) const;
};

class YamlReader {
 public:
  // Reads all of the buffer.
  YamlReader(const SourceBuffer& buffer, DiagnosticEngine& diagnostics)
      : YamlReader(buffer, buffer.text(), diagnostics) {}
  // Reads `text`, a part of the buffer.
  YamlReader(const SourceBuffer& buffer, std::string_view text, DiagnosticEngine& diagnostics)
      : buffer_(buffer),
        diagnostics_(diagnostics),
        p_(text.data()),
        end_(text.data() + text.size()),
        line_start_(text.data()) {}

  // Moves to the next document, whatever is left of the current one. False at the end of the text.
  bool NextDocument();

  // All of these return false when an error was reported from which only NextDocument recovers.

  // Calls `bool handle(const YamlScalar& key)` for every entry; it must consume the value, and returns
  // whether to go on. A missing node reads as an empty mapping.
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
  // Calls `bool handle()` before every element. A missing node reads as an empty sequence.
  template <typename Handler>
  bool ReadSequence(Handler&& handle) {
    Collection collection;
    if (!BeginSequence(&collection)) return false;
    while (NextElement(collection)) {
      if (!handle()) return false;
    }
    return End(collection);
  }
  // A missing node reads as an empty plain scalar.
  bool ReadScalar(YamlScalar* scalar);
  // Passes over a node of any kind.
  bool SkipNode();
  // Passes over a node. `text` becomes everything from the current position to the end of the node's last
  // line, its line break included: what to write behind "key:" to have the same node again.
  bool SkipNodeVerbatim(std::string_view* text);

  // Whether the next node is a literal ("|") or folded block scalar.
  bool AtBlockScalar();
  bool AtMapping();
  bool AtSequence();
  // Whether nothing is left of the document.
  bool AtEmptyDocument() { return !FindNode(); }

  void Error(const char* position, std::string message) { diagnostics_.Error(buffer_, position, std::move(message)); }

  // For callers that match well-known text by themselves. The new position must be at a place where
  // the reader could have stopped: behind a node.
  const char* position() const { return p_; }
  const char* line_start() const { return line_start_; }
  const char* end() const { return end_; }
  // `line_start` is the beginning of the line that `position` is in.
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
    bool outer_in_sequence = false;  // to be restored at the end, like outer_indent
    int indent = 0;                  // of the entries of a block collection
    int outer_indent = 0;
  };

  static constexpr int kMaxDepth = 100;

  int Column(const char* p) const { return static_cast<int>(p - line_start_); }
  bool AtDocumentMark(const char* p) const;
  // Passes blanks, comments and line breaks. False at the end of the document.
  bool SkipToContent();
  // Passes to the beginning of the next node. False when there is none: an entry has no value.
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
  // Reports, and gives the document up.
  bool Fail(Collection& collection, const char* position, std::string message);
  bool ReadKey(YamlScalar* key);
  bool ReadQuoted(YamlScalar* scalar);
  void ReadPlain(YamlScalar* scalar);
  bool ReadPlainKey(YamlScalar* key);
  bool ReadBlockScalar(YamlScalar* scalar);
  // Whether the line from p on is "key: ..." or "key:".
  bool IsKeyAhead(const char* p) const;

  const SourceBuffer& buffer_;
  DiagnosticEngine& diagnostics_;
  const char* p_;
  const char* end_;
  const char* line_start_;
  int indent_ = -1;           // of the innermost block collection
  bool in_sequence_ = false;  // the innermost block collection is a sequence
  int flow_depth_ = 0;
  int depth_ = 0;
  bool started_ = false;
};

// Conversions with LLVM's ideas of what is valid; nullopt when it is not.
std::optional<bool> ParseYamlBool(const YamlScalar& scalar);
std::optional<uint64_t> ParseYamlUnsigned(const YamlScalar& scalar, uint64_t max);
std::optional<int64_t> ParseYamlSigned(const YamlScalar& scalar);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_YAML_H_

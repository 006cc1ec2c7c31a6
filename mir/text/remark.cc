// SPDX-License-Identifier: Apache-2.0

#include "mir/text/remark.h"

#include "base/str_cat.h"
#include "base/utf8.h"
#include "mir/text/mir_text.h"

namespace ptxmir {
namespace {

// Writes a remark in LLVM's layout of YAML mappings.
class YamlRemarkWriter {
 public:
  explicit YamlRemarkWriter(std::string& out) : sink_(out) {}

  void Write(const Remark& remark) {
    sink_.Put("--- !");
    sink_.Put(RemarkKindName(remark.kind));
    sink_.Put('\n');
    Entry(0, "Pass", remark.pass);
    Entry(0, "Name", remark.name);
    if (remark.location.has_value()) Location(0, *remark.location);
    Entry(0, "Function", remark.function);
    if (remark.hotness.has_value()) {
      Key("Hotness");
      sink_.PutInt(*remark.hotness);
      sink_.Put('\n');
    }
    if (!remark.arguments.empty()) sink_.Put("Args:\n");
    for (const RemarkArgument& argument : remark.arguments) {
      sink_.Put("  - ");
      Key(argument.key);
      if (IsBlock(argument.value)) {
        Block(argument.value);
      } else {
        Scalar(argument.value);
      }
      if (argument.location.has_value()) Location(4, *argument.location);
    }
    sink_.Put("...\n");
  }

 private:
  // The width of the key column. Values begin after it unless the key is too long; its quotes do not count.
  static constexpr size_t kKeyWidth = 16;
  // An element of a mapping in braces that would begin after this column goes to the next line.
  static constexpr size_t kWrapColumn = 70;

  void Key(std::string_view key) {
    PutYamlScalar(sink_, ValidUtf8(key));
    sink_.Put(':');
    sink_.PutSpaces(key.size() < kKeyWidth ? kKeyWidth - key.size() : 1);
  }
  void Scalar(std::string_view text) {
    PutYamlScalar(sink_, ValidUtf8(text));
    sink_.Put('\n');
  }
  void Entry(size_t indent, std::string_view key, std::string_view value) {
    sink_.PutSpaces(indent);
    Key(key);
    Scalar(value);
  }

  // Returns true if a text of several lines is written as a block.
  static bool IsBlock(std::string_view text) {
    size_t lines = 0;
    for (const char c : text) {
      lines += c == '\n';
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
    }
    return lines > 1 && text[0] != ' ' && text[0] != '\n' && !text.ends_with("\n\n");
  }
  void Block(std::string_view text) {
    sink_.Put(" |\n");
    if (text.back() == '\n') text.remove_suffix(1);
    const std::string valid = ValidUtf8(text);
    text = valid;
    for (bool is_last = false; !is_last;) {
      const size_t end = text.find('\n');
      is_last = end == std::string_view::npos;
      sink_.PutSpaces(6);
      sink_.Put(text.substr(0, end));
      sink_.Put('\n');
      if (!is_last) text.remove_prefix(end + 1);
    }
  }

  void Location(size_t indent, const SourceLocation& location) {
    size_t line_start = sink_.position();
    sink_.PutSpaces(indent);
    Key("DebugLoc");
    sink_.Put("{ File: ");
    PutYamlScalar(sink_, ValidUtf8(location.file));
    const auto number = [&](std::string_view key, uint32_t value) {
      sink_.Put(", ");
      if (sink_.position() - line_start > kWrapColumn) {
        sink_.Put('\n');
        line_start = sink_.position();
        // Two columns to the right of the brace.
        sink_.PutSpaces(indent + kKeyWidth + 1 + 2);
      }
      sink_.Put(key);
      sink_.PutInt(value);
    };
    number("Line: ", location.line);
    number("Column: ", location.column);
    sink_.Put(" }\n");
  }

  TextSink sink_;
};

}  // namespace

std::string_view RemarkKindName(RemarkKind kind) {
  switch (kind) {
    case RemarkKind::kPassed:
      return "Passed";
    case RemarkKind::kMissed:
      return "Missed";
    case RemarkKind::kAnalysis:
      return "Analysis";
    case RemarkKind::kAnalysisFPCommute:
      return "AnalysisFPCommute";
    case RemarkKind::kAnalysisAliasing:
      return "AnalysisAliasing";
    case RemarkKind::kFailure:
      return "Failure";
  }
  return "";
}

std::string Remark::Message() const {
  std::string message;
  for (const RemarkArgument& argument : arguments) message += argument.value;
  return message;
}

void AppendRemarkYaml(const Remark& remark, std::string& out) { YamlRemarkWriter(out).Write(remark); }

std::string RemarkLine(const Remark& remark) {
  const std::string where = remark.location.has_value() ? SourcePlace{*remark.location, remark.calls}.ToString()
                                                        : StrCat(remark.is_on_variable ? "variable '" : "function '",
                                                                 remark.function, "': ", remark.pass);
  std::string line =
      StrCat(remark.kind == RemarkKind::kFailure ? "warning: " : "remark: ", where, ": ", remark.Message());
  if (remark.hotness.has_value()) StrAppend(&line, " (hotness: ", *remark.hotness, ")");
  return line + "\n";
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/ir_steps.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

std::string_view WithoutIndent(std::string_view line) {
  return FromAbsl(absl::StripLeadingAsciiWhitespace(ToAbsl(line)));
}

std::string_view Indent(std::string_view line) { return line.substr(0, line.size() - WithoutIndent(line).size()); }

bool BeginsBody(std::string_view line) { return WithoutIndent(line).starts_with("define ") && line.ends_with('{'); }

// Returns the index after the last line of the entity that begins at `begin`.
size_t EndOfEntity(const std::vector<std::string>& lines, size_t begin) {
  if (!BeginsBody(lines[begin])) return begin + 1;
  const std::string closing = StrCat(Indent(lines[begin]), "}");
  for (size_t i = begin + 1; i < lines.size(); ++i) {
    if (lines[i] == closing) return i + 1;
  }
  return lines.size();
}

// Returns the words after the parameters of a function's line. A metadata attachment ("!dbg !7") is one word.
std::vector<std::string> SplitAttributes(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = WithoutIndent(text)).empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const bool belongs_to_previous = word.starts_with('!') && !words.empty() && words.back().starts_with('!') &&
                                     words.back().find(' ') == std::string::npos;
    if (belongs_to_previous) {
      StrAppend(&words.back(), " ", word);
    } else {
      words.emplace_back(word);
    }
    text.remove_prefix(end);
  }
  return words;
}

// Returns the parts of `text` between separators that are outside all brackets and quotes.
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    is_quoted ^= c == '"';
    if (is_quoted) continue;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c != separator || depth != 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

// Returns the parameters of a function's line, without the parentheses: from after the name to the matching
// parenthesis. Empty for other lines.
std::string_view ParametersOf(std::string_view line) {
  size_t begin = std::min(line.find('@'), line.size());
  if (line.substr(begin, 2) == "@\"") begin = std::min(line.find('"', begin + 2), line.size());
  begin = line.find('(', begin);
  if (begin == std::string_view::npos) return line.substr(line.size());
  const std::string_view rest = line.substr(begin + 1);
  int depth = 1;
  for (size_t i = 0; i < rest.size(); ++i) {
    depth += rest[i] == '(' ? 1 : rest[i] == ')' ? -1 : 0;
    if (depth == 0) return rest.substr(0, i);
  }
  return line.substr(line.size());
}

bool IsFunctionLine(std::string_view line) { return BeginsBody(line) || WithoutIndent(line).starts_with("declare "); }

}  // namespace

void DeleteIrParameters(std::vector<std::string>& lines, TargetChooser& chooser) {
  for (std::string& line : lines) {
    if (!IsFunctionLine(line)) continue;
    const std::string_view parameters = ParametersOf(line);
    std::string kept;
    for (const std::string_view parameter : SplitOutsideBrackets(parameters, ',')) {
      if (!chooser.Choose()) StrAppend(&kept, kept.empty() ? "" : ", ", WithoutIndent(parameter));
    }
    line.replace(static_cast<size_t>(parameters.data() - line.data()), parameters.size(), kept);
  }
}

void DropIrParameterAttributes(std::vector<std::string>& lines, TargetChooser& chooser) {
  for (std::string& line : lines) {
    if (!IsFunctionLine(line)) continue;
    const std::string_view parameters = ParametersOf(line);
    std::string kept;
    for (const std::string_view parameter : SplitOutsideBrackets(parameters, ',')) {
      if (!kept.empty()) kept += ", ";
      bool is_type = true;
      for (const std::string_view word : SplitOutsideBrackets(WithoutIndent(parameter), ' ')) {
        if (is_type || !chooser.Choose()) StrAppend(&kept, is_type ? "" : " ", word);
        is_type = false;
      }
    }
    line.replace(static_cast<size_t>(parameters.data() - line.data()), parameters.size(), kept);
  }
}

void EmptyIrBodies(std::vector<std::string>& lines, TargetChooser& chooser) {
  std::vector<std::string> result;
  for (size_t i = 0; i < lines.size();) {
    const size_t end = EndOfEntity(lines, i);
    const bool is_empty = end <= i + 2 || (end == i + 3 && WithoutIndent(lines[i + 1]) == "unreachable");
    if (BeginsBody(lines[i]) && !is_empty && chooser.Choose()) {
      result.push_back(lines[i]);
      result.push_back(StrCat(Indent(lines[i]), "  unreachable"));
      result.push_back(lines[end - 1]);
    } else {
      for (size_t j = i; j < end; ++j) result.push_back(lines[j]);
    }
    i = end;
  }
  lines = std::move(result);
}

void DeleteIrEntities(std::vector<std::string>& lines, TargetChooser& chooser) {
  std::vector<std::string> result;
  for (size_t i = 0; i < lines.size();) {
    const size_t end = EndOfEntity(lines, i);
    // Without these lines, the rest would have a different meaning.
    const bool must_stay = WithoutIndent(lines[i]).starts_with("target ");
    if (must_stay || !chooser.Choose()) {
      for (size_t j = i; j < end; ++j) result.push_back(lines[j]);
    }
    i = end;
  }
  lines = std::move(result);
}

void DropIrFunctionAttributes(std::vector<std::string>& lines, TargetChooser& chooser) {
  for (std::string& line : lines) {
    if (!IsFunctionLine(line)) continue;
    const bool is_definition = BeginsBody(line);
    const std::string_view parameters = ParametersOf(line);
    const size_t begin = static_cast<size_t>(parameters.data() - line.data()) + parameters.size();
    if (begin >= line.size()) continue;
    const size_t end = is_definition ? line.size() - 1 : line.size();
    std::string kept = line.substr(0, begin + 1);
    for (const std::string& word : SplitAttributes(std::string_view(line).substr(begin + 1, end - begin - 1))) {
      if (!chooser.Choose()) StrAppend(&kept, " ", word);
    }
    if (is_definition) kept += " {";
    line = std::move(kept);
  }
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "ptx/isa/generator/table_expander.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ptxmir::ptx::isa {
namespace {

// Returns a value as a piece of an identifier: each run of characters that are neither letters nor digits becomes
// one '_'.
std::string Identifier(absl::string_view value) {
  std::string out;
  for (char c : value) {
    if (absl::ascii_isalnum(c)) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != '_') {
      out.push_back('_');
    }
  }
  return out;
}

bool IsUpper(absl::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isupper(c) || absl::ascii_isdigit(c); });
}

// Returns how a loop or condition, of which the line is the head, gives its body: as a block in braces ('{') or as
// the statement that follows (':'). Returns 0 if the line is not a head.
char BodyKind(absl::string_view line) {
  if (!absl::StartsWith(line, "for ") && !absl::StartsWith(line, "if ") && line != "else {" && line != "else :") {
    return 0;
  }
  return absl::EndsWith(line, " {") ? '{' : absl::EndsWith(line, " :") ? ':' : 0;
}

}  // namespace

absl::Status TableExpander::ErrorAt(const std::string& where, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", message));
}

std::vector<std::string> TableExpander::Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

absl::Status TableExpander::ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::ostringstream text;
  text << in.rdbuf();
  return ReadText(text.str(), path);
}

absl::Status TableExpander::ReadText(absl::string_view text, absl::string_view file_name) {
  std::vector<Line> lines;
  bool continued = false;
  int number = 0;
  for (absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    absl::string_view stripped = absl::StripAsciiWhitespace(raw);
    if (!continued && (stripped.empty() || stripped[0] == '#')) continue;
    const bool continues = absl::ConsumeSuffix(&stripped, "\\");
    if (continued) {
      absl::StrAppend(&lines.back().text, stripped);
    } else {
      lines.push_back({std::string(stripped), absl::StrCat(file_name, ":", number)});
    }
    continued = continues;
  }
  variables_.clear();
  BeginFile();
  return RunBlock(lines, 0, lines.size());
}

// Returns the end of the statement at `begin`, or `end` + 1 if its block is not closed.
size_t TableExpander::StatementEnd(const std::vector<Line>& lines, size_t begin, size_t end) {
  if (begin >= end) return end + 1;
  const char kind = BodyKind(lines[begin].text);
  if (kind == 0) return begin + 1;
  size_t i = begin + 1;
  if (kind == ':') return StatementEnd(lines, i, end);
  while (i < end && lines[i].text != "}") i = StatementEnd(lines, i, end);
  return i + 1;
}

absl::Status TableExpander::RunBlock(const std::vector<Line>& lines, size_t begin, size_t end) {
  const Scope outer_variables = variables_;
  EnterBlock();
  absl::Status status = RunLines(lines, begin, end);
  LeaveBlock();
  variables_ = outer_variables;
  return status;
}

absl::Status TableExpander::RunLines(const std::vector<Line>& lines, size_t begin, size_t end) {
  bool condition = false;  // the value of the last `if`, for the `else` after it
  for (size_t i = begin; i < end;) {
    const Line& line = lines[i];
    if (line.text == "}") return ErrorAt(line.where, "'}' closes nothing");
    const char kind = BodyKind(line.text);
    const size_t next = StatementEnd(lines, i, end);
    if (next > end) return ErrorAt(line.where, kind == '{' ? "block is not closed by '}'" : "the body is missing");
    const Body body = {&lines, i + 1, kind == '{' ? next - 1 : next};
    std::string header;
    absl::Status status = absl::OkStatus();
    if (kind == 0) {
      status = RunOne(line);
    } else if (status = Substitute(line, line.text.substr(0, line.text.size() - 1), header); status.ok()) {
      if (absl::StartsWith(header, "for ")) {
        status = RunFor(line, header, body);
      } else {
        if (absl::StartsWith(header, "if ")) {
          status = EvaluateIf(line, header, condition);
        } else {
          condition = !condition;
        }
        if (status.ok() && condition) status = RunBlock(lines, body.begin, body.end);
      }
    }
    if (!status.ok()) return status;
    i = next;
  }
  return absl::OkStatus();
}

// if VARIABLE [not] in VALUE ...
absl::Status TableExpander::EvaluateIf(const Line& line, const std::string& header, bool& condition) const {
  const std::vector<std::string> words = Words(header);
  const bool negated = words.size() > 2 && words[2] == "not";
  const size_t in = negated ? 3 : 2;
  if (words.size() < in + 2 || words[in] != "in") {
    return ErrorAt(line.where, "expected 'if NAME [not] in VALUE...'");
  }
  std::string value;
  if (!Lookup(words[1], value)) return ErrorAt(line.where, absl::StrCat("unknown variable '", words[1], "'"));
  const bool found =
      std::any_of(words.begin() + in + 1, words.end(), [&](const std::string& word) { return Value(word) == value; });
  condition = found != negated;
  return absl::OkStatus();
}

absl::Status TableExpander::RunFor(const Line& line, const std::string& header, const Body& body) {
  absl::string_view text = header;
  absl::ConsumePrefix(&text, "for ");
  const std::vector<std::string> levels = absl::StrSplit(text, ';');
  return RunForLevel(line, levels, 0, body);
}

// Runs one level, "NAME[,NAME...] in VALUE[,VALUE...] ...".
absl::Status TableExpander::RunForLevel(const Line& line, const std::vector<std::string>& levels, size_t level,
                                        const Body& body) {
  if (level == levels.size()) return RunBlock(*body.lines, body.begin, body.end);
  const std::vector<std::string> words = Words(levels[level]);
  if (words.size() < 3 || words[1] != "in") return ErrorAt(line.where, "expected 'NAME in VALUE...'");
  const std::vector<std::string> names = absl::StrSplit(words[0], ',');
  const Scope outer = variables_;
  for (size_t w = 2; w < words.size(); ++w) {
    const std::vector<std::string> values = absl::StrSplit(words[w], ',');
    if (values.size() != names.size()) {
      return ErrorAt(line.where, absl::StrCat("'", words[w], "' should hold ", names.size(), " values"));
    }
    for (size_t i = 0; i < names.size(); ++i) variables_[names[i]] = Value(values[i]);
    if (absl::Status status = RunForLevel(line, levels, level + 1, body); !status.ok()) return status;
  }
  variables_ = outer;
  return absl::OkStatus();
}

absl::Status TableExpander::RunOne(const Line& line) {
  const absl::string_view first = absl::string_view(line.text).substr(0, line.text.find(' '));
  if (first == "let") return DefineLet(line);
  if (first == "map") return DefineMap(line, Words(line.text));
  if (first == "text") return DefineText(line, Words(line.text));
  return RunStatement(line);
}

// let NAME VALUE
absl::Status TableExpander::DefineLet(const Line& line) {
  std::string text;
  if (absl::Status status = Substitute(line, line.text, text); !status.ok()) return status;
  const std::vector<std::string> words = Words(text);
  if (words.size() != 3) return ErrorAt(line.where, "expected 'let NAME VALUE'");
  variables_[words[1]] = Value(words[2]);
  return absl::OkStatus();
}

// map NAME KEY=VALUE ...
absl::Status TableExpander::DefineMap(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 3) return ErrorAt(line.where, "expected 'map NAME KEY=VALUE...'");
  for (size_t i = 2; i < words.size(); ++i) {
    std::pair<std::string, std::string> entry = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    maps_[words[1]][Value(entry.first)] = Value(entry.second);
  }
  return absl::OkStatus();
}

// text NAME = ANYTHING
absl::Status TableExpander::DefineText(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 4 || words[2] != "=") return ErrorAt(line.where, "expected 'text NAME = TEXT'");
  variables_[words[1]] = line.text.substr(line.text.find('=') + 2);
  return absl::OkStatus();
}

bool TableExpander::Lookup(absl::string_view name, std::string& value) const {
  auto it = variables_.find(std::string(name));
  if (it != variables_.end()) {
    value = it->second;
    return true;
  }
  if (IsUpper(name)) {
    it = variables_.find(absl::AsciiStrToLower(name));
    if (it != variables_.end()) {
      value = absl::AsciiStrToUpper(Identifier(it->second));
      return true;
    }
  }
  return false;
}

// Replaces every <...> in `text`. Nested ones are replaced first, so that <v?[<w>]> works.
absl::Status TableExpander::Substitute(const Line& line, absl::string_view text, std::string& out) const {
  out.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '<') {
      out.push_back(text[i]);
      continue;
    }
    int depth = 1;
    size_t end = i + 1;
    for (; end < text.size(); ++end) {
      if (text[end] == '<') ++depth;
      if (text[end] == '>' && --depth == 0) break;
    }
    if (depth != 0) return ErrorAt(line.where, "'<' without '>'");
    std::string inner;
    if (absl::Status status = Substitute(line, text.substr(i + 1, end - i - 1), inner); !status.ok()) {
      return status;
    }
    std::string value;
    if (absl::Status status = SubstituteOne(line, inner, value); !status.ok()) return status;
    out.append(value);
    i = end;
  }
  return absl::OkStatus();
}

// Substitutes the inside of one <...>: [PREFIX]NAME, NAME.DIGIT, MAP(NAME), NAME*NAME, NAME?TEXT[~TEXT].
absl::Status TableExpander::SubstituteOne(const Line& line, absl::string_view inner, std::string& out) const {
  auto unknown = [&](absl::string_view name) {
    return ErrorAt(line.where, absl::StrCat("unknown variable '", name, "'"));
  };
  if (const size_t question = inner.find('?'); question != absl::string_view::npos) {
    std::string value;
    if (!Lookup(inner.substr(0, question), value)) return unknown(inner.substr(0, question));
    absl::string_view yes = inner.substr(question + 1), no;
    if (const size_t tilde = yes.find('~'); tilde != absl::string_view::npos) {
      no = yes.substr(tilde + 1);
      yes = yes.substr(0, tilde);
    }
    out = std::string(value.empty() ? no : yes);
    return absl::OkStatus();
  }
  size_t start = 0;
  while (start < inner.size() && !absl::ascii_isalnum(inner[start])) ++start;
  const absl::string_view prefix = inner.substr(0, start);
  absl::string_view body = inner.substr(start);
  std::string value;
  if (const size_t open = body.find('('); open != absl::string_view::npos && body.back() == ')') {
    auto map = maps_.find(std::string(body.substr(0, open)));
    const bool upper = map == maps_.end() && IsUpper(body.substr(0, open));
    if (upper) map = maps_.find(absl::AsciiStrToLower(body.substr(0, open)));
    if (map == maps_.end()) return ErrorAt(line.where, absl::StrCat("unknown map in '", body, "'"));
    absl::string_view argument = body.substr(open + 1, body.size() - open - 2);
    std::string key;
    if (!Lookup(argument, key)) key = std::string(argument);
    auto entry = map->second.find(key);
    if (entry == map->second.end()) {
      return ErrorAt(line.where, absl::StrCat("map '", map->first, "' has no '", key, "'"));
    }
    value = upper ? absl::AsciiStrToUpper(Identifier(entry->second)) : entry->second;
  } else if (const size_t star = body.find('*'); star != absl::string_view::npos) {
    int64_t product = 1;
    for (absl::string_view factor : {body.substr(0, star), body.substr(star + 1)}) {
      std::string digits;
      int64_t number = 0;
      if (!Lookup(factor, digits)) digits = std::string(factor);
      if (!absl::SimpleAtoi(digits, &number)) {
        return ErrorAt(line.where, absl::StrCat("'", factor, "' is not a number"));
      }
      product *= number;
    }
    value = absl::StrCat(product);
  } else if (const size_t dot = body.find('.'); dot != absl::string_view::npos) {
    if (!Lookup(body.substr(0, dot), value)) return unknown(body.substr(0, dot));
    const size_t index = static_cast<size_t>(body[dot + 1] - '0');
    if (dot + 2 != body.size() || index >= value.size()) {
      return ErrorAt(line.where, absl::StrCat("'", value, "' has no such letter: '", body, "'"));
    }
    value = value.substr(index, 1);
  } else if (!Lookup(body, value)) {
    return unknown(body);
  }
  if (!prefix.empty() && prefix[0] == '_' && !value.empty()) value = Identifier(value);
  out = value.empty() ? value : absl::StrCat(prefix, value);
  return absl::OkStatus();
}

}  // namespace ptxmir::ptx::isa

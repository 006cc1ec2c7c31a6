// The table language; see README.md for the language and isa_table.h for what this is for.
//
// A file is split into logical lines (comments dropped, `\` joins lines); a block is a range of lines, and
// a loop runs its range once for each tuple of values with the loop's variables set. Substitution of <...>
// happens on the whole line before anything else looks at it, which keeps the rest of the reader simple.

#include "ptx/isa/isa_table.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace ptxmir::ptx::isa {
namespace {

absl::Status ErrorAt(const std::string& where, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", message));
}

std::vector<std::string> Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

// "-" stands for the empty string wherever the language has a list of values.
std::string Value(absl::string_view word) { return word == "-" ? std::string() : std::string(word); }

// Makes a piece of an identifier out of a value: what is neither letter nor digit becomes '_', runs of
// those one.
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

bool IsIdentifier(absl::string_view name) {
  return absl::ascii_isalpha(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

bool IsUpper(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isupper(c) || absl::ascii_isdigit(c);
  });
}

// Whether the line is the head of a loop or condition, and whether its body is a block in braces ('{') or the
// one statement that follows (':'); 0 if it is no head.
char BodyKind(absl::string_view line) {
  if (!absl::StartsWith(line, "for ") && !absl::StartsWith(line, "if ") && line != "else {" &&
      line != "else :") {
    return 0;
  }
  return absl::EndsWith(line, " {") ? '{' : absl::EndsWith(line, " :") ? ':' : 0;
}

std::string Unescape(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    ++i;
    out.push_back(text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i]);
  }
  return out;
}

}  // namespace

absl::Status IsaTable::ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::ostringstream text;
  text << in.rdbuf();
  return ReadText(text.str(), path);
}

absl::Status IsaTable::ReadText(absl::string_view text, absl::string_view file_name) {
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
  attributes_.clear();
  family_.clear();
  return RunBlock(lines, 0, lines.size());
}

// Where the statement at `begin` ends; `end` + 1 if its block is not closed.
size_t IsaTable::StatementEnd(const std::vector<Line>& lines, size_t begin, size_t end) {
  if (begin >= end) return end + 1;
  const char kind = BodyKind(lines[begin].text);
  if (kind == 0) return begin + 1;
  size_t i = begin + 1;
  if (kind == ':') return StatementEnd(lines, i, end);
  while (i < end && lines[i].text != "}") i = StatementEnd(lines, i, end);
  return i + 1;
}

absl::Status IsaTable::RunBlock(const std::vector<Line>& lines, size_t begin, size_t end) {
  const Scope outer_attributes = attributes_;
  const Scope outer_variables = variables_;
  const std::string outer_family = family_;
  bool condition = false;  // of the last `if`, for the `else` behind it
  for (size_t i = begin; i < end;) {
    const Line& line = lines[i];
    if (line.text == "}") return ErrorAt(line.where, "'}' closes nothing");
    const char kind = BodyKind(line.text);
    const size_t next = StatementEnd(lines, i, end);
    if (next > end)
      return ErrorAt(line.where, kind == '{' ? "block is not closed by '}'" : "the body is missing");
    const Body body = {&lines, i + 1, kind == '{' ? next - 1 : next};
    std::string header;
    absl::Status status = absl::OkStatus();
    if (kind == 0) {
      status = RunStatement(line);
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
  attributes_ = outer_attributes;
  variables_ = outer_variables;
  family_ = outer_family;
  return absl::OkStatus();
}

// if VARIABLE [not] in VALUE ...
absl::Status IsaTable::EvaluateIf(const Line& line, const std::string& header, bool& condition) const {
  const std::vector<std::string> words = Words(header);
  const bool negated = words.size() > 2 && words[2] == "not";
  const size_t in = negated ? 3 : 2;
  if (words.size() < in + 2 || words[in] != "in") {
    return ErrorAt(line.where, "expected 'if NAME [not] in VALUE...'");
  }
  std::string value;
  if (!Lookup(words[1], value)) return ErrorAt(line.where, absl::StrCat("unknown variable '", words[1], "'"));
  const bool found = std::any_of(words.begin() + in + 1, words.end(),
                                 [&](const std::string& word) { return Value(word) == value; });
  condition = found != negated;
  return absl::OkStatus();
}

absl::Status IsaTable::RunFor(const Line& line, const std::string& header, const Body& body) {
  absl::string_view text = header;
  absl::ConsumePrefix(&text, "for ");
  const std::vector<std::string> levels = absl::StrSplit(text, ';');
  return RunForLevel(line, levels, 0, body);
}

// One level is "NAME[,NAME...] in VALUE[,VALUE...] ...".
absl::Status IsaTable::RunForLevel(const Line& line, const std::vector<std::string>& levels, size_t level,
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

absl::Status IsaTable::RunStatement(const Line& line) {
  const absl::string_view first = absl::string_view(line.text).substr(0, line.text.find(' '));
  if (first == "family" || first == "set" || first == "anonymous" || first == "let") {
    std::string text;
    if (absl::Status status = Substitute(line, line.text, text); !status.ok()) return status;
    const std::vector<std::string> words = Words(text);
    if (words.size() < 2) return ErrorAt(line.where, absl::StrCat("'", first, "' needs more words"));
    if (first == "anonymous") return SetAnonymousNumbers(line, words);
    if (first == "set") return SetAttributes(line, text.substr(first.size()), attributes_);
    if (first == "let") {
      if (words.size() != 3) return ErrorAt(line.where, "expected 'let NAME VALUE'");
      variables_[words[1]] = Value(words[2]);
      return absl::OkStatus();
    }
    family_ = words[1];
    attributes_.clear();
    return SetAttributes(line, text.substr(text.find(words[1], first.size()) + words[1].size()), attributes_);
  }
  static const std::map<absl::string_view,
                        absl::Status (IsaTable::*)(const Line&, const std::vector<std::string>&)>
      kDefinitions = {
          {"role", &IsaTable::DefineRole},       {"type", &IsaTable::DefineType},
          {"map", &IsaTable::DefineMap},         {"modifier", &IsaTable::DefineModifier},
          {"latency", &IsaTable::DefineLatency}, {"spaces", &IsaTable::DefineNames},
          {"effects", &IsaTable::DefineNames},   {"text", &IsaTable::DefineText},
      };
  if (auto it = kDefinitions.find(first); it != kDefinitions.end())
    return (this->*it->second)(line, Words(line.text));
  return RunRow(line);
}

// anonymous START [+STEP[*TIMES] | =NUMBER]...; a step "=N" jumps to a number and is kept as a negative one.
absl::Status IsaTable::SetAnonymousNumbers(const Line& line, const std::vector<std::string>& words) {
  anonymous_steps_.clear();
  if (!absl::SimpleAtoi(words[1], &anonymous_next_)) {
    return ErrorAt(line.where, "expected 'anonymous START [+STEP[*TIMES] | =NUMBER]...'");
  }
  for (size_t i = 2; i < words.size(); ++i) {
    const std::vector<std::string> parts = absl::StrSplit(words[i], '*');
    int64_t step = 0, times = 1;
    if ((words[i][0] != '+' && words[i][0] != '=') || parts.size() > 2 ||
        !absl::SimpleAtoi(parts[0].substr(1), &step) ||
        (parts.size() == 2 && !absl::SimpleAtoi(parts[1], &times)) || step < 1 || times < 1) {
      return ErrorAt(line.where, absl::StrCat("bad step '", words[i], "'"));
    }
    anonymous_steps_.push_back({words[i][0] == '=' ? -step : step, times});
  }
  std::reverse(anonymous_steps_.begin(), anonymous_steps_.end());
  return absl::OkStatus();
}

// role NAME [MODIFIER]
absl::Status IsaTable::DefineRole(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > 3) return ErrorAt(line.where, "expected 'role NAME [MODIFIER]'");
  roles_.push_back({words[1], words.size() == 3 ? words[2] : ""});
  return absl::OkStatus();
}

// type NAME = TYPE[/ROLE] ...
absl::Status IsaTable::DefineType(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 4 || words[2] != "=") {
    return ErrorAt(line.where, "expected 'type NAME = TYPE[/ROLE]...'");
  }
  for (size_t i = 3; i < words.size(); ++i) {
    std::pair<std::string, std::string> slot = absl::StrSplit(words[i], absl::MaxSplits('/', 1));
    types_[words[1]].push_back(slot);
  }
  return absl::OkStatus();
}

// map NAME KEY=VALUE ...
absl::Status IsaTable::DefineMap(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 3) return ErrorAt(line.where, "expected 'map NAME KEY=VALUE...'");
  for (size_t i = 2; i < words.size(); ++i) {
    std::pair<std::string, std::string> entry = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    maps_[words[1]][Value(entry.first)] = Value(entry.second);
  }
  return absl::OkStatus();
}

// latency NAME CYCLES ISSUE
absl::Status IsaTable::DefineLatency(const Line& line, const std::vector<std::string>& words) {
  IsaLatency latency;
  if (words.size() != 4 || !absl::SimpleAtoi(words[2], &latency.cycles) ||
      !absl::SimpleAtoi(words[3], &latency.issue)) {
    return ErrorAt(line.where, "expected 'latency NAME CYCLES ISSUE'");
  }
  latency.name = words[1];
  latencies_.push_back(latency);
  return absl::OkStatus();
}

// text NAME = ANYTHING
absl::Status IsaTable::DefineText(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 4 || words[2] != "=") return ErrorAt(line.where, "expected 'text NAME = TEXT'");
  variables_[words[1]] = line.text.substr(line.text.find('=') + 2);
  return absl::OkStatus();
}

// spaces NAME ...; effects NAME ...
absl::Status IsaTable::DefineNames(const Line&, const std::vector<std::string>& words) {
  std::vector<std::string>& list = words[0] == "spaces" ? spaces_ : effects_;
  list.insert(list.end(), words.begin() + 1, words.end());
  return absl::OkStatus();
}

// modifier NAME KIND[=NUMBER] [VALUE=TEXT ...]; "-" is the empty text.
absl::Status IsaTable::DefineModifier(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 3) return ErrorAt(line.where, "expected 'modifier NAME KIND ...'");
  IsaModifier modifier;
  modifier.name = words[1];
  const std::string& kind = words[2];
  if (kind == "value") {
    modifier.kind = IsaModifier::Kind::kValue;
  } else if (absl::StartsWith(kind, "mask=") && absl::SimpleAtoi(kind.substr(5), &modifier.mask)) {
    modifier.kind = IsaModifier::Kind::kValue;
  } else if (kind == "bit") {
    modifier.kind = IsaModifier::Kind::kBit;
  } else if (kind == "nonzero") {
    modifier.kind = IsaModifier::Kind::kNonZero;
  } else if (kind == "atleast") {
    modifier.kind = IsaModifier::Kind::kAtLeast;
  } else if (kind == "code") {
    modifier.kind = IsaModifier::Kind::kCode;
  } else {
    return ErrorAt(line.where, absl::StrCat("unknown kind of modifier '", kind, "'"));
  }
  for (size_t i = 3; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    int64_t value = 0;
    if (equals == std::string::npos || !absl::SimpleAtoi(words[i].substr(0, equals), &value)) {
      return ErrorAt(line.where, absl::StrCat("expected VALUE=TEXT, not '", words[i], "'"));
    }
    modifier.texts.push_back({value, Value(words[i].substr(equals + 1))});
  }
  modifiers_.push_back(std::move(modifier));
  return absl::OkStatus();
}

absl::Status IsaTable::SetAttributes(const Line& line, const std::string& text, Scope& attributes) {
  for (const std::string& word : Words(text)) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return ErrorAt(line.where, absl::StrCat("expected KEY=VALUE, not '", word, "'"));
    }
    const std::string key = word.substr(0, equals);
    if (key != "flags" && key != "fx" && key != "lat" && key != "sem" && key != "space" && key != "bits") {
      return ErrorAt(line.where, absl::StrCat("unknown attribute '", key, "'"));
    }
    attributes[key] = Value(word.substr(equals + 1));
  }
  return absl::OkStatus();
}

bool IsaTable::Lookup(absl::string_view name, std::string& value) const {
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
absl::Status IsaTable::Substitute(const Line& line, absl::string_view text, std::string& out) const {
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

// The inside of one <...>: [PREFIX]NAME, NAME.DIGIT, MAP(NAME), NAME*NAME, NAME?TEXT[~TEXT].
absl::Status IsaTable::SubstituteOne(const Line& line, absl::string_view inner, std::string& out) const {
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

int64_t IsaTable::NextAnonymousNumber() {
  const int64_t number = anonymous_next_;
  int64_t step = 1;
  if (!anonymous_steps_.empty()) {
    step = anonymous_steps_.back().first;
    if (--anonymous_steps_.back().second == 0) anonymous_steps_.pop_back();
  }
  anonymous_next_ = step < 0 ? -step : anonymous_next_ + step;
  return number;
}

// [anon] NAME [[ATTRIBUTES]] : OPERANDS : TEMPLATE
absl::Status IsaTable::RunRow(const Line& line) {
  std::string text;
  if (absl::Status status = Substitute(line, line.text, text); !status.ok()) return status;
  IsaRow row;
  row.where = line.where;
  row.family = family_;
  row.attributes = attributes_;
  if (family_.empty()) return ErrorAt(line.where, "instruction outside a family");

  size_t head_end = text.find(" : ");
  size_t template_start = std::string::npos;
  if (head_end != std::string::npos) {
    if (absl::StartsWith(absl::string_view(text).substr(head_end + 2), " : ")) {
      template_start = head_end + 2;
    } else {
      template_start = text.find(" : ", head_end + 3);
    }
  }
  if (template_start == std::string::npos) {
    return ErrorAt(line.where, "expected 'NAME : OPERANDS : TEMPLATE'");
  }
  std::string head = text.substr(0, head_end);
  std::string operands = text.substr(head_end + 2, template_start - head_end - 2);
  std::string print = text.substr(template_start + 3);
  if (const size_t open = head.find('['); open != std::string::npos) {
    const size_t close = head.find(']', open);
    if (close == std::string::npos) return ErrorAt(line.where, "'[' without ']'");
    if (absl::Status status = SetAttributes(line, head.substr(open + 1, close - open - 1), row.attributes);
        !status.ok()) {
      return status;
    }
    head = head.substr(0, open);
  }
  std::vector<std::string> words = Words(head);
  const bool anonymous = words.size() == 2 && words[0] == "anon";
  if (words.size() != 1 && !anonymous) return ErrorAt(line.where, absl::StrCat("not a name: '", head, "'"));
  row.stable_name = words.back();
  if (!IsIdentifier(row.stable_name)) {
    return ErrorAt(line.where, absl::StrCat("not an identifier: '", row.stable_name, "'"));
  }
  row.name = anonymous ? absl::StrCat("anonymous_", NextAnonymousNumber()) : row.stable_name;
  if (absl::Status status = AddOperands(line, operands, row); !status.ok()) return status;
  if (absl::Status status = AddTemplate(line, print, row); !status.ok()) return status;
  rows_.push_back(std::move(row));
  return absl::OkStatus();
}

absl::Status IsaTable::AddOperands(const Line& line, const std::string& text, IsaRow& row) {
  for (std::string& token : Words(text)) {
    if (absl::Status status = AddOperand(line, std::move(token), row); !status.ok()) return status;
  }
  for (const IsaOperand& operand : row.operands) {
    if (operand.is_def && &operand != &row.operands[row.num_defs]) {
      return ErrorAt(line.where, "definitions must come first");
    }
    row.num_defs += operand.is_def;
  }
  return absl::OkStatus();
}

// [=]NAME[*COUNT][:TYPE[/ROLE]][@tiedN]
absl::Status IsaTable::AddOperand(const Line& line, std::string token, IsaRow& row) {
  IsaOperand operand;
  const std::string original = token;
  if (token[0] == '=') {
    operand.is_def = true;
    token = token.substr(1);
  }
  if (const size_t at = token.find("@tied"); at != std::string::npos) {
    operand.tied_to = std::atoi(token.c_str() + at + 5);
    token = token.substr(0, at);
  }
  std::string type = token;
  if (const size_t colon = token.find(':'); colon != std::string::npos) {
    type = token.substr(colon + 1);
    token = token.substr(0, colon);
  }
  int count = -1;
  if (const size_t star = token.find('*'); star != std::string::npos) {
    if (!absl::SimpleAtoi(token.substr(star + 1), &count) || count < 0 || count > 128) {
      return ErrorAt(line.where, absl::StrCat("bad count in '", original, "'"));
    }
    token = token.substr(0, star);
    if (type.find('*') != std::string::npos) type = token;
  }
  operand.name = token;
  std::pair<std::string, std::string> base = absl::StrSplit(type, absl::MaxSplits('/', 1));
  // A shape letter before a class: iB32 is an immediate, rB32 a register.
  if (base.first.size() > 2 && base.first[1] == 'B' && (base.first[0] == 'r' || base.first[0] == 'i')) {
    base.first = base.first[0] == 'i' ? "imm" : base.first.substr(1);
  }
  static const char* const kBaseTypes[] = {"B1",          "B16", "B32",     "B64", "B128",
                                           "SpecialRegs", "imm", "unknown", "reg"};
  std::vector<std::pair<std::string, std::string>> slots = {base};
  if (std::find(std::begin(kBaseTypes), std::end(kBaseTypes), base.first) == std::end(kBaseTypes)) {
    auto it = types_.find(base.first);
    if (it == types_.end() || !base.second.empty()) {
      return ErrorAt(line.where, absl::StrCat("unknown type '", type, "' of '", original, "'"));
    }
    slots = it->second;
  }
  for (int i = 0; i < std::max(count, 1); ++i) {
    if (count == 0) break;
    for (const auto& [slot_type, role] : slots) {
      operand.name = count < 0 ? token : absl::StrCat(token, ".", i);
      operand.type = slot_type;
      operand.role = role;
      if (!role.empty() &&
          std::none_of(roles_.begin(), roles_.end(), [&](const IsaRole& r) { return r.name == role; })) {
        return ErrorAt(line.where, absl::StrCat("unknown role '", role, "'"));
      }
      row.operands.push_back(operand);
    }
  }
  return absl::OkStatus();
}

// A template: text with $name, ${name}, ${name:modifier}, $name.2 (element of a list), $$.
absl::Status IsaTable::AddTemplate(const Line& line, const std::string& text, IsaRow& row) {
  if (text == "!unprintable") {
    row.printable = false;
    return absl::OkStatus();
  }
  std::string literal = "\t";
  std::string raw;
  auto flush = [&] {
    literal.append(Unescape(raw));
    raw.clear();
    if (!literal.empty()) {
      TemplatePiece piece;
      piece.literal = literal;
      row.pieces.push_back(piece);
    }
    literal.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      raw.push_back(text[i]);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '$') {
      raw.push_back('$');
      ++i;
      continue;
    }
    flush();
    std::string name, modifier;
    if (i + 1 < text.size() && text[i + 1] == '{') {
      const size_t close = text.find('}', i);
      if (close == std::string::npos) return ErrorAt(line.where, "'${' without '}'");
      name = text.substr(i + 2, close - i - 2);
      if (const size_t colon = name.find(':'); colon != std::string::npos) {
        modifier = name.substr(colon + 1);
        name = name.substr(0, colon);
      }
      i = close;
    } else {
      size_t end = i + 1;
      while (end < text.size() && absl::ascii_isalnum(text[end])) ++end;
      if (end + 1 < text.size() && text[end] == '.' && absl::ascii_isdigit(text[end + 1])) {
        end += 2;
        while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
      }
      name = text.substr(i + 1, end - i - 1);
      i = end - 1;
    }
    if (absl::Status status = ReferTo(line, name, modifier, row); !status.ok()) return status;
  }
  flush();
  return absl::OkStatus();
}

absl::Status IsaTable::ReferTo(const Line& line, const std::string& name, const std::string& modifier,
                               IsaRow& row) {
  TemplatePiece piece;
  piece.count = 0;
  const std::string list_prefix = name + ".";
  for (size_t i = 0; i < row.operands.size(); ++i) {
    const IsaOperand& operand = row.operands[i];
    if (operand.name != name && !absl::StartsWith(operand.name, list_prefix)) continue;
    if (piece.operand < 0) piece.operand = static_cast<int>(i);
    ++piece.count;
    // The slots after the first of an address belong to it.
    if (operand.name == name) break;
  }
  if (piece.operand < 0) {
    return ErrorAt(line.where, absl::StrCat("no operand '", name, "' in ", row.stable_name));
  }
  piece.modifier = modifier;
  const IsaOperand& operand = row.operands[piece.operand];
  if (modifier.empty() && !operand.role.empty()) {
    for (const IsaRole& role : roles_) {
      if (role.name == operand.role) piece.modifier = role.modifier;
    }
  }
  if (!piece.modifier.empty() &&
      std::none_of(modifiers_.begin(), modifiers_.end(),
                   [&](const IsaModifier& m) { return m.name == piece.modifier; })) {
    return ErrorAt(line.where, absl::StrCat("unknown modifier '", piece.modifier, "'"));
  }
  row.pieces.push_back(std::move(piece));
  return absl::OkStatus();
}

}  // namespace ptxmir::ptx::isa

// SPDX-License-Identifier: Apache-2.0

#include "tests/support/file_check.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/str_cat.h"
#include "re2/re2.h"

namespace ptxmir::testing {
namespace {

enum class Kind { kPlain, kNext, kSame, kNot, kDag, kLabel, kEmpty };

struct Directive {
  Kind kind;
  std::string_view text;
  size_t line;  // of the check text, counted from 1
  int count = 1;
};

struct Match {
  size_t begin;
  size_t end;
};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Finds "PREFIX[-SUFFIX]:" in a line. Returns false if it is not one of our directives.
bool ParseDirective(std::string_view line, std::string_view prefix, Directive& directive) {
  size_t at = line.find(prefix);
  while (at != std::string_view::npos) {
    const bool starts_word = at == 0 || (!std::isalnum(static_cast<unsigned char>(line[at - 1])) &&
                                         line[at - 1] != '-' && line[at - 1] != '_');
    std::string_view rest = line.substr(at + prefix.size());
    const size_t colon = rest.find(':');
    if (starts_word && colon != std::string_view::npos) {
      const std::string_view suffix = rest.substr(0, colon);
      static const std::map<std::string_view, Kind> kSuffixes = {
          {"", Kind::kPlain},   {"-NEXT", Kind::kNext},   {"-SAME", Kind::kSame},  {"-NOT", Kind::kNot},
          {"-DAG", Kind::kDag}, {"-LABEL", Kind::kLabel}, {"-EMPTY", Kind::kEmpty}};
      const auto known = kSuffixes.find(suffix);
      int count = 1;
      const bool counted = RE2::FullMatch(re2::StringPiece(suffix.data(), suffix.size()), "-COUNT-(\\d+)", &count);
      if (known != kSuffixes.end() || counted) {
        directive.kind = counted ? Kind::kPlain : known->second;
        directive.count = count;
        std::string_view text = rest.substr(colon + 1);
        while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
        while (!text.empty() && (IsBlank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
        directive.text = text;
        return true;
      }
    }
    at = line.find(prefix, at + 1);
  }
  return false;
}

std::vector<Directive> ParseDirectives(std::string_view text, std::string_view prefix) {
  std::vector<Directive> directives;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    Directive directive{};
    if (ParseDirective(text.substr(0, end), prefix, directive)) {
      directive.line = number;
      directives.push_back(directive);
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return directives;
}

class Checker {
 public:
  Checker(std::string_view input, std::vector<Directive> directives)
      : input_(input), directives_(std::move(directives)) {}

  std::string Run() {
    // Labels are matched first. They divide the input into sections to which the other lines are limited.
    size_t i = 0;
    size_t section_begin = 0;
    while (i < directives_.size() && error_.empty()) {
      size_t next_label = i;
      if (directives_[i].kind == Kind::kLabel) {
        const size_t found = FindLabel(directives_[i], section_begin);
        if (!error_.empty()) break;
        position_ = found;
        ++i;
        next_label = i;
      }
      while (next_label < directives_.size() && directives_[next_label].kind != Kind::kLabel) ++next_label;
      limit_ = input_.size();
      if (next_label < directives_.size()) {
        Match match;
        if (Search(directives_[next_label], position_, input_.size(), match)) {
          limit_ = match.begin;
          section_begin = match.begin;
        } else {
          Fail(directives_[next_label], "label is not in the input");
          break;
        }
      }
      RunSection(i, next_label);
      i = next_label;
    }
    return error_;
  }

 private:
  size_t FindLabel(const Directive& directive, size_t from) {
    Match match;
    if (!Search(directive, from, input_.size(), match)) {
      Fail(directive, "label is not in the input");
      return from;
    }
    return match.end;
  }

  void RunSection(size_t begin, size_t end) {
    std::vector<const Directive*> nots;
    for (size_t i = begin; i < end && error_.empty(); ++i) {
      const Directive& directive = directives_[i];
      if (directive.kind == Kind::kNot) {
        nots.push_back(&directive);
        continue;
      }
      const size_t from = position_;
      size_t matched_from = from;
      if (directive.kind == Kind::kDag) {
        size_t last = i;
        while (last + 1 < end && directives_[last + 1].kind == Kind::kDag) ++last;
        RunDagGroup(i, last, matched_from);
        i = last;
      } else {
        for (int n = 0; n < directive.count && error_.empty(); ++n) {
          const size_t start = RunOne(directive);
          if (n == 0) matched_from = start;
        }
      }
      if (error_.empty()) CheckNots(nots, from, matched_from);
      nots.clear();
    }
    if (error_.empty()) CheckNots(nots, position_, limit_);
  }

  // Matches one positional directive. Returns the position of the match.
  size_t RunOne(const Directive& directive) {
    Match match{position_, position_};
    const size_t line_end = std::min(input_.find('\n', position_), limit_);
    if (directive.kind == Kind::kEmpty) {
      if (line_end + 1 < input_.size() && input_[line_end + 1] == '\n') {
        position_ = line_end + 1;
      } else {
        Fail(directive, "next line is not empty");
      }
      return line_end;
    }
    if (!Search(directive, position_, limit_, match)) {
      Fail(directive, "not found");
      return match.begin;
    }
    if (directive.kind == Kind::kSame && match.begin > line_end) Fail(directive, "is not on the same line");
    if (directive.kind == Kind::kNext) {
      const auto newlines = std::count(input_.begin() + static_cast<long>(position_),
                                       input_.begin() + static_cast<long>(match.begin), '\n');
      if (newlines != 1) Fail(directive, newlines == 0 ? "is on the same line" : "is not on the next line");
    }
    position_ = match.end;
    return match.begin;
  }

  void RunDagGroup(size_t first, size_t last, size_t& matched_from) {
    std::vector<Match> taken;
    matched_from = limit_;
    size_t furthest = position_;
    for (size_t i = first; i <= last && error_.empty(); ++i) {
      Match match{};
      size_t from = position_;
      bool found = false;
      while (!found && Search(directives_[i], from, limit_, match)) {
        found = std::none_of(taken.begin(), taken.end(),
                             [&](const Match& other) { return match.begin < other.end && other.begin < match.end; });
        from = match.begin + 1;
      }
      if (!found) return Fail(directives_[i], "not found");
      taken.push_back(match);
      matched_from = std::min(matched_from, match.begin);
      furthest = std::max(furthest, match.end);
    }
    position_ = furthest;
  }

  void CheckNots(const std::vector<const Directive*>& nots, size_t from, size_t to) {
    for (const Directive* directive : nots) {
      Match match;
      if (to > from && Search(*directive, from, to, match)) Fail(*directive, "is there, but must not be");
    }
  }

  // Returns the directive's text as a regular expression, and the names of new variables in `captures`.
  std::string Pattern(std::string_view text, std::vector<std::string>& captures) const {
    std::string pattern = "(?m)";
    std::string literal;
    const auto flush = [&] {
      pattern += RE2::QuoteMeta(literal);
      literal.clear();
    };
    while (!text.empty()) {
      const size_t regex_end = text.substr(0, 2) == "{{" ? text.find("}}") : std::string_view::npos;
      const size_t variable_end = text.substr(0, 2) == "[[" ? text.find("]]") : std::string_view::npos;
      if (regex_end != std::string_view::npos) {
        flush();
        StrAppend(&pattern, "(?:", text.substr(2, regex_end - 2), ")");
        text.remove_prefix(regex_end + 2);
      } else if (variable_end != std::string_view::npos) {
        flush();
        const std::string_view body = text.substr(2, variable_end - 2);
        const size_t colon = body.find(':');
        if (colon == std::string_view::npos) {
          const auto value = variables_.find(std::string(body));
          pattern += value == variables_.end() ? "[^\\s\\S]" : RE2::QuoteMeta(value->second);
        } else {
          captures.emplace_back(body.substr(0, colon));
          StrAppend(&pattern, "(", body.substr(colon + 1), ")");
        }
        text.remove_prefix(variable_end + 2);
      } else if (IsBlank(text.front())) {
        flush();
        pattern += "[ \\t]+";
        while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
      } else {
        literal += text.front();
        text.remove_prefix(1);
      }
    }
    flush();
    return pattern;
  }

  bool Search(const Directive& directive, size_t from, size_t to, Match& match) {
    std::vector<std::string> captures;
    const RE2 regex(Pattern(directive.text, captures), RE2::Quiet);
    if (!regex.ok()) {
      Fail(directive, StrCat("bad regular expression: ", regex.error()));
      return false;
    }
    std::vector<re2::StringPiece> groups(static_cast<size_t>(regex.NumberOfCapturingGroups()) + 1);
    const re2::StringPiece text(input_.data(), to);
    if (!regex.Match(text, from, to, RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
      return false;
    }
    match.begin = static_cast<size_t>(groups[0].data() - input_.data());
    match.end = match.begin + groups[0].size();
    if (directive.kind != Kind::kNot) {
      for (size_t i = 0; i < captures.size(); ++i) variables_[captures[i]] = std::string(groups[i + 1]);
    }
    return true;
  }

  void Fail(const Directive& directive, std::string_view what) {
    if (!error_.empty()) return;
    const size_t line_begin = position_ == 0 ? 0 : input_.rfind('\n', position_ - 1) + 1;
    error_ = StrCat("check line ", directive.line, ": '", directive.text, "' ", what, "\nscanning from here:\n",
                    input_.substr(line_begin, 600), "\n");
  }

  std::string_view input_;
  std::vector<Directive> directives_;
  size_t position_ = 0;
  size_t limit_ = 0;
  std::map<std::string, std::string> variables_;
  std::string error_;
};

}  // namespace

std::string FileCheck(std::string_view check_text, std::string_view input, std::string_view prefix) {
  std::vector<Directive> directives = ParseDirectives(check_text, prefix);
  if (directives.empty()) return StrCat("no check lines with prefix ", prefix);
  return Checker(input, std::move(directives)).Run();
}

}  // namespace ptxmir::testing

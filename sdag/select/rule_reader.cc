// SPDX-License-Identifier: Apache-2.0

#include "sdag/select/rule_reader.h"

#include <cctype>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ptxmir::sdag {
namespace {

std::string_view View(const std::string& text) { return text; }

// Splits text into words and the single characters ( ) ; ! : "name:i32" and "imm:$a" are one word each. "(" ends a
// word and never begins one ("icmp(" is a word and a parenthesis).
std::vector<std::string> Tokenize(const std::string& text) {
  std::vector<std::string> tokens;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) tokens.push_back(std::exchange(word, {}));
  };
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      flush();
    } else if (c == '(' || c == ')' || c == ';' || c == '!') {
      // A call has a word directly before its parenthesis; a node does not.
      const bool is_call = c == '(' && !word.empty();
      flush();
      tokens.push_back(is_call ? "call(" : std::string(1, c));
    } else {
      word += c;
    }
  }
  flush();
  return tokens;
}

class RuleParser {
 public:
  RuleParser(std::vector<std::string> tokens, RuleSource& rule) : tokens_(std::move(tokens)), rule_(rule) {}

  // Returns the message of the first error, or an empty string if there is none.
  std::string Parse() {
    if (!Accept("(")) return "a rule begins with '('";
    ParsePattern(rule_.pattern);
    Expect("->");
    while (error_.empty() && Accept("before")) {
      ParseOutput(rule_.before.emplace_back());
      Expect(";");
    }
    do {
      ParseOutput(rule_.results.emplace_back());
    } while (error_.empty() && Accept(";"));
    if (Accept("if")) {
      while (next_ < tokens_.size()) {
        std::string condition = Take();
        if (Accept("call(")) {
          absl::StrAppend(&condition, "(", Take());
          Expect(")");
        }
        rule_.conditions.push_back(std::move(condition));
      }
    }
    if (error_.empty() && !AtEnd()) Fail(absl::StrCat("unexpected '", Peek(), "'"));
    return error_;
  }

 private:
  bool AtEnd() const { return next_ >= tokens_.size(); }
  const std::string& Peek() const {
    static const std::string* const kNothing = new std::string;
    return AtEnd() ? *kNothing : tokens_[next_];
  }
  std::string Take() {
    if (AtEnd()) {
      Fail("the rule is cut short");
      return "";
    }
    return tokens_[next_++];
  }
  bool Accept(std::string_view token) {
    if (AtEnd() || tokens_[next_] != token) return false;
    ++next_;
    return true;
  }
  void Expect(std::string_view token) {
    if (!Accept(token)) Fail(absl::StrCat("expected '", std::string(token), "', not '", Peek(), "'"));
  }
  void Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  // Parses a pattern after '(': NAME[:TYPE,...] OPERAND ... )
  void ParsePattern(RulePattern& pattern) {
    const std::string head = Take();
    // NVPTXISD:: has colons of its own.
    const size_t from = View(head).substr(0, 10) == "NVPTXISD::" ? 10 : 0;
    const size_t colon = head.find(':', from);
    pattern.opcode = head.substr(0, colon);
    if (colon != std::string::npos) {
      const std::vector<std::string> names = absl::StrSplit(head.substr(colon + 1), ',');
      for (const std::string& name : names) {
        const std::optional<MVT> type = FindValueType(name);
        if (!type.has_value()) return Fail(absl::StrCat("unknown type '", name, "'"));
        pattern.types.push_back(*type);
      }
    }
    while (error_.empty() && !Accept(")")) {
      if (Accept("...")) {
        pattern.has_more = true;
        continue;
      }
      if (Accept("*")) {
        pattern.same_at = static_cast<int>(pattern.operands.size());
        continue;
      }
      ParseOperand(pattern.operands.emplace_back());
    }
    if (Accept("!")) pattern.one_use = true;
  }

  void ParseOperand(RuleOperand& operand) {
    if (Accept("(")) {
      operand.kind = RuleOperand::Kind::kNode;
      return ParsePattern(operand.node.emplace_back());
    }
    std::string word = Take();
    if (word == "_") return;
    for (size_t colon; (colon = word.find(':')) != std::string::npos; word = word.substr(colon + 1)) {
      ParsePrefix(word.substr(0, colon), operand);
    }
    if (!word.empty() && word[0] == '$') return ParseVariable(word.substr(1), operand);
    if (const std::optional<MVT> type = FindValueType(word)) {
      operand.kind = RuleOperand::Kind::kType;
      operand.type = type;
    } else if (View(word).substr(0, 3) == "set") {
      operand.kind = RuleOperand::Kind::kCondCode;
      operand.name = word;
    } else if (double number = 0; word.find('.') != std::string::npos && absl::SimpleAtod(word, &number)) {
      operand.kind = RuleOperand::Kind::kFloat;
      operand.low = static_cast<int64_t>(number);
      if (static_cast<double>(operand.low) != number) Fail(absl::StrCat("'", word, "' is not a whole number"));
    } else if (absl::SimpleAtoi(word, &operand.low)) {
      operand.kind = RuleOperand::Kind::kInteger;
    } else {
      Fail(absl::StrCat("'", word, "' is no operand"));
    }
  }

  void ParseVariable(std::string name, RuleOperand& operand) {
    operand.kind = RuleOperand::Kind::kVariable;
    if (const size_t star = name.find('*'); star != std::string::npos) {
      if (!absl::SimpleAtoi(name.substr(star + 1), &operand.count) || operand.count < 0 || operand.count > 128) {
        Fail(absl::StrCat("bad count in '$", name, "'"));
      }
      name = name.substr(0, star);
      if (operand.count == 0) operand.count = -1;
    }
    operand.name = name;
  }

  // Parses a type, imm, imm[LOW..HIGH], or a function.
  void ParsePrefix(const std::string& prefix, RuleOperand& operand) {
    if (const std::optional<MVT> type = FindValueType(prefix)) {
      operand.type = type;
    } else if (prefix == "any") {
      operand.takes_immediate = true;
    } else if (View(prefix).substr(0, 3) == "imm") {
      operand.is_immediate = true;
      if (prefix.size() == 3) return;
      operand.has_range = true;
      const size_t dots = prefix.find("..");
      if (dots == std::string::npos || prefix.back() != ']' ||
          !absl::SimpleAtoi(prefix.substr(4, dots - 4), &operand.low) ||
          !absl::SimpleAtoi(prefix.substr(dots + 2, prefix.size() - dots - 3), &operand.high)) {
        Fail(absl::StrCat("expected imm[LOW..HIGH], not '", prefix, "'"));
      }
    } else {
      operand.function = prefix;
    }
  }

  // Parses OPCODE OPERAND ..., or $VARIABLE.
  void ParseOutput(RuleOutput& output) {
    if (!AtEnd() && Peek()[0] != '$') output.opcode = Take();
    while (error_.empty() && !AtEnd() && Peek() != ")" && Peek() != ";" && Peek() != "if") {
      ParseOutputOperand(output.operands.emplace_back());
    }
  }

  void ParseOutputOperand(RuleOutput::Operand& operand) {
    using Kind = RuleOutput::Operand::Kind;
    if (Accept("(")) {
      operand.kind = Kind::kNode;
      ParseOutput(operand.node.emplace_back());
      return Expect(")");
    }
    const std::string word = Take();
    if (word.empty()) return;
    if (word == "*") {
      operand.kind = Kind::kSame;
    } else if (word[0] == '$') {
      operand.name = word.substr(1);
    } else if (Accept("call(")) {
      operand.kind = Kind::kCall;
      operand.name = word;
      if (Accept(")")) return;
      operand.argument = Take();
      if (operand.argument.empty() || operand.argument[0] != '$')
        return Fail("the argument of a function is a $variable");
      operand.argument = operand.argument.substr(1);
      Expect(")");
    } else if (absl::SimpleAtoi(word, &operand.value)) {
      operand.kind = Kind::kInteger;
    } else if (word == "ftz") {
      operand.kind = Kind::kFtz;
      operand.value_if_ftz = 1;
    } else if (const size_t bar = word.find("|ftz"); bar != std::string::npos && bar + 4 == word.size() &&
                                                     absl::SimpleAtoi(word.substr(0, bar), &operand.value)) {
      // The flush bit in a mode of cvt.
      operand.kind = Kind::kFtz;
      operand.value_if_ftz = operand.value | 16;
    } else {
      Fail(absl::StrCat("'", word, "' is no operand of an instruction"));
    }
  }

  std::vector<std::string> tokens_;
  size_t next_ = 0;
  RuleSource& rule_;
  std::string error_;
};

}  // namespace

// Reads a rule, or `given CONDITION ...`, which holds for the rest of the block.
absl::Status RuleReader::RunStatement(const Line& line) {
  std::string text;
  if (absl::Status status = Substitute(line, line.text, text); !status.ok()) return status;
  if (View(text).substr(0, 6) == "given ") {
    const std::vector<std::string> words = Words(text);
    conditions_.insert(conditions_.end(), words.begin() + 1, words.end());
    return absl::OkStatus();
  }
  RuleSource rule;
  rule.where = line.where;
  const std::string error = RuleParser(Tokenize(text), rule).Parse();
  if (!error.empty()) return ErrorAt(line.where, absl::StrCat(error, " in: ", text));
  rule.conditions.insert(rule.conditions.end(), conditions_.begin(), conditions_.end());
  rules_.push_back(std::move(rule));
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag

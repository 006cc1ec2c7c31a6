// SPDX-License-Identifier: Apache-2.0

#include "tests/mutation/ptx_check.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "base/str_cat.h"
#include "ptx/interpreter/code/statement.h"

namespace ptxmir::testing {
namespace {

using ptx::Statement;
using ptx::StatementOperand;
using Names = std::set<std::string, std::less<>>;

bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// The identifiers of a text, without numbers, directives and what stands behind "//".
std::vector<std::string> Identifiers(std::string_view text) {
  std::vector<std::string> names;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && (IsNameCharacter(text[end]) || text[end] == '.' || text[end] == '%')) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    const std::string_view word = text.substr(i, end - i);
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0 && word[0] != '.' && word[0] != '%') {
      names.emplace_back(word);
    }
    i = end;
  }
  return names;
}

// The instructions of one function.
class BodyChecker {
 public:
  // `global`: what the module has declared.
  BodyChecker(std::string_view name, const Names& global, const Names& parameters)
      : name_(name), global_(global), parameters_(parameters) {}

  std::string Check(std::string_view body) {
    const absl::StatusOr<std::vector<Statement>> statements = ptx::ParseStatements(body);
    if (!statements.ok()) return StrCat(name_, ": ", statements.status().message());
    for (const Statement& statement : *statements) Declare(statement);
    for (const Statement& statement : *statements) CheckStatement(statement);
    return problem_;
  }

 private:
  void Problem(std::string_view what, std::string_view where) {
    if (problem_.empty()) problem_ = StrCat(name_, ": ", what, " '", where, "'");
  }

  void Declare(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::kLabel:
        if (!labels_.emplace(statement.mnemonic.text()).second) Problem("two labels", statement.mnemonic.text());
        return;
      case Statement::Kind::kRegisters:
        for (const StatementOperand& operand : statement.operands)
          registers_[std::string(operand.name)] = operand.value;
        return;
      case Statement::Kind::kDeclaration:
        for (std::string& name : Identifiers(statement.mnemonic.text())) locals_.insert(std::move(name));
        return;
      default:
        return;
    }
  }

  // "%r5" is declared by ".reg .b32 %r<6>".
  bool IsDeclared(std::string_view name) const {
    const auto exact = registers_.find(name);
    if (exact != registers_.end() && exact->second == 0) return true;
    size_t digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
    const auto numbered = registers_.find(name.substr(0, digits));
    if (numbered == registers_.end() || digits == name.size()) return false;
    return std::strtoll(std::string(name.substr(digits)).c_str(), nullptr, 10) < numbered->second;
  }

  void CheckStatement(const Statement& statement) {
    if (statement.kind != Statement::Kind::kInstruction) return;
    const ptx::Mnemonic& mnemonic = statement.mnemonic;
    if (statement.has_guard && !IsDeclared(statement.guard)) Problem("undeclared register", statement.guard);
    if (mnemonic.base() == "ld" || mnemonic.base() == "st") {
      for (std::string_view order : {"volatile", "relaxed", "acquire", "release", "mmio"}) {
        if (mnemonic.Has("param") && mnemonic.Has(order)) Problem("ordered access to a parameter", mnemonic.text());
      }
    }
    for (const StatementOperand& operand : statement.operands) CheckOperand(mnemonic, operand);
  }

  void CheckOperand(const ptx::Mnemonic& mnemonic, const StatementOperand& operand) {
    if (operand.is_register() || (operand.kind == StatementOperand::Kind::kAddress && operand.register_base)) {
      if (!IsDeclared(operand.name)) Problem("undeclared register", operand.name);
      return;
    }
    const bool is_symbol =
        operand.kind == StatementOperand::Kind::kSymbol || operand.kind == StatementOperand::Kind::kAddress;
    if (!is_symbol || operand.name.empty() || operand.name[0] == '%') return;
    const bool is_access = mnemonic.base() == "ld" || mnemonic.base() == "st";
    if (is_access && parameters_.contains(operand.name) && !mnemonic.Has("param")) {
      Problem("a parameter in another space", operand.name);
    }
    if (mnemonic.base() == "bra" && !labels_.contains(operand.name)) Problem("no label", operand.name);
    if (!labels_.contains(operand.name) && !locals_.contains(operand.name) && !parameters_.contains(operand.name) &&
        !global_.contains(operand.name)) {
      Problem("undeclared name", operand.name);
    }
  }

  std::string_view name_;
  const Names& global_;
  const Names& parameters_;
  std::map<std::string, int64_t, std::less<>> registers_;  // the count; 0: a single one
  Names labels_;
  Names locals_;
  std::string problem_;
};

// A module, line by line: our writer begins directives of the module in column 0 and gives braces lines of
// their own.
class ModuleChecker {
 public:
  explicit ModuleChecker(std::string_view text) : text_(text) {}

  std::string Run() {
    while (problem_.empty() && at_ < text_.size()) {
      const std::string_view line = NextLine();
      if (line.find(".entry ") != line.npos || line.find(".func ") != line.npos) {
        CheckFunction(line);
      } else if (line.starts_with(".") && line.find(" = ") != line.npos) {
        CheckVariable(line.substr(0, line.find(" = ")), line.substr(line.find(" = ")));
      } else if (line.starts_with(".") && line.ends_with(";")) {
        CheckVariable(line, {});
      }
    }
    return problem_;
  }

 private:
  std::string_view NextLine() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return line.substr(0, line.find("//"));
  }

  void Define(const std::string& name) {
    if (!defined_.insert(name).second && problem_.empty()) problem_ = StrCat("'", name, "' is defined twice");
    declared_.insert(name);
  }

  void CheckVariable(std::string_view head, std::string_view value) {
    for (const std::string& name : Identifiers(value)) {
      if (name != "generic" && !declared_.contains(name) && problem_.empty()) {
        problem_ = StrCat("'", name, "' is used before it is declared");
      }
    }
    if (head.starts_with(".alias ") || head.starts_with(".section") || head.starts_with(".file")) return;
    const std::vector<std::string> names = Identifiers(head);
    if (names.empty()) return;
    head.starts_with(".extern ") ? void(declared_.insert(names.front())) : Define(names.front());
  }

  // The name is the identifier in front of the list of parameters, or the last one of the line.
  void CheckFunction(std::string_view line) {
    const size_t begin = text_.data() + at_ > line.data() ? static_cast<size_t>(line.data() - text_.data()) : 0;
    size_t open = begin;
    while (at_ < text_.size() && text_.substr(at_, 2) != "{\n" &&
           text_.substr(open, at_ - open).find(";\n") == text_.npos) {
      NextLine();
    }
    const std::string_view head = text_.substr(begin, at_ - begin);
    std::string name;
    Names parameters;
    for (std::string& word : Identifiers(WithoutResult(head))) {
      if (name.empty()) {
        name = std::move(word);
      } else {
        parameters.insert(std::move(word));
      }
    }
    if (text_.substr(at_, 2) != "{\n") {
      declared_.insert(name);
      return;
    }
    Define(name);
    size_t end = text_.find("\n}\n", at_);
    if (end == text_.npos) end = text_.size();
    parameters.insert("func_retval0");
    problem_ = BodyChecker(name, declared_, parameters).Check(text_.substr(at_, end + 2 - at_));
    at_ = std::min(end + 3, text_.size());
  }

  // "(.param .b32 func_retval0)" stands in front of the name.
  static std::string_view WithoutResult(std::string_view head) {
    const size_t kind = head.find(".func ");
    if (kind == head.npos) return head.substr(head.find(".entry "));
    head.remove_prefix(kind + 6);
    const size_t result = head.find("func_retval0");
    return result < head.find('\n') ? head.substr(head.find(')') + 1) : head;
  }

  std::string_view text_;
  size_t at_ = 0;
  Names declared_;
  Names defined_;
  std::string problem_;
};

}  // namespace

std::string CheckPtxText(std::string_view ptx) { return ModuleChecker(ptx).Run(); }

}  // namespace ptxmir::testing

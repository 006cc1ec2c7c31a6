// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/inline_asm_effects.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/ascii.h"

namespace ptxmir::ptx {
namespace {

// The mnemonics, modifiers apart, of instructions that wgmma.wait_group, tcgen05.wait::ld and tcgen05.wait::st wait for
// (PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions" and "tcgen05 memory consistency").
constexpr std::string_view kAsynchronous[] = {"wgmma.mma_async", "tcgen05.ld", "tcgen05.st"};

bool IsNameCharacter(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// Splits assembly into statements and gives the mnemonic of each.
class Statements {
 public:
  explicit Statements(std::string_view text) : rest_(text) {}

  // The facts about the statements so far, comments apart.
  bool has_label() const { return has_label_; }
  bool has_bracket() const { return has_bracket_; }
  // Returns what follows the mnemonic of the last statement, up to its semicolon.
  std::string_view operands() const { return operands_; }

  // Returns the next statement's first word that is neither label nor guard, or an empty text after the last one.
  std::string_view NextMnemonic() {
    while (!rest_.empty()) {
      if (SkipComment()) continue;
      if (rest_.front() == '@') {
        SkipGuard();
      } else if (!IsNameCharacter(rest_.front())) {
        rest_.remove_prefix(1);
      } else if (const std::string_view word = TakeWord(); !IsLabel()) {
        SkipOperands();
        return word;
      } else {
        has_label_ = true;
      }
    }
    return {};
  }

 private:
  // Skips a comment that begins here, and returns true if there was one.
  bool SkipComment() {
    const bool is_line = rest_.starts_with("//");
    if (!is_line && !rest_.starts_with("/*")) return false;
    const size_t end = is_line ? rest_.find('\n') : rest_.find("*/", 2);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + (is_line ? 1 : 2));
    return true;
  }

  // Skips "@p", "@!%p1" or "@$0".
  void SkipGuard() {
    const size_t end = rest_.find_first_of(" \t\n");
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end);
  }

  std::string_view TakeWord() {
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), IsNameCharacter);
    const std::string_view word = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    return word;
  }

  // "done:" is a label, "tcgen05.wait::ld" is none.
  bool IsLabel() const { return rest_.starts_with(':') && !rest_.starts_with("::"); }

  void SkipOperands() {
    const std::string_view all = rest_;
    while (!rest_.empty() && rest_.front() != ';') {
      if (SkipComment()) continue;
      has_bracket_ |= rest_.front() == '[';
      rest_.remove_prefix(1);
    }
    operands_ = all.substr(0, all.size() - rest_.size());
  }

  std::string_view rest_;
  std::string_view operands_;
  bool has_label_ = false;
  bool has_bracket_ = false;
};

// Returns true if the word is the mnemonic, with or without modifiers.
bool HasMnemonic(std::string_view word, std::string_view mnemonic) {
  return word.starts_with(mnemonic) && (word.size() == mnemonic.size() || word[mnemonic.size()] == '.');
}

// Returns the text without the space around it.
std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n";
  const size_t begin = text.find_first_not_of(kSpace);
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

}  // namespace

bool AccessesRegistersAfterIssue(std::string_view text) {
  Statements statements(text);
  for (std::string_view word = statements.NextMnemonic(); !word.empty(); word = statements.NextMnemonic()) {
    if (std::any_of(std::begin(kAsynchronous), std::end(kAsynchronous),
                    [word](std::string_view mnemonic) { return HasMnemonic(word, mnemonic); })) {
      return true;
    }
  }
  return false;
}

CarryUse CarryUseOf(std::string_view text) {
  Statements statements(text);
  for (std::string_view word = statements.NextMnemonic(); !word.empty(); word = statements.NextMnemonic()) {
    if (HasMnemonic(word, "addc") || HasMnemonic(word, "subc") || HasMnemonic(word, "madc")) return CarryUse::kReads;
    if (word.ends_with(".cc") || word.find(".cc.") != word.npos) return CarryUse::kWrites;
  }
  return CarryUse::kNone;
}

bool HasAddress(std::string_view text) {
  Statements statements(text);
  while (!statements.NextMnemonic().empty()) {
  }
  return statements.has_bracket();
}

bool HasLabel(std::string_view text) {
  Statements statements(text);
  while (!statements.NextMnemonic().empty()) {
  }
  return statements.has_label();
}

std::string_view SetmaxnregOperand(std::string_view text) {
  std::string_view operand;
  Statements statements(text);
  for (std::string_view word = statements.NextMnemonic(); !word.empty(); word = statements.NextMnemonic()) {
    if (HasMnemonic(word, "setmaxnreg")) operand = Trimmed(statements.operands());
  }
  return operand;
}

unsigned CountInstructions(std::string_view text) {
  unsigned count = 0;
  Statements statements(text);
  for (std::string_view word = statements.NextMnemonic(); !word.empty(); word = statements.NextMnemonic()) {
    if (!word.starts_with('.')) ++count;
  }
  return count;
}

}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

#include "ptx/writer/ptx_writer_inline_asm.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/str_cat.h"
#include "mir/code/inline_asm.h"
#include "mir/code/machine_function.h"

namespace ptxmir::ptx {
namespace {

constexpr int kOutsideAlternatives = -1;
constexpr int kTakenAlternative = 0;

class AsmExpander {
 public:
  AsmExpander(const MachineInstr& instr, const PrintContext& context, uint32_t uid, TextBuffer& out)
      : instr_(instr), context_(context), uid_(uid), out_(out), text_(InlineAsmText(instr)) {}

  absl::Status Run() {
    while (at_ < text_.size()) {
      if (text_[at_] != '$') {
        const size_t end = std::min(text_.find_first_of("$\n", at_ + 1), text_.size());
        // Newlines are kept in all alternatives, as in llc.
        if (IsTaken()) {
          out_.Append(text_.substr(at_, end - at_));
        } else if (text_[at_] == '\n') {
          out_.Append('\n');
        }
        at_ = end;
        continue;
      }
      ++at_;
      if (absl::Status status = ExpandDollar(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  bool has_uid() const { return has_uid_; }

 private:
  bool IsTaken() const { return alternative_ == kOutsideAlternatives || alternative_ == kTakenAlternative; }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(StrCat(what, " in inline asm string: '", text_, "'"));
  }

  // Expands a dollar sign. `at_` is after it.
  absl::Status ExpandDollar() {
    switch (Peek()) {
      case '$':
        ++at_;
        if (IsTaken()) out_.Append('$');
        return absl::OkStatus();
      case '(':
        ++at_;
        if (alternative_ != kOutsideAlternatives) return Error("nested variants found");
        alternative_ = 0;
        return absl::OkStatus();
      case '|':
        ++at_;
        if (alternative_ == kOutsideAlternatives) {
          out_.Append('|');
        } else {
          ++alternative_;
        }
        return absl::OkStatus();
      case ')':
        ++at_;
        if (alternative_ == kOutsideAlternatives) out_.Append('}');
        alternative_ = kOutsideAlternatives;
        return absl::OkStatus();
      case '{':
        ++at_;
        if (Peek() == ':') return ExpandSpecial();
        return ExpandOperand(/*in_braces=*/true);
      default:
        return ExpandOperand(/*in_braces=*/false);
    }
  }

  // Expands ${:name}.
  absl::Status ExpandSpecial() {
    const size_t end = text_.find('}', at_);
    if (end == text_.npos) return Error("unterminated ${:foo} operand");
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (!IsTaken() || name == "private") return absl::OkStatus();
    if (name == "comment") {
      out_.Append("//");
    } else if (name == "uid") {
      out_.AppendDecimal(uid_);
      has_uid_ = true;
    } else {
      return Error(StrCat("unknown special formatter '", name, "'"));
    }
    return absl::OkStatus();
  }

  // Expands an operand: "3" or, in braces, "3:c}".
  absl::Status ExpandOperand(bool in_braces) {
    uint32_t group = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), group);
    if (error != std::errc()) return Error("bad $ operand number");
    at_ += static_cast<size_t>(end - begin);
    char modifier = 0;
    if (in_braces) {
      if (Peek() == ':') {
        ++at_;
        modifier = Peek();
        if (modifier == '\0') return Error("bad ${:} expression");
        ++at_;
      }
      if (Peek() != '}') return Error("bad ${} expression");
      ++at_;
    }
    if (!IsTaken()) return absl::OkStatus();
    const std::optional<unsigned> word = FindGroup(group);
    if (!word.has_value()) return Error("invalid $ operand number");
    if (!PrintGroup(*word, modifier)) return Error("invalid operand");
    return absl::OkStatus();
  }

  // Returns the index of the operand that describes the group.
  std::optional<unsigned> FindGroup(uint32_t group) const {
    unsigned word = kInlineAsmFirstGroup;
    while (word < instr_.num_operands() && instr_.operand(word).is_imm()) {
      if (group-- == 0) return word;
      word += 1 + InlineAsmGroup(instr_.operand(word).imm()).num_operands();
    }
    return std::nullopt;
  }

  bool PrintGroup(unsigned word, char modifier) {
    const InlineAsmGroup group(instr_.operand(word).imm());
    if (group.num_operands() == 0 || word + group.num_operands() >= instr_.num_operands()) {
      return false;
    }
    const MachineOperand& operand = instr_.operand(word + 1);
    if (group.kind() == InlineAsmGroup::Kind::kMemory) {
      return modifier == 0 && group.num_operands() == 2 && PrintAddress(word + 1);
    }
    switch (modifier) {
      case 0:
      case 'r':
        return PrintPlain(operand);
      case 'a':
        if (operand.is_reg()) {
          return word + 2 < instr_.num_operands() && PrintAddress(word + 1);
        }
        [[fallthrough]];
      case 'c':
        return (operand.is_imm() || operand.is_global()) && PrintPlain(operand);
      case 'n':
        if (!operand.is_imm()) return false;
        // Negate in unsigned arithmetic, where the least number may be negated.
        out_.AppendSigned(static_cast<int64_t>(-static_cast<uint64_t>(operand.imm())));
        return true;
      case 's':
        if (!operand.is_imm()) return false;
        out_.AppendSigned((32 - operand.imm()) & 31);
        return true;
      default:
        return false;
    }
  }

  bool PrintPlain(const MachineOperand& operand) {
    if (!PrintOperand(operand, context_, out_).ok()) return false;
    if ((operand.is_global() || operand.is_symbol()) && operand.offset() != 0) {
      if (operand.offset() > 0) out_.Append('+');
      out_.AppendSigned(operand.offset());
    }
    return true;
  }

  bool PrintAddress(unsigned base) {
    out_.Append('[');
    if (!PrintPlain(instr_.operand(base))) return false;
    const MachineOperand& offset = instr_.operand(base + 1);
    if (!offset.is_imm() || offset.imm() != 0) {
      out_.Append('+');
      if (!PrintPlain(offset)) return false;
    }
    out_.Append(']');
    return true;
  }

  const MachineInstr& instr_;
  const PrintContext& context_;
  const uint32_t uid_;
  TextBuffer& out_;
  const std::string_view text_;
  size_t at_ = 0;
  int alternative_ = kOutsideAlternatives;
  bool has_uid_ = false;
};

}  // namespace

absl::Status WriteInlineAsm(const MachineInstr& instr, const PrintContext& context, uint32_t& next_uid,
                            TextBuffer& out) {
  if (instr.num_operands() < kInlineAsmFirstGroup || !instr.operand(0).is_symbol()) {
    return absl::InvalidArgumentError("INLINEASM without a text");
  }
  out.Append("\t// begin inline asm\n");
  if (!InlineAsmText(instr).empty()) {
    out.Append('\t');
    AsmExpander expander(instr, context, next_uid, out);
    if (absl::Status status = expander.Run(); !status.ok()) return status;
    if (expander.has_uid()) ++next_uid;
    // The text may end in its own newline.
    if (!out.view().ends_with('\n')) out.Append('\n');
  }
  out.Append("\t// end inline asm\n");
  return absl::OkStatus();
}

}  // namespace ptxmir::ptx

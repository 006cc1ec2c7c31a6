// SPDX-License-Identifier: Apache-2.0

#include "mir/upgrade/old_llvm.h"

#include <cstddef>

namespace ptxmir {
namespace {

struct ClassName {
  std::string_view old_name;
  std::string_view new_name;
};

constexpr ClassName kClasses[] = {
    {"int32regs", "b32"},   {"int64regs", "b64"},     {"int1regs", "b1"},
    {"int16regs", "b16"},   {"float32regs", "b32"},   {"float64regs", "b64"},
    {"float16regs", "b16"}, {"float16x2regs", "b32"}, {"int128regs", "b128"},
};

// Returns true if a register has this class, in the list of registers or at an operand.
bool NamesClass(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const char after = at + name.size() < text.size() ? text[at + name.size()] : '\n';
    const bool ends = after == ',' || after == ' ' || after == '\n' || after == '\r';
    const std::string_view before = text.substr(0, at);
    if (ends && (before.ends_with(", class: ") || before.ends_with(":"))) return true;
  }
  return false;
}

bool NamesAnyClass(std::string_view text) {
  for (const ClassName& name : kClasses) {
    if (NamesClass(text, name.old_name)) return true;
  }
  return false;
}

}  // namespace

OldLlvm OldLlvmOf(std::string_view text) {
  if (!NamesAnyClass(text)) return OldLlvm::kNone;
  const auto has_key = [&](std::string_view key) { return text.find(key) != text.npos; };
  if (has_key("\nnoPhis:")) return OldLlvm::k20;
  if (has_key("\nentry_values:")) return OldLlvm::k17To19;
  return has_key("\ncallSites:") ? OldLlvm::k16OrOlder : OldLlvm::k19OrOlder;
}

std::string_view NameOf(OldLlvm version) {
  switch (version) {
    case OldLlvm::k16OrOlder:
      return "LLVM 16 or older";
    case OldLlvm::k17To19:
      return "LLVM 17 to 19";
    case OldLlvm::k20:
      return "LLVM 20";
    case OldLlvm::k19OrOlder:
      return "LLVM 20 or older";
    case OldLlvm::k21OrOlder:
      return "LLVM 21 or older";
    case OldLlvm::kNone:
      break;
  }
  return "LLVM 22";
}

bool HasNewOperand(std::string_view opcode) {
  return opcode.starts_with("LD_i") || opcode.starts_with("LDV_i") || opcode.starts_with("LD_GLOBAL_NC_i") ||
         opcode.starts_with("LD_GLOBAL_NC_v");
}

std::string_view RenamedRegClass(std::string_view old_name) {
  for (const ClassName& name : kClasses) {
    if (name.old_name == old_name) return name.new_name;
  }
  return {};
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_text.h"

#include <algorithm>

namespace ptxmir {
namespace {

void AppendHex(char c, std::string* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out->push_back('\\');
  out->push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
  out->push_back(kDigits[static_cast<uint8_t>(c) & 15]);
}

}  // namespace

std::string UnescapeIrString(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out.push_back(text[i]);
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      out.push_back('\\');
      ++i;
    } else if (i + 2 < text.size() && HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
      i += 2;
    } else {
      out.push_back('\\');
    }
  }
  return out;
}

void AppendEscapedIrString(std::string_view bytes, std::string* out) {
  for (const char c : bytes) {
    if (c == '\\') {
      out->append("\\\\");
    } else if (c < ' ' || c > '~' || c == '"') {
      AppendHex(c, out);
    } else {
      out->push_back(c);
    }
  }
}

void AppendIrName(char sigil, std::string_view name, std::string* out) {
  // LLVM quotes names with '$', although its lexer does not require it.
  const auto is_plain = [](char c) { return IsIrNameChar(c) && c != '$'; };
  out->push_back(sigil);
  if (!name.empty() && !IsIrDigit(name[0]) && std::all_of(name.begin(), name.end(), is_plain)) {
    out->append(name);
    return;
  }
  out->push_back('"');
  AppendEscapedIrString(name, out);
  out->push_back('"');
}

void AppendIrMetadataName(std::string_view name, std::string* out) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (i == 0 ? IsIrNameStart(name[i]) : IsIrNameChar(name[i])) {
      out->push_back(name[i]);
    } else {
      AppendHex(name[i], out);
    }
  }
}

bool ParseIrDecimal(std::string_view digits, uint64_t max, uint64_t* value) {
  if (digits.empty()) return false;
  uint64_t result = 0;
  for (const char c : digits) {
    if (!IsIrDigit(c)) return false;
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (result > (max - digit) / 10 || digit > max) return false;
    result = result * 10 + digit;
  }
  *value = result;
  return true;
}

}  // namespace ptxmir

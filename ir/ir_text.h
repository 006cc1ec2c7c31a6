// SPDX-License-Identifier: Apache-2.0

// The spelling of names and strings in LLVM IR.

#ifndef PTXMIR_IR_IR_TEXT_H_
#define PTXMIR_IR_IR_TEXT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptxmir {

// Returns true for the characters that may begin an unquoted name: letters, '$', '.', '_' and '-'. Digits may
// follow.
inline constexpr bool IsIrNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$' || c == '-';
}
inline constexpr bool IsIrDigit(char c) { return c >= '0' && c <= '9'; }
inline constexpr std::array<bool, 256> kIsIrNameChar = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = IsIrNameStart(static_cast<char>(c)) || IsIrDigit(static_cast<char>(c));
  return table;
}();
inline constexpr bool IsIrNameChar(char c) { return kIsIrNameChar[static_cast<uint8_t>(c)]; }
inline constexpr bool IsIrSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Returns the value of a hexadecimal digit, or -1 for other characters.
inline constexpr int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Replaces \xx (two hexadecimal digits) and \\ by the character they stand for. All other text is unchanged.
std::string UnescapeIrString(std::string_view text);

// The reverse of UnescapeIrString: quotes and unprintable characters become \XX, backslashes are doubled.
void AppendEscapedIrString(std::string_view bytes, std::string* out);

// Appends a name with its sigil, in quotes if necessary: @foo, %"a b", $x.
void AppendIrName(char sigil, std::string_view name, std::string* out);

// Appends a metadata name. Characters that it cannot contain are written as \xx; there are no quotes.
void AppendIrMetadataName(std::string_view name, std::string* out);

// Parses a decimal number. Returns false if `digits` is empty, contains other characters, or exceeds `max`.
bool ParseIrDecimal(std::string_view digits, uint64_t max, uint64_t* value);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_TEXT_H_

// SPDX-License-Identifier: Apache-2.0

// Spelling of names and strings in LLVM IR.

#ifndef PTXMIR_IR_IR_TEXT_H_
#define PTXMIR_IR_IR_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptxmir {

// Letters, '$', '.', '_' and '-', which may begin a name without quotes; digits may follow.
inline constexpr bool IsIrNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$' || c == '-';
}
inline constexpr bool IsIrDigit(char c) { return c >= '0' && c <= '9'; }
inline constexpr bool IsIrNameChar(char c) { return IsIrNameStart(c) || IsIrDigit(c); }
inline constexpr bool IsIrSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Value of a hexadecimal digit, -1 for other characters.
inline constexpr int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Replaces \xx (two hexadecimal digits) and \\ by the character meant; anything else stands for itself.
std::string UnescapeIrString(std::string_view text);

// The reverse: quotes and what does not print become \XX, backslashes are doubled.
void AppendEscapedIrString(std::string_view bytes, std::string* out);

// A name with its sigil, in quotes when it needs them: @foo, %"a b", $x.
void AppendIrName(char sigil, std::string_view name, std::string* out);

// A metadata name: characters that it cannot hold are written \xx, there are no quotes.
void AppendIrMetadataName(std::string_view name, std::string* out);

// Decimal digits as a number; false when empty, not all digits, or above `max`.
bool ParseIrDecimal(std::string_view digits, uint64_t max, uint64_t* value);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_TEXT_H_

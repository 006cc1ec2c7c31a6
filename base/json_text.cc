// SPDX-License-Identifier: Apache-2.0

#include "base/json_text.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace ptxmir {
namespace {

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool IsPlain(char c) { return IsAscii(c) && c >= 0x20 && c != '"' && c != '\\'; }

// Returns true if all eight bytes are plain. A byte of `x - kOnes * n` borrows, which sets its highest bit, if it was
// less than n; a byte that is not ASCII has that bit already.
bool ArePlain(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighBits = kOnes * 0x80;
  const auto has_zero = [](uint64_t x) { return (x - kOnes) & ~x; };
  const uint64_t is_control = bytes - kOnes * 0x20;
  const uint64_t is_special = has_zero(bytes ^ kOnes * '"') | has_zero(bytes ^ kOnes * '\\');
  return ((bytes | is_control | is_special) & kHighBits) == 0;
}

size_t PlainLength(std::string_view text) {
  constexpr size_t kStep = sizeof(uint64_t);
  const auto are_plain = [&](size_t at) {
    uint64_t bytes;
    std::memcpy(&bytes, text.data() + at, kStep);
    return ArePlain(bytes);
  };
  size_t length = 0;
  while (length + kStep <= text.size() && are_plain(length)) length += kStep;
  // The last bytes, together with some that were looked at.
  if (length + kStep > text.size() && text.size() >= kStep && are_plain(text.size() - kStep)) return text.size();
  while (length < text.size() && IsPlain(text[length])) ++length;
  return length;
}

size_t NonAsciiLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && !IsAscii(text[length])) ++length;
  return length;
}

void AppendEscaped(char c, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += '\\';
  if (byte >= 0x20) {
    out += c;
    return;
  }
  out += "u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

std::string JsonText(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  AppendJsonText(text, out);
  return out;
}

void AppendJsonText(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    size_t length = PlainLength(text);
    if (length != 0) {
      out += text.substr(0, length);
    } else if (IsAscii(text[0])) {
      length = 1;
      AppendEscaped(text[0], out);
    } else {
      // No sequence of UTF-8 goes over an ASCII character.
      length = NonAsciiLength(text);
      out += ValidUtf8(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out += '"';
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "base/json_text.h"

#include <cstddef>

#include "base/utf8.h"

namespace ptxmir {
namespace {

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool IsPlain(char c) { return IsAscii(c) && c >= 0x20 && c != '"' && c != '\\'; }

// Returns the number of characters at the beginning of the text for which `is_wanted` holds.
template <typename IsWanted>
size_t RunLength(std::string_view text, IsWanted is_wanted) {
  size_t length = 0;
  while (length < text.size() && is_wanted(text[length])) ++length;
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
    size_t length = RunLength(text, IsPlain);
    if (length != 0) {
      out += text.substr(0, length);
    } else if (IsAscii(text[0])) {
      length = 1;
      AppendEscaped(text[0], out);
    } else {
      // No sequence of UTF-8 goes over an ASCII character.
      length = RunLength(text, [](char c) { return !IsAscii(c); });
      out += ValidUtf8(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out += '"';
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "base/json_text.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace ptxmir {
namespace {

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

template <bool kForHtml>
bool IsPlain(char c) {
  return IsAscii(c) && c >= 0x20 && c != '"' && c != '\\' && !(kForHtml && c == '<');
}

// Returns the number of characters before the first one that is not plain. Looks at sixteen at a time.
template <bool kForHtml>
size_t PlainLength(std::string_view text) {
  using Bytes = unsigned char __attribute__((vector_size(16)));
  constexpr size_t kStep = sizeof(Bytes);
  const auto are_plain = [&](size_t at) __attribute__((always_inline)) {
    Bytes bytes;
    std::memcpy(&bytes, text.data() + at, kStep);
    auto is_special = (bytes < 0x20) | (bytes >= 0x80) | (bytes == '"') | (bytes == '\\');
    if (kForHtml) is_special |= bytes == '<';
    uint64_t words[2];
    std::memcpy(words, &is_special, kStep);
    return (words[0] | words[1]) == 0;
  };
  size_t length = 0;
  while (length + kStep <= text.size() && are_plain(length)) length += kStep;
  // The last characters, together with some that were looked at.
  if (length + kStep > text.size() && text.size() >= kStep && are_plain(text.size() - kStep)) return text.size();
  while (length < text.size() && IsPlain<kForHtml>(text[length])) ++length;
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
  if (c == '"' || c == '\\') {
    out += c;
    return;
  }
  out += "u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

template <bool kForHtml>
void AppendText(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    size_t length = PlainLength<kForHtml>(text);
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

template <bool kForHtml>
std::string Text(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  AppendText<kForHtml>(text, out);
  return out;
}

}  // namespace

std::string JsonText(std::string_view text) { return Text<false>(text); }
void AppendJsonText(std::string_view text, std::string& out) { AppendText<false>(text, out); }
std::string JsonTextForHtml(std::string_view text) { return Text<true>(text); }
void AppendJsonTextForHtml(std::string_view text, std::string& out) { AppendText<true>(text, out); }

}  // namespace ptxmir

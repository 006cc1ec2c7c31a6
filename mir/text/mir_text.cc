// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace ptxmir {
namespace {

constexpr char kUpperHex[] = "0123456789ABCDEF";
constexpr char kLowerHex[] = "0123456789abcdef";

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlnum(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The characters that a name may contain without being quoted.
constexpr std::array<bool, 256> MakeNameChars() {
  std::array<bool, 256> chars = {};
  for (int c = 0; c < 128; ++c) {
    chars[c] = IsAlnum(static_cast<char>(c)) || c == '-' || c == '.' || c == '_';
  }
  return chars;
}
constexpr std::array<bool, 256> kNameChars = MakeNameChars();

bool NeedsQuotes(std::string_view name) {
  if (name.empty() || IsDigit(name[0])) return true;
  for (const char c : name) {
    if (!kNameChars[static_cast<unsigned char>(c)]) return true;
  }
  return false;
}

void PutEscaped(TextSink& sink, std::string_view text) {
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      sink.Put("\\\\");
    } else if (byte >= 0x20 && byte < 0x7f && c != '"') {
      sink.Put(c);
    } else {
      sink.Put('\\');
      sink.PutHex(byte, 2, /*upper=*/true);
    }
  }
}

// Returns the bits of a double with the value of a float. The hardware conversion is not used, because it would
// quiet signaling NaNs.
uint64_t WidenFloatBits(uint32_t bits) {
  constexpr uint32_t kExponent = 0x7f800000;
  if ((bits & kExponent) != kExponent) {
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
  }
  return (static_cast<uint64_t>(bits >> 31) << 63) | (uint64_t{0x7ff} << 52) |
         (static_cast<uint64_t>(bits & 0x7fffff) << 29);
}

// Returns the number of decimal digits that LLVM considers when it writes a double with six digits. LLVM scales
// the number to an integer (a fraction of 2^e by 10^e). It then drops digits, without rounding, as long as at
// least 20 bits remain.
int NumDigitsConsidered(uint64_t bits, int decimal_exponent) {
  constexpr int kMantissaBits = 52;
  uint64_t mantissa = bits & ((uint64_t{1} << kMantissaBits) - 1);
  int exponent = static_cast<int>(bits >> kMantissaBits & 0x7ff);
  if (exponent == 0) {
    exponent = 1;
  } else {
    mantissa |= uint64_t{1} << kMantissaBits;
  }
  exponent -= 1023 + kMantissaBits;
  const int zeros = std::countr_zero(mantissa);
  mantissa >>= zeros;
  exponent += zeros;
  int num_bits = static_cast<int>(std::bit_width(mantissa)) + exponent;
  int num_digits = decimal_exponent + 1;
  if (exponent < 0) {
    constexpr long double kLog2Of5 = 2.321928094887362347870319429489390L;
    num_bits = static_cast<int>(std::floor(std::log2(static_cast<long double>(mantissa)) - exponent * kLog2Of5)) + 1;
    num_digits -= exponent;
  }
  const int num_dropped = num_bits <= 20 ? 0 : (num_bits - 20) * 59 / 196;
  return num_digits - num_dropped;
}

// Returns a finite double as LLVM writes it with six digits after the point, the last of which is always 0:
// "1.500000e-03". LLVM truncates digits without rounding, so 9.99999999999999955e-07, which is the double nearest
// to 1e-6, becomes 9.999990e-07.
std::string_view SixDigits(uint64_t bits, char (&text)[64]) {
  const double value = std::bit_cast<double>(bits);
  const char* end = std::to_chars(text, text + sizeof(text), std::fabs(value), std::chars_format::scientific, 40).ptr;
  // The text is "d.ddd...e+xx" with exact digits.
  const char* exponent_text = std::find(static_cast<const char*>(text), end, 'e') + 1;
  int exponent = 0;
  std::from_chars(*exponent_text == '+' ? exponent_text + 1 : exponent_text, end, exponent);
  uint64_t digits = static_cast<uint64_t>(text[0] - '0');
  const int considered = std::min(value == 0 ? 1 : NumDigitsConsidered(bits, exponent), 8);
  for (int i = 1; i < considered; ++i) digits = digits * 10 + static_cast<uint64_t>(text[1 + i] - '0');
  int num_digits = considered;
  if (num_digits > 6) {
    uint64_t divisor = 1;
    for (; num_digits > 6; --num_digits) divisor *= 10;
    digits = digits / divisor + (digits % divisor / (divisor / 10) >= 5);
    if (digits == 1000000) {
      digits = 100000;
      ++exponent;
    }
  }
  for (; num_digits < 7; ++num_digits) digits *= 10;
  char* out = text;
  if (std::signbit(value)) *out++ = '-';
  out = std::to_chars(out, out + 8, digits).ptr;
  if (value == 0) out = std::fill_n(out - 1, 7, '0');
  // Make room for the point after the first digit.
  std::copy_backward(out - 6, out, out + 1);
  out[-6] = '.';
  ++out;
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  if (std::abs(exponent) < 10) *out++ = '0';
  out = std::to_chars(out, out + 4, std::abs(exponent)).ptr;
  return {text, static_cast<size_t>(out - text)};
}

// Writes six significant digits if they give back the same double, otherwise its bits in hexadecimal.
void PutDouble(TextSink& sink, uint64_t bits) {
  constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
  if ((bits & kExponent) != kExponent) {
    char text[64];
    const std::string_view digits = SixDigits(bits, text);
    double reread = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), reread);
    if (std::bit_cast<uint64_t>(reread) == bits) {
      sink.Put(digits);
      return;
    }
  }
  sink.Put("0x");
  sink.PutHex(bits, 1, /*upper=*/true);
}

enum class YamlQuotes { kNone, kSingle, kDouble };

bool IsYamlKeyword(std::string_view text) {
  for (const std::string_view keyword :
       {"~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"}) {
    if (text == keyword) return true;
  }
  return false;
}

size_t SkipDigits(std::string_view text, size_t from, bool hexadecimal) {
  while (from < text.size() &&
         (IsDigit(text[from]) || (hexadecimal && std::isxdigit(static_cast<unsigned char>(text[from]))))) {
    ++from;
  }
  return from;
}

// Returns true for the numbers of YAML 1.2: integers, octal 0o17, hexadecimal 0x1f, floating point, .inf and .nan.
bool IsYamlNumber(std::string_view text) {
  if (text == "+" || text == "-") return false;
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  std::string_view tail = text;
  if (tail[0] == '+' || tail[0] == '-') tail.remove_prefix(1);
  if (tail == ".inf" || tail == ".Inf" || tail == ".INF") return true;
  if (text.size() > 2 && text.substr(0, 2) == "0o") {
    return text.find_first_not_of("01234567", 2) == std::string_view::npos;
  }
  if (text.size() > 2 && text.substr(0, 2) == "0x") {
    return SkipDigits(text, 2, /*hexadecimal=*/true) == text.size();
  }
  size_t at = SkipDigits(tail, 0, false);
  const size_t integer_digits = at;
  size_t fraction_digits = 0;
  if (at < tail.size() && tail[at] == '.') {
    const size_t end = SkipDigits(tail, at + 1, false);
    fraction_digits = end - at - 1;
    at = end;
  }
  if (integer_digits + fraction_digits == 0) return false;
  if (at == tail.size()) return true;
  if (tail[at] != 'e' && tail[at] != 'E') return false;
  ++at;
  if (at < tail.size() && (tail[at] == '+' || tail[at] == '-')) ++at;
  return at < tail.size() && SkipDigits(tail, at, false) == tail.size();
}

YamlQuotes QuotesFor(std::string_view text) {
  if (text.empty()) return YamlQuotes::kSingle;
  YamlQuotes quotes = YamlQuotes::kNone;
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (is_space(text.front()) || is_space(text.back()) || IsYamlKeyword(text) || IsYamlNumber(text) ||
      std::string_view("-?:\\,[]{}#&*!|>'\"%@`").find(text[0]) != std::string_view::npos) {
    quotes = YamlQuotes::kSingle;
  }
  for (const char c : text) {
    if (IsAlnum(c) || c == '_' || c == '-' || c == '^' || c == '.' || c == ',' || c == ' ' || c == '\t') {
      continue;
    }
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) return YamlQuotes::kDouble;
    quotes = YamlQuotes::kSingle;
  }
  return quotes;
}

// The non-ASCII spaces and line ends that have their own escape in YAML.
struct YamlUnicodeEscape {
  std::string_view character;
  std::string_view escape;
};
constexpr YamlUnicodeEscape kYamlUnicodeEscapes[] = {
    {"\xc2\x85", "\\N"}, {"\xc2\xa0", "\\_"}, {"\xe2\x80\xa8", "\\L"}, {"\xe2\x80\xa9", "\\P"}};

void PutYamlEscaped(TextSink& sink, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      const auto* const escape =
          std::find_if(std::begin(kYamlUnicodeEscapes), std::end(kYamlUnicodeEscapes),
                       [&](const YamlUnicodeEscape& entry) { return text.substr(i).starts_with(entry.character); });
      if (escape == std::end(kYamlUnicodeEscapes)) {
        sink.Put(c);  // UTF-8 is written unchanged
      } else {
        sink.Put(escape->escape);
        i += escape->character.size() - 1;
      }
      continue;
    }
    switch (c) {
      case '\\':
        sink.Put("\\\\");
        break;
      case '"':
        sink.Put("\\\"");
        break;
      case '\0':
        sink.Put("\\0");
        break;
      case '\a':
        sink.Put("\\a");
        break;
      case '\b':
        sink.Put("\\b");
        break;
      case '\t':
        sink.Put("\\t");
        break;
      case '\n':
        sink.Put("\\n");
        break;
      case '\v':
        sink.Put("\\v");
        break;
      case '\f':
        sink.Put("\\f");
        break;
      case '\r':
        sink.Put("\\r");
        break;
      case '\x1b':
        sink.Put("\\e");
        break;
      default:
        if (byte < 0x20) {
          sink.Put("\\x");
          sink.PutHex(byte, 2, /*upper=*/true);
        } else {
          sink.Put(c);
        }
    }
  }
}

}  // namespace

void TextSink::PutSlow(std::string_view text) {
  Flush();
  if (text.size() > kCapacity) {
    out_.append(text);
    flushed_ += text.size();
    return;
  }
  std::memcpy(next_, text.data(), text.size());
  next_ += text.size();
}

void TextSink::PutHex(uint64_t value, int digits, bool upper) {
  const char* alphabet = upper ? kUpperHex : kLowerHex;
  const int length = std::max(digits, (static_cast<int>(std::bit_width(value)) + 3) / 4);
  Reserve(static_cast<size_t>(length));
  for (int i = length; i-- > 0; value >>= 4) next_[i] = alphabet[value & 15];
  next_ += length;
}

void PutIrName(TextSink& sink, std::string_view name) {
  if (!NeedsQuotes(name)) {
    sink.Put(name);
    return;
  }
  sink.Put('"');
  PutEscaped(sink, name);
  sink.Put('"');
}

void PutFPLiteral(TextSink& sink, MachineOperand::FPWidth width, uint64_t bits) {
  switch (width) {
    case MachineOperand::FPWidth::kHalf:
      sink.Put("half 0xH");
      sink.PutHex(bits, 4, /*upper=*/true);
      break;
    case MachineOperand::FPWidth::kBFloat:
      sink.Put("bfloat 0xR");
      sink.PutHex(bits, 4, /*upper=*/true);
      break;
    case MachineOperand::FPWidth::kFloat:
      sink.Put("float ");
      PutDouble(sink, WidenFloatBits(static_cast<uint32_t>(bits)));
      break;
    case MachineOperand::FPWidth::kDouble:
      sink.Put("double ");
      PutDouble(sink, bits);
      break;
  }
}

void PutLowLevelType(TextSink& sink, const LowLevelType& type) {
  if (type.elements != 0) {
    sink.Put('<');
    if (type.scalable) sink.Put("vscale x ");
    sink.PutInt(type.elements);
    sink.Put(" x ");
  }
  sink.Put(type.kind == LowLevelType::Kind::kPointer ? 'p' : 's');
  sink.PutInt(type.bits);
  if (type.elements != 0) sink.Put('>');
}

void PutOffset(TextSink& sink, int64_t offset) {
  if (offset == 0) return;
  if (offset < 0) {
    sink.Put(" - ");
    sink.PutInt(~static_cast<uint64_t>(offset) + 1);
  } else {
    sink.Put(" + ");
    sink.PutInt(offset);
  }
}

void PutYamlScalar(TextSink& sink, std::string_view text) {
  switch (QuotesFor(text)) {
    case YamlQuotes::kNone:
      sink.Put(text);
      break;
    case YamlQuotes::kSingle:
      sink.Put('\'');
      for (const char c : text) {
        if (c == '\'') sink.Put('\'');
        sink.Put(c);
      }
      sink.Put('\'');
      break;
    case YamlQuotes::kDouble:
      sink.Put('"');
      PutYamlEscaped(sink, text);
      sink.Put('"');
      break;
  }
}

}  // namespace ptxmir

#include "mir/mir_text.h"

#include <array>
#include <bit>
#include <cctype>

namespace ptxmir {
namespace {

constexpr char kUpperHex[] = "0123456789ABCDEF";
constexpr char kLowerHex[] = "0123456789abcdef";

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlnum(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Characters that a name may have without being quoted.
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

// The bits of a float as those of a double. Not a conversion in hardware, which would quieten signalling
// NaNs.
uint64_t WidenFloatBits(uint32_t bits) {
  constexpr uint32_t kExponent = 0x7f800000;
  if ((bits & kExponent) != kExponent) {
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
  }
  return (static_cast<uint64_t>(bits >> 31) << 63) | (uint64_t{0x7ff} << 52) |
         (static_cast<uint64_t>(bits & 0x7fffff) << 29);
}

// Six significant digits when they give back the same double, else its bits in hexadecimal. LLVM prints
// a seventh digit, which is always 0.
void PutDouble(TextSink& sink, uint64_t bits) {
  constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
  if ((bits & kExponent) != kExponent) {
    char text[40];
    const double value = std::bit_cast<double>(bits);
    const char* end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, 5).ptr;
    double reread = 0;
    std::from_chars(text, end, reread);
    if (std::bit_cast<uint64_t>(reread) == bits) {
      const std::string_view digits(text, static_cast<size_t>(end - text));
      const size_t exponent = digits.find('e');
      sink.Put(digits.substr(0, exponent));
      sink.Put('0');
      sink.Put(digits.substr(exponent));
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

// YAML 1.2's numbers: integers, octal 0o17, hexadecimal 0x1f, floating point, .inf and .nan.
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

void PutYamlEscaped(TextSink& sink, std::string_view text) {
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\\': sink.Put("\\\\"); break;
      case '"': sink.Put("\\\""); break;
      case '\0': sink.Put("\\0"); break;
      case '\a': sink.Put("\\a"); break;
      case '\b': sink.Put("\\b"); break;
      case '\t': sink.Put("\\t"); break;
      case '\n': sink.Put("\\n"); break;
      case '\v': sink.Put("\\v"); break;
      case '\f': sink.Put("\\f"); break;
      case '\r': sink.Put("\\r"); break;
      case '\x1b': sink.Put("\\e"); break;
      default:
        if (byte < 0x20) {
          sink.Put("\\x");
          sink.PutHex(byte, 2, /*upper=*/true);
        } else {
          sink.Put(c);  // UTF-8 passes through
        }
    }
  }
}

}  // namespace

void TextSink::PutHex(uint64_t value, int digits, bool upper) {
  const char* alphabet = upper ? kUpperHex : kLowerHex;
  char text[16];
  int length = 0;
  do {
    text[15 - length++] = alphabet[value & 15];
    value >>= 4;
  } while (value != 0 || length < digits);
  Put(std::string_view(text + 16 - length, static_cast<size_t>(length)));
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

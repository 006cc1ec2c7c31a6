// SPDX-License-Identifier: Apache-2.0

// The part of IrParser that parses numbers: integers of any width and floating-point values of every format.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/str_cat.h"
#include "ir/ir_parser.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

// The longest decimal floating-point number that is accepted. LLVM prints 13 characters.
constexpr size_t kMaxDecimalLength = 1000;

// Converts a double to a narrower format with `exponent_bits` and `fraction_bits`. Returns false if the value is
// not exactly representable. NaNs keep the upper bits of their payload.
bool NarrowExactly(double value, int exponent_bits, int fraction_bits, uint64_t* bits) {
  const uint64_t source = std::bit_cast<uint64_t>(value);
  const uint64_t sign = source >> 63;
  const uint64_t fraction = source & ((uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>((source >> 52) & 0x7ff);
  const uint64_t top = (uint64_t{1} << exponent_bits) - 1;
  const uint64_t sign_bit = sign << (exponent_bits + fraction_bits);
  const int dropped = 52 - fraction_bits;
  if (exponent == 0x7ff) {
    *bits = sign_bit | top << fraction_bits | fraction >> dropped;
    return (fraction & ((uint64_t{1} << dropped) - 1)) == 0;
  }
  if (value == 0) {
    *bits = sign_bit;
    return true;
  }
  if (exponent == 0) return false;  // a subnormal double is too small for every narrower format
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int target = exponent - 1023 + bias;
  if (target >= static_cast<int>(top)) return false;
  if (target > 0) {
    *bits = sign_bit | static_cast<uint64_t>(target) << fraction_bits | fraction >> dropped;
    return (fraction & ((uint64_t{1} << dropped) - 1)) == 0;
  }
  // The value is subnormal in the target format.
  const int shift = dropped + 1 - target;
  if (shift > 53) return false;
  const uint64_t significand = fraction | uint64_t{1} << 52;
  *bits = sign_bit | (shift == 64 ? 0 : significand >> shift);
  return (significand & ((uint64_t{1} << shift) - 1)) == 0;
}

// Sets `bits` to the representation of `value` in a floating-point type. Returns false if the type cannot
// represent it exactly.
bool StoreExactly(double value, const IrType* type, uint64_t* bits) {
  switch (type->kind()) {
    case IrType::Kind::kDouble:
      *bits = std::bit_cast<uint64_t>(value);
      return true;
    case IrType::Kind::kFloat:
      return NarrowExactly(value, 8, 23, bits);
    case IrType::Kind::kHalf:
      return NarrowExactly(value, 5, 10, bits);
    case IrType::Kind::kBFloat:
      return NarrowExactly(value, 8, 7, bits);
    default:
      return false;
  }
}

// Parses at most 32 hexadecimal digits.
unsigned __int128 ParseHex(std::string_view digits) {
  unsigned __int128 value = 0;
  for (const char c : digits) value = value << 4 | static_cast<unsigned>(HexValue(c));
  return value;
}

// Computes words = words * factor + addend without growing `words`. Returns true on overflow.
bool MultiplyAdd(std::vector<uint64_t>& words, uint64_t factor, uint64_t addend) {
  for (uint64_t& word : words) {
    const unsigned __int128 product = static_cast<unsigned __int128>(word) * factor + addend;
    word = static_cast<uint64_t>(product);
    addend = static_cast<uint64_t>(product >> 64);
  }
  return addend != 0;
}

void Negate(std::vector<uint64_t>& words) {
  bool carry = true;
  for (uint64_t& word : words) {
    word = ~word + (carry ? 1 : 0);
    carry = carry && word == 0;
  }
}

bool IsZero(const std::vector<uint64_t>& words) {
  return std::all_of(words.begin(), words.end(), [](uint64_t word) { return word == 0; });
}

// Returns true if the number fits into `width` bits: -magnitude if `negative`, otherwise the unsigned magnitude.
bool FitsWidth(const std::vector<uint64_t>& magnitude, uint32_t width, bool negative) {
  const uint32_t in_top = width % 64;
  if (in_top != 0 && magnitude.back() >> in_top != 0) return false;
  if (!negative) return true;
  const uint32_t sign = width - 1;
  if ((magnitude[sign / 64] >> (sign % 64) & 1) == 0) return true;
  // Only the smallest value of the type has the sign bit set in its magnitude.
  std::vector<uint64_t> rest = magnitude;
  rest[sign / 64] &= ~(uint64_t{1} << (sign % 64));
  return IsZero(rest);
}

// Parses an integer of at most 18 digits that fits into `width` (<= 64) bits. Returns false for any other.
bool ParseShortInteger(uint32_t width, std::string_view text, uint64_t* word) {
  const bool negative = text[0] == '-';
  text.remove_prefix(negative ? 1 : 0);
  if (text.size() > 18) return false;
  uint64_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<uint64_t>(c - '0');
  const uint32_t usable = negative ? width - 1 : width;
  if (usable < 64 && value > (uint64_t{1} << usable) - (negative ? 0 : 1)) return false;
  if (negative) value = 0 - value;
  *word = width < 64 ? value & ((uint64_t{1} << width) - 1) : value;
  return true;
}

void MaskToWidth(std::vector<uint64_t>& words, uint32_t width) {
  if (width % 64 != 0) words.back() &= (uint64_t{1} << (width % 64)) - 1;
}

}  // namespace

// A decimal integer takes time quadratic in its length, and memory proportional to the width of its type. Both are
// limited to what is reasonable in an initializer.
bool IrParser::ParseIntegerWords(const IrType* type, std::vector<uint64_t>* words) {
  constexpr uint32_t kMaxWidth = 4096;
  const uint32_t width = type->integer_width();
  if (width > kMaxWidth) return Error(StrCat("constants of type '", type->ToString(), "' are not supported"));
  const std::string_view text = token().text;
  words->assign((width + 63) / 64, 0);
  if (text == "true" || text == "false") {
    if (width != 1) return Error("integer constant must have integer type");
    (*words)[0] = text == "true" ? 1 : 0;
    lexer_.Advance();
    return true;
  }
  const bool is_hex = text[0] == 'u' || text[0] == 's';
  const bool negative = text[0] == '-';
  std::string_view digits = text.substr(is_hex ? 3 : negative ? 1 : 0);
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  if (digits.empty() || digits.size() > width / 3 + 2) {
    return Error("integer constant is too large for its type");
  }
  bool overflow = false;
  for (const char c : digits) {
    const int digit = HexValue(c);
    if (digit < 0 || (!is_hex && digit > 9)) return Error("expected integer");
    overflow |= MultiplyAdd(*words, is_hex ? 16 : 10, static_cast<uint64_t>(digit));
  }
  if (overflow || !FitsWidth(*words, width, negative)) {
    return Error(StrCat("integer constant does not fit type '", type->ToString(), "'"));
  }
  if (negative) Negate(*words);
  if (text[0] == 's') {
    // s0x: the top bit of the first digit is the sign.
    const size_t sign = digits.size() * 4;
    if (HexValue(digits[0]) >= 8 && sign < width) {
      for (size_t bit = sign; bit < width; ++bit) (*words)[bit / 64] |= uint64_t{1} << (bit % 64);
    }
  }
  MaskToWidth(*words, width);
  lexer_.Advance();
  return true;
}

// Parses a hexadecimal float. 0xK, 0xL, 0xM, 0xH and 0xR give the bits of their format; plain 0x gives the bits of
// a double, whatever the type is.
bool IrParser::ParseHexFloat(const IrType* type, uint64_t* low, uint64_t* high) {
  const std::string_view text = token().text;
  const char letter = text[2];
  const bool has_letter = HexValue(letter) < 0;
  const std::string_view digits = text.substr(has_letter ? 3 : 2);
  IrType::Kind kind = IrType::Kind::kDouble;
  size_t max_digits = 16;
  switch (has_letter ? letter : ' ') {
    case 'K':
      kind = IrType::Kind::kX86Fp80;
      max_digits = 20;
      break;
    case 'L':
      kind = IrType::Kind::kFp128;
      max_digits = 32;
      break;
    case 'M':
      kind = IrType::Kind::kPpcFp128;
      max_digits = 32;
      break;
    case 'H':
      kind = IrType::Kind::kHalf;
      max_digits = 4;
      break;
    case 'R':
      kind = IrType::Kind::kBFloat;
      max_digits = 4;
      break;
    default:
      break;
  }
  if (digits.size() > max_digits) return Error("constant bigger than its type detected");
  const unsigned __int128 bits = ParseHex(digits);
  *low = static_cast<uint64_t>(bits);
  *high = static_cast<uint64_t>(bits >> 64);
  if ((kind == IrType::Kind::kFp128 || kind == IrType::Kind::kPpcFp128) && digits.size() > 16) {
    // LLVM writes the low word first.
    *low = static_cast<uint64_t>(ParseHex(digits.substr(0, 16)));
    *high = static_cast<uint64_t>(ParseHex(digits.substr(16)));
  }
  if (has_letter) {
    if (type->kind() != kind) return Error("floating point constant does not have the type's format");
    lexer_.Advance();
    return true;
  }
  const double value = std::bit_cast<double>(*low);
  if (!StoreExactly(value, type, low)) return Error("floating point constant invalid for type");
  lexer_.Advance();
  return true;
}

bool IrParser::ParseFloatBits(const IrType* type, uint64_t* low, uint64_t* high) {
  const std::string_view text = token().text;
  *low = 0;
  *high = 0;
  if (text.substr(0, 2) == "0x") return ParseHexFloat(type, low, high);
  if (text.size() > kMaxDecimalLength) return Error("floating point constant invalid for type");
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  if (!StoreExactly(value, type, low)) return Error("floating point constant invalid for type");
  lexer_.Advance();
  return true;
}

IrParser::LiteralResult IrParser::ParseScalarLiteral(const IrType* type, uint64_t* word) {
  const IrToken& literal = token();
  if (type->is_integer()) {
    const bool is_integer =
        literal.kind == IrToken::Kind::kInteger || literal.IsWord("true") || literal.IsWord("false");
    if (!is_integer) return LiteralResult::kNotLiteral;
    // Most literals need no multi-word arithmetic.
    if (literal.kind == IrToken::Kind::kInteger && ParseShortInteger(type->integer_width(), literal.text, word)) {
      lexer_.Advance();
      return LiteralResult::kParsed;
    }
    std::vector<uint64_t> words;
    if (!ParseIntegerWords(type, &words)) return LiteralResult::kFailed;
    *word = words[0];
    return LiteralResult::kParsed;
  }
  if (literal.kind != IrToken::Kind::kFloat) return LiteralResult::kNotLiteral;
  uint64_t high;
  return ParseFloatBits(type, word, &high) ? LiteralResult::kParsed : LiteralResult::kFailed;
}

const IrConstant* IrParser::ParseNumberConstant(const IrType* type) {
  if (token().kind == IrToken::Kind::kFloat) {
    if (!type->is_floating_point()) {
      Error("floating point constant invalid for type");
      return nullptr;
    }
    uint64_t words[2];
    if (!ParseFloatBits(type, &words[0], &words[1])) return nullptr;
    const size_t count = type->kind() >= IrType::Kind::kX86Fp80 ? 2 : 1;
    return module_.NewConstant({.kind = IrConstant::Kind::kFloat, .type = type, .words = {words, count}});
  }
  if (!type->is_integer()) {
    Error("integer constant must have integer type");
    return nullptr;
  }
  std::vector<uint64_t> words;
  if (!ParseIntegerWords(type, &words)) return nullptr;
  return module_.NewConstant({.kind = IrConstant::Kind::kInteger, .type = type, .words = words});
}

}  // namespace ptxmir

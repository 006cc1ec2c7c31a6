// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_text.h"

#include <bit>
#include <charconv>
#include <cstdio>

namespace ptxmir::sdag {
namespace {

constexpr uint32_t kFloatNaN = 0x7fc00000;
constexpr uint64_t kDoubleNaN = 0x7ff8000000000000;
constexpr std::string_view kHalfPrefix = "APFloat(";

// Returns the bits of a decimal number, or nullopt if it is malformed or too large for the type.
template <typename Float, typename Bits>
std::optional<uint64_t> ParseDecimal(std::string_view text) {
  Float value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return std::bit_cast<Bits>(value);
}

std::optional<uint64_t> ParseUnsigned(std::string_view text, int base, uint64_t max) {
  uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || rest != text.data() + text.size() || value > max) return std::nullopt;
  return value;
}

}  // namespace

std::string FPText(uint64_t bits, MVT type) {
  const unsigned size = ScalarSizeInBits(type);
  if (size <= 16) return std::string(kHalfPrefix) + std::to_string(bits) + ")";
  if (bits == (size == 32 ? kFloatNaN : kDoubleNaN)) return "nan";
  const double value = size == 32 ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : std::bit_cast<double>(bits);
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%e", value);
  if (ParseFP(buffer, type) == bits) return buffer;
  std::snprintf(buffer, sizeof(buffer), "0x%0*llX", static_cast<int>(size / 4), static_cast<unsigned long long>(bits));
  return buffer;
}

std::optional<uint64_t> ParseFP(std::string_view text, MVT type) {
  const unsigned size = ScalarSizeInBits(type);
  const uint64_t max = size >= 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1;
  if (text.substr(0, 2) == "0x") return ParseUnsigned(text.substr(2), 16, max);
  if (size <= 16) {
    if (text.substr(0, kHalfPrefix.size()) != kHalfPrefix || text.back() != ')') return std::nullopt;
    text.remove_prefix(kHalfPrefix.size());
    text.remove_suffix(1);
    return ParseUnsigned(text, 10, max);
  }
  if (text == "nan") return size == 32 ? kFloatNaN : kDoubleNaN;
  return size == 32 ? ParseDecimal<float, uint32_t>(text) : ParseDecimal<double, uint64_t>(text);
}

std::string Escape(std::string_view symbol) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  text.reserve(symbol.size());
  for (const char c : symbol) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\') {
      text += c;
      continue;
    }
    text += '\\';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

SDValue DefaultRoot(SDNode* last) {
  for (unsigned i = 0; i < last->num_values(); ++i) {
    if (IsChain({last, i})) return {last, i};
  }
  return {last, 0};
}

EVT DefaultMemoryType(int16_t opcode, MVT result, MVT second_operand) {
  switch (opcode) {
    case isd::kLoad:
      return result;
    case isd::kStore:
    case isd::kAtomicStore:
      return second_operand;
    default:
      break;
  }
  return (Desc(opcode).properties & NodeProperty::kAtomic) != 0 ? EVT(result) : EVT(MVT::kOther);
}

}  // namespace ptxmir::sdag

// SPDX-License-Identifier: Apache-2.0

#include "tools/run/kernel_argument.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "absl/strings/str_format.h"
#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "ptx/interpreter/values/float_arithmetic.h"

namespace ptxmir {
namespace {

constexpr uint64_t kMaxBuffer = uint64_t{1} << 32;

absl::Status Wrong(std::string_view text, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("argument '", text, "': ", what));
}

std::optional<ElementType> ParseType(std::string_view name) {
  ElementType type;
  if (name.size() < 2) return std::nullopt;
  switch (name[0]) {
    case 'i':
    case 's':
      type.kind = ElementType::Kind::kSigned;
      break;
    case 'u':
    case 'b':
      type.kind = ElementType::Kind::kUnsigned;
      break;
    case 'f':
      type.kind = ElementType::Kind::kFloat;
      break;
    default:
      return std::nullopt;
  }
  const std::string_view bits = name.substr(1);
  type.name = std::string(name);
  type.bytes = bits == "8" ? 1 : bits == "16" ? 2 : bits == "32" ? 4 : bits == "64" ? 8 : 0;
  if (type.bytes == 0 || (type.kind == ElementType::Kind::kFloat && type.bytes == 1)) return std::nullopt;
  return type;
}

std::optional<double> ParseDouble(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? ~value + 1 : value;
}

void AppendBits(uint64_t bits, unsigned bytes, std::vector<uint8_t>* out) {
  for (unsigned i = 0; i < bytes; ++i) out->push_back(static_cast<uint8_t>(bits >> 8 * i));
}

uint64_t EncodeDouble(unsigned bytes, double value) {
  if (bytes == 8) return std::bit_cast<uint64_t>(value);
  if (bytes == 4) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return ptx::EncodeFloat(kHalfFormat, value);
}

// Returns the bits of a value written as text, or nullopt if it is not a value or does not fit.
std::optional<uint64_t> ParseValue(const ElementType& type, std::string_view text) {
  if (type.kind == ElementType::Kind::kFloat) {
    const std::optional<double> value = ParseDouble(text);
    if (!value.has_value()) return std::nullopt;
    return EncodeDouble(type.bytes, *value);
  }
  const std::optional<uint64_t> value = ParseInteger(text);
  if (!value.has_value() || type.bytes == 8) return value;
  const int64_t number = static_cast<int64_t>(*value);
  const int64_t limit = int64_t{1} << type.bytes * 8;
  if (number >= limit || number < -limit / 2) return std::nullopt;
  return value;
}

// Fills in random numbers between the bounds, both included (default for floats: 0 and 1). Integers without bounds
// get any bits.
absl::Status FillRandom(const ElementType& type, uint64_t count, const std::vector<std::string_view>& parts,
                        std::string_view text, std::vector<uint8_t>* bytes) {
  const std::optional<uint64_t> seed = parts.size() > 4 ? ParseInteger(parts[4]) : std::nullopt;
  if (!seed.has_value() || (parts.size() != 5 && parts.size() != 7)) {
    return Wrong(text, "expected random:SEED or random:SEED:LOW:HIGH");
  }
  SplitMix64 generator(*seed);
  const bool is_float = type.kind == ElementType::Kind::kFloat;
  double low = 0, high = 1;
  if (parts.size() == 7) {
    const std::optional<double> first = ParseDouble(parts[5]), second = ParseDouble(parts[6]);
    if (!first.has_value() || !second.has_value() || !(*first <= *second)) {
      return Wrong(text, "expected two bounds, the lower one first");
    }
    low = *first;
    high = *second;
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t random = generator.Next();
    const double fraction = static_cast<double>(random >> 11) * 0x1p-53;
    if (is_float) {
      AppendBits(EncodeDouble(type.bytes, low + (high - low) * fraction), type.bytes, bytes);
    } else if (parts.size() == 7) {
      const double width = high - low + 1;
      AppendBits(static_cast<uint64_t>(static_cast<int64_t>(low)) + static_cast<uint64_t>(fraction * width), type.bytes,
                 bytes);
    } else {
      AppendBits(random, type.bytes, bytes);
    }
  }
  return absl::OkStatus();
}

absl::Status FillBuffer(const std::vector<std::string_view>& parts, uint64_t count, std::string_view text,
                        KernelArgumentSpec* spec) {
  const std::string_view fill = parts[3];
  const ElementType& type = spec->type;
  if (fill == "zero" && parts.size() == 4) return absl::OkStatus();
  if (fill == "undef" && parts.size() == 4) {
    spec->is_undefined = true;
    return absl::OkStatus();
  }
  if (fill == "iota" && parts.size() == 4) {
    for (uint64_t i = 0; i < count; ++i) {
      const bool is_float = type.kind == ElementType::Kind::kFloat;
      AppendBits(is_float ? EncodeDouble(type.bytes, static_cast<double>(i)) : i, type.bytes, &spec->bytes);
    }
    return absl::OkStatus();
  }
  if (fill == "fill" && parts.size() == 5) {
    const std::optional<uint64_t> value = ParseValue(type, parts[4]);
    if (!value.has_value()) return Wrong(text, "the value is none of the type");
    for (uint64_t i = 0; i < count; ++i) AppendBits(*value, type.bytes, &spec->bytes);
    return absl::OkStatus();
  }
  if (fill == "random") return FillRandom(type, count, parts, text, &spec->bytes);
  if (fill == "file" && parts.size() >= 5) {
    // The path may contain colons.
    const std::string path(parts[4].data(), text.data() + text.size());
    std::ifstream file(path, std::ios::binary);
    if (!file) return Wrong(text, "the file cannot be read");
    spec->bytes.assign(std::istreambuf_iterator<char>(file), {});
    if (spec->bytes.size() > spec->buffer_bytes) spec->bytes.resize(spec->buffer_bytes);
    return absl::OkStatus();
  }
  return Wrong(text, "expected zero, undef, iota, fill:VALUE, random:SEED[:LOW:HIGH] or file:PATH");
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

absl::Status ParseBytes(std::string_view digits, KernelArgumentSpec* spec) {
  for (size_t i = 0; i < digits.size(); i += 2) {
    const std::optional<uint64_t> byte =
        i + 2 <= digits.size() ? ParseInteger(StrCat("0x", digits.substr(i, 2))) : std::nullopt;
    if (!byte.has_value()) return Wrong(spec->text, "expected pairs of hexadecimal digits");
    spec->bytes.push_back(static_cast<uint8_t>(*byte));
  }
  return absl::OkStatus();
}

absl::Status ParseBuffer(const std::vector<std::string_view>& parts, std::string_view text, KernelArgumentSpec* spec) {
  const std::optional<ElementType> type = parts.size() >= 4 ? ParseType(parts[1]) : std::nullopt;
  const std::optional<uint64_t> count = parts.size() >= 4 ? ParseInteger(parts[2]) : std::nullopt;
  if (!type.has_value() || !count.has_value()) return Wrong(text, "expected buffer:TYPE:COUNT:CONTENTS");
  if (*count > kMaxBuffer / type->bytes) return Wrong(text, "the buffer is too large");
  spec->is_buffer = true;
  spec->type = *type;
  spec->buffer_bytes = *count * type->bytes;
  return FillBuffer(parts, *count, text, spec);
}

// Parses "f32x4": four floats per texel.
bool ParseTexel(std::string_view text, KernelArgumentSpec* spec) {
  const std::vector<std::string_view> parts = Split(text, 'x');
  const std::optional<ElementType> type = ParseType(parts[0]);
  const std::optional<uint64_t> components = parts.size() == 2 ? ParseInteger(parts[1]) : 1;
  if (parts.size() > 2 || !type.has_value() || type->bytes > 4 || !components.has_value()) return false;
  if (*components != 1 && *components != 2 && *components != 4) return false;
  spec->type = *type;
  spec->components = static_cast<uint32_t>(*components);
  return true;
}

// Parses "16x8x2": texels in x, y and z.
bool ParseExtent(std::string_view text, KernelArgumentSpec* spec) {
  constexpr uint64_t kMaxExtent = 1 << 16;  // the limit of a GPU's two-dimensional surfaces
  const std::vector<std::string_view> parts = Split(text, 'x');
  if (parts.size() > spec->extent.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::optional<uint64_t> extent = ParseInteger(parts[i]);
    if (!extent.has_value() || *extent == 0 || *extent > kMaxExtent) return false;
    spec->extent[i] = static_cast<uint32_t>(*extent);
  }
  return true;
}

absl::Status ParseSurface(const std::vector<std::string_view>& parts, std::string_view text, KernelArgumentSpec* spec) {
  if (parts.size() < 4 || !ParseTexel(parts[1], spec) || !ParseExtent(parts[2], spec)) {
    return Wrong(text, "expected surface:TYPE[x2|x4]:WIDTH[xHEIGHT[xDEPTH]]:CONTENTS, of 8, 16 or 32 bits");
  }
  const uint64_t count = uint64_t{spec->extent[0]} * spec->extent[1] * spec->extent[2] * spec->components;
  if (count > kMaxBuffer / spec->type.bytes) return Wrong(text, "the surface is too large");
  if (parts[3] == "undef") return Wrong(text, "surfaces are defined");
  spec->is_surface = true;
  spec->buffer_bytes = count * spec->type.bytes;
  return FillBuffer(parts, count, text, spec);
}

absl::Status ParseScalar(const std::vector<std::string_view>& parts, std::string_view text, KernelArgumentSpec* spec) {
  const std::optional<ElementType> type = ParseType(parts[0]);
  if (!type.has_value() || parts.size() != 2) {
    return Wrong(text, "expected TYPE:VALUE, hex:BYTES, buffer:TYPE:COUNT:CONTENTS or surface:TEXEL:EXTENT:CONTENTS");
  }
  const std::optional<uint64_t> value = ParseValue(*type, parts[1]);
  if (!value.has_value()) return Wrong(text, "the value is none of the type");
  spec->type = *type;
  AppendBits(*value, type->bytes, &spec->bytes);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<KernelArgumentSpec> ParseKernelArgument(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  KernelArgumentSpec spec;
  spec.text = std::string(text);
  absl::Status status;
  if (parts[0] == "hex" && parts.size() == 2) {
    status = ParseBytes(parts[1], &spec);
  } else if (parts[0] == "buffer") {
    status = ParseBuffer(parts, text, &spec);
  } else if (parts[0] == "surface") {
    status = ParseSurface(parts, text, &spec);
  } else {
    status = ParseScalar(parts, text, &spec);
  }
  if (!status.ok()) return status;
  return spec;
}

std::string FormatElement(const ElementType& type, const uint8_t* bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, type.bytes);
  switch (type.kind) {
    case ElementType::Kind::kUnsigned:
      return StrCat(bits);
    case ElementType::Kind::kSigned: {
      const unsigned shift = 64 - type.bytes * 8;
      return StrCat(static_cast<int64_t>(bits << shift) >> shift);
    }
    case ElementType::Kind::kFloat:
      break;
  }
  if (type.bytes == 8) return absl::StrFormat("%.17g", std::bit_cast<double>(bits));
  if (type.bytes == 4) return absl::StrFormat("%.9g", std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return absl::StrFormat("%.5g", ptx::DecodeFloat(kHalfFormat, static_cast<uint32_t>(bits)));
}

uint64_t HashBytes(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/values/tensor.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <utility>

#include "ptx/interpreter/values/float_arithmetic.h"

namespace ptxmir::ptx {
namespace {

constexpr unsigned kTileRows = 16;
constexpr unsigned kTileColumns = 8;
constexpr unsigned kLanes = 32;

unsigned Group(unsigned lane) { return lane / 4; }
unsigned ThreadInGroup(unsigned lane) { return lane % 4; }

unsigned RowsOfTile(const TensorShape& shape) { return std::min(shape.m, kTileRows); }

int RoundingModeOf(TensorRounding rounding) {
  switch (rounding) {
    case TensorRounding::kNearest:
      return FE_TONEAREST;
    case TensorRounding::kZero:
      return FE_TOWARDZERO;
    case TensorRounding::kDown:
      return FE_DOWNWARD;
    case TensorRounding::kUp:
      return FE_UPWARD;
  }
  return FE_TONEAREST;
}

// std::fma through a pointer that is read at run time, so that the compiler cannot move the call out of the rounding
// mode.
double (*volatile const g_fused_multiply_add)(double, double, double) = &std::fma;

const FloatFormat* FormatOf(TensorType type) {
  switch (type) {
    case TensorType::kE4M3:
      return &kE4M3Format;
    case TensorType::kE5M2:
      return &kE5M2Format;
    case TensorType::kE3M2:
      return &kE3M2Format;
    case TensorType::kE2M3:
      return &kE2M3Format;
    case TensorType::kE2M1:
      return &kE2M1Format;
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<TensorType> FindTensorType(std::string_view name) {
  static constexpr std::pair<std::string_view, TensorType> kNames[] = {
      {"f16", TensorType::kF16},   {"bf16", TensorType::kBF16}, {"tf32", TensorType::kTF32},
      {"f32", TensorType::kF32},   {"f64", TensorType::kF64},   {"s32", TensorType::kS32},
      {"s8", TensorType::kS8},     {"u8", TensorType::kU8},     {"s4", TensorType::kS4},
      {"u4", TensorType::kU4},     {"b1", TensorType::kB1},     {"e4m3", TensorType::kE4M3},
      {"e5m2", TensorType::kE5M2}, {"e3m2", TensorType::kE3M2}, {"e2m3", TensorType::kE2M3},
      {"e2m1", TensorType::kE2M1}};
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

unsigned TensorTypeBits(TensorType type) {
  switch (type) {
    case TensorType::kNone:
      return 0;
    case TensorType::kB1:
      return 1;
    case TensorType::kS4:
    case TensorType::kU4:
    case TensorType::kE2M1:
      return 4;
    case TensorType::kE3M2:
    case TensorType::kE2M3:
      return 6;
    case TensorType::kS8:
    case TensorType::kU8:
    case TensorType::kE4M3:
    case TensorType::kE5M2:
      return 8;
    case TensorType::kF16:
    case TensorType::kBF16:
      return 16;
    case TensorType::kTF32:
    case TensorType::kF32:
    case TensorType::kS32:
      return 32;
    case TensorType::kF64:
      return 64;
  }
  return 0;
}

// ---- Fragments.

unsigned RegistersOfA(const TensorShape& shape, unsigned per_register) {
  return shape.m * shape.k / (kLanes * per_register);
}
unsigned RegistersOfB(const TensorShape& shape, unsigned per_register) {
  return shape.n * shape.k / (kLanes * per_register);
}
unsigned ElementsOfC(const TensorShape& shape) { return shape.m * shape.n / kLanes; }

TensorElement ElementOfA(const TensorShape& shape, unsigned per_register, unsigned lane, unsigned reg, unsigned i) {
  // The registers of a tile alternate between its upper and lower eight rows, then continue along k.
  const unsigned halves = RowsOfTile(shape) / 8;
  const unsigned steps = shape.k / (4 * per_register);
  const unsigned tile = reg / (halves * steps);
  const unsigned in_tile = reg % (halves * steps);
  return {tile * kTileRows + in_tile % halves * 8 + Group(lane),
          (in_tile / halves * 4 + ThreadInGroup(lane)) * per_register + i};
}

TensorElement ElementOfB(const TensorShape& shape, unsigned per_register, unsigned lane, unsigned reg, unsigned i) {
  const unsigned steps = shape.k / (4 * per_register);
  return {(reg % steps * 4 + ThreadInGroup(lane)) * per_register + i, reg / steps * kTileColumns + Group(lane)};
}

TensorElement ElementOfC(const TensorShape& shape, unsigned lane, unsigned i) {
  const unsigned in_tile = RowsOfTile(shape) / 4;
  const unsigned tile = i / in_tile;
  const unsigned tiles_across = shape.n / kTileColumns;
  return {tile / tiles_across * kTileRows + i % in_tile / 2 * 8 + Group(lane),
          tile % tiles_across * kTileColumns + ThreadInGroup(lane) * 2 + i % 2};
}

unsigned QuadPairOf(unsigned lane) { return lane % 16 / 4; }

TensorElement QuadPairElementOfA(bool row_major, unsigned lane, unsigned i) {
  const unsigned lower = lane < 16 ? 0 : 4;
  return row_major ? TensorElement{lane % 4 + lower, i} : TensorElement{i + lower, lane % 4};
}
TensorElement QuadPairElementOfB(bool row_major, unsigned lane, unsigned i) {
  const unsigned right = lane < 16 ? 0 : 4;
  return row_major ? TensorElement{lane % 4, i + right} : TensorElement{i, lane % 4 + right};
}
TensorElement QuadPairElementOfC(bool is_f32, unsigned lane, unsigned i) {
  const unsigned lower = lane < 16 ? 0 : 4;
  if (!is_f32) return {lane % 4 + lower, i};
  return {(lane & 1) + (i & 2) + lower, (i & 4) + (lane & 2) + (i & 1)};
}

// ---- Elements.

TensorField FieldOf(TensorType type, bool in_bytes) {
  if (type == TensorType::kTF32) return {32, 0, 0xffffe000u};
  const unsigned bits = TensorTypeBits(type);
  const uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
  if (in_bytes && bits == 4) return {8, 2, mask << 2};
  if (in_bytes && bits == 6) return {8, 0, mask};
  return {bits, 0, mask};
}

double DecodeTensorElement(TensorType type, const TensorField& field, uint32_t bits) {
  bits &= field.mask;
  switch (type) {
    case TensorType::kF16:
      return HalfToFloat(static_cast<uint16_t>(bits));
    case TensorType::kBF16:
      return std::bit_cast<float>(bits << 16);
    case TensorType::kTF32:
    case TensorType::kF32:
      return std::bit_cast<float>(bits);
    case TensorType::kS32:
      return static_cast<int32_t>(bits);
    case TensorType::kS8:
      return static_cast<int8_t>(bits);
    case TensorType::kS4:
      return static_cast<int8_t>(bits << 4) >> 4;
    case TensorType::kU8:
    case TensorType::kU4:
      return bits;
    default:
      break;
  }
  const FloatFormat* const format = FormatOf(type);
  return format == nullptr ? 0 : DecodeFloat(*format, bits >> field.shift);
}

uint32_t EncodeTensorResult(TensorType type, bool saturate, double value) {
  if (type == TensorType::kS32) {
    if (saturate) {
      value = std::clamp(value, static_cast<double>(std::numeric_limits<int32_t>::min()),
                         static_cast<double>(std::numeric_limits<int32_t>::max()));
    }
    return static_cast<uint32_t>(static_cast<int64_t>(value));
  }
  if (type == TensorType::kF16) return EncodeFloat(kHalfFormat, value);
  return std::isnan(value) ? 0x7fffffffu : std::bit_cast<uint32_t>(static_cast<float>(value));
}

// ---- Sparse matrices.

SparseChunk SparseChunkOf(TensorType type, bool in_bytes) {
  if (type == TensorType::kTF32) return {2, 1, 4};
  // With four bits, pairs of elements are stored or left out together.
  if (TensorTypeBits(type) == 4 && !in_bytes) return {8, 4, 4};
  return {4, 2, 4};
}

bool DecodeSparseChunk(const SparseChunk& chunk, uint32_t metadata, absl::Span<unsigned> column) {
  const unsigned first = metadata & 3;
  const unsigned second = metadata >> 2 & 3;
  if (chunk.stored == 1) {
    // The two indices select halves of the stored word.
    if (second != first + 1 || first % 2 != 0) return false;
    column[0] = first / 2;
    return true;
  }
  if (first == second) return false;
  const unsigned width = chunk.stored / 2;
  for (unsigned i = 0; i < width; ++i) {
    column[i] = first * width + i;
    column[width + i] = second * width + i;
  }
  return true;
}

// ---- The product.

void TensorProduct::Multiply() {
  for (unsigned row = 0; row < shape.m; ++row) {
    double* const sums = &c[size_t{row} * shape.n];
    for (unsigned k = 0; k < shape.k; ++k) {
      const double factor = a[row * shape.k + k];
      const double* const others = &b[size_t{k} * shape.n];
      for (unsigned column = 0; column < shape.n; ++column) sums[column] += factor * others[column];
    }
  }
}

void TensorProduct::MultiplyF64(TensorRounding rounding) {
  const int before = std::fegetround();
  std::fesetround(RoundingModeOf(rounding));
  for (unsigned row = 0; row < shape.m; ++row) {
    for (unsigned column = 0; column < shape.n; ++column) {
      double sum = c[row * shape.n + column];
      for (unsigned k = 0; k < shape.k; ++k) {
        sum = g_fused_multiply_add(a[row * shape.k + k], b[k * shape.n + column], sum);
      }
      c[row * shape.n + column] = sum;
    }
  }
  std::fesetround(before);
}

void TensorProduct::MultiplyBits(bool exclusive_or) {
  const unsigned words = shape.k / 32;
  for (unsigned row = 0; row < shape.m; ++row) {
    for (unsigned column = 0; column < shape.n; ++column) {
      int count = 0;
      for (unsigned word = 0; word < words; ++word) {
        const uint32_t x = a_words[row * words + word];
        const uint32_t y = b_words[column * words + word];
        count += std::popcount(exclusive_or ? x ^ y : x & y);
      }
      c[row * shape.n + column] += count;
    }
  }
}

}  // namespace ptxmir::ptx

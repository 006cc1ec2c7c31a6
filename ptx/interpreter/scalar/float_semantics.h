// SPDX-License-Identifier: Apache-2.0

// Shared parts of the resolvers of floating-point instructions: formats as kernels see them, and modifiers.

#ifndef PTXMIR_PTX_INTERPRETER_SCALAR_FLOAT_SEMANTICS_H_
#define PTXMIR_PTX_INTERPRETER_SCALAR_FLOAT_SEMANTICS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ptx/interpreter/scalar/scalar_semantics.h"
#include "ptx/interpreter/values/float_arithmetic.h"

namespace ptxmir::ptx {

// Returns the rounding of float kernels, which is KernelParams::a.
inline Rounding RoundingOf(const KernelParams& params) { return static_cast<Rounding>(params.a); }

// KernelParams::b of float kernels.
enum FloatFlag : uint32_t {
  kFlush = 1,      // .ftz: subnormal operands and results become zero
  kSaturate = 2,   // .sat: clamps to [0, 1]; NaN becomes 0
  kRelu = 4,       // negative results become 0
  kPropagate = 8,  // .NaN of min and max
  kXorSign = 16,   // .xorsign.abs of min and max
  kAbsolute = 32,  // .abs of min and max
  kFinite = 64,    // .satfinite
};

// ---- Formats. Row is the type of a register's contents, Value that of comparisons and unrounded arithmetic.
struct Single {
  using Row = uint32_t;
  using Value = float;
  static constexpr FloatFormat kFormat = kSingleFormat;
  static constexpr Row kSign = 0x80000000;
  static constexpr Row kNan = 0x7fffffff;
  static constexpr Row kSmallestNormal = 0x00800000;
  static constexpr Row kOne = 0x3f800000;
  static Value Load(Row row) { return std::bit_cast<float>(row); }
  static Row Store(double value, Rounding mode) {
    if (mode <= Rounding::kNearestEven) return std::bit_cast<uint32_t>(static_cast<float>(value));
    return RoundFloat(kSingleFormat, value, {.mode = mode});
  }
};

struct Half {
  using Row = uint16_t;
  using Value = float;
  static constexpr FloatFormat kFormat = kHalfFormat;
  static constexpr Row kSign = 0x8000;
  static constexpr Row kNan = 0x7fff;
  static constexpr Row kSmallestNormal = 0x0400;
  static constexpr Row kOne = 0x3c00;
  static Value Load(Row row) {
    const uint32_t magnitude = row & 0x7fffu;
    const uint32_t sign = (row & 0x8000u) << 16;
    constexpr uint32_t kInfinity = 0x7c00;
    // The exponent is rebased by 127 - 15; subnormals are multiples of 2^-24.
    const uint32_t normal = (magnitude << 13) + (uint32_t{112} << 23);
    const uint32_t special = (magnitude << 13) | 0x7f800000u;
    const uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
    return std::bit_cast<float>(sign | (magnitude >= kInfinity        ? special
                                        : magnitude < kSmallestNormal ? subnormal
                                                                      : normal));
  }
  static Row Store(double value, Rounding mode) {
    return static_cast<Row>(RoundFloat(kHalfFormat, value, {.mode = mode}));
  }
};

struct BFloat {
  using Row = uint16_t;
  using Value = float;
  static constexpr FloatFormat kFormat = kBFloatFormat;
  static constexpr Row kSign = 0x8000;
  static constexpr Row kNan = 0x7fff;
  static constexpr Row kSmallestNormal = 0x0080;
  static constexpr Row kOne = 0x3f80;
  static Value Load(Row row) { return std::bit_cast<float>(static_cast<uint32_t>(row) << 16); }
  static Row Store(double value, Rounding mode) {
    return static_cast<Row>(RoundFloat(kBFloatFormat, value, {.mode = mode}));
  }
};

// Arithmetic is the host's, in the given rounding mode. NaNs keep their payload: the result is the first NaN
// operand, quieted, or kNan if no operand is a NaN (CUDART_NAN, which the hardware also produces).
struct Double {
  using Row = uint64_t;
  using Value = double;
  static constexpr Row kSign = uint64_t{1} << 63;
  static constexpr Row kNan = 0xfff8000000000000;
  static constexpr Row kQuiet = 0x0008000000000000;
  static constexpr Row kSmallestNormal = 0x0010000000000000;
  static constexpr Row kOne = 0x3ff0000000000000;
  static Value Load(Row row) { return std::bit_cast<double>(row); }
};

template <typename F>
bool IsNan(typename F::Row row) {
  const auto value = F::Load(row);
  return value != value;
}

template <typename F>
typename F::Row Flush(typename F::Row row) {
  using Row = typename F::Row;
  const Row magnitude = static_cast<Row>(row & ~F::kSign);
  return magnitude < F::kSmallestNormal ? static_cast<Row>(row & F::kSign) : row;
}
template <typename F>
typename F::Row FlushIf(uint32_t flags, typename F::Row row) {
  return (flags & kFlush) != 0 ? Flush<F>(row) : row;
}

// Returns the NaN that an operation with these operands produces.
template <typename F, typename... Rows>
typename F::Row NanOf(Rows... rows) {
  typename F::Row result = F::kNan;
  if constexpr (std::is_same_v<F, Double>) {
    bool found = false;
    const auto consider = [&](uint64_t row) {
      if (found || !IsNan<Double>(row)) return;
      found = true;
      result = row | Double::kQuiet;
    };
    (consider(rows), ...);
  }
  return result;
}

// Calls `set` with a tag object of the scalar float format. Returns false for other types.
template <typename Set>
bool ForFormat(const ScalarType& type, Set set) {
  if (type.kind == ScalarType::Kind::kBFloat) return set(BFloat());
  if (type.kind != ScalarType::Kind::kFloat) return false;
  if (type.bits == 16) return set(Half());
  if (type.bits == 32) return set(Single());
  return set(Double());
}

// ---- Packed operations: a kernel of one element, applied to two.
template <typename Kernel, typename Narrow, typename Wide, typename... Wides>
struct PackedKernel {
  static Wide Run(const KernelParams& params, Wides... rows) {
    constexpr unsigned kShift = sizeof(Narrow) * 8;
    const Narrow low = Kernel::Run(params, static_cast<Narrow>(rows)...);
    const Narrow high = Kernel::Run(params, static_cast<Narrow>(rows >> kShift)...);
    return static_cast<Wide>(low) | static_cast<Wide>(high) << kShift;
  }
};

// Sets a kernel of one element, or a packed one of two, with kArity sources in its own format. Kernel::Run takes the
// parameters and rows.
template <typename F, typename Kernel, unsigned kArity>
void SetFloatKernel(bool packed, Semantics* semantics) {
  using Row = typename F::Row;
  if (!packed) {
    SetPure<&Kernel::Run>(semantics);
    return;
  }
  if constexpr (!std::is_same_v<F, Double>) {
    using Wide = std::conditional_t<sizeof(Row) == 2, uint32_t, uint64_t>;
    constexpr UndefinedRule kRule = &ElementsRule<sizeof(Row) * 8>;
    if constexpr (kArity == 1) {
      SetPure<&PackedKernel<Kernel, Row, Wide, Wide>::Run>(semantics, kRule);
    } else if constexpr (kArity == 2) {
      SetPure<&PackedKernel<Kernel, Row, Wide, Wide, Wide>::Run>(semantics, kRule);
    } else {
      SetPure<&PackedKernel<Kernel, Row, Wide, Wide, Wide, Wide>::Run>(semantics, kRule);
    }
  }
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_SCALAR_FLOAT_SEMANTICS_H_

// SPDX-License-Identifier: Apache-2.0

// Conversions and moves: cvt, cvt.pack, mov (PTX ISA 9.7.9).
//
// - Conversion from floating point to integer clamps to the range of the destination. A NaN gives 0. But if the
//   source is f64 or the destination has 64 bits, a NaN gives the integer with only its highest bit set.
// - 8-bit integers live in 16-bit registers, extended according to the sign of their type.
// - Stochastic rounding (rs) adds the random bits to the first bits after the last one kept, even if the result is
//   subnormal: 13 bits for f16, 16 for bf16 and the 8- and 6-bit formats, 8 for e2m1. PTX leaves the subnormal case
//   open.
//
// Addresses (cvta, isspacep, symbols) and special registers are handled elsewhere.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ptx/interpreter/scalar/float_semantics.h"
#include "ptx/interpreter/scalar/scalar_resolvers.h"

namespace ptxmir::ptx {
namespace {

using Kind = ScalarType::Kind;

// ---- Integers. A type with fewer bits than its register is a field of it.

// The register that holds a T: T extended to at least 16 bits.
template <typename T>
using RowOf = std::make_unsigned_t<std::conditional_t<sizeof(T) == 1, uint16_t, T>>;
template <typename T>
RowOf<T> ToRow(T value) {
  using Extended = std::conditional_t<sizeof(T) == 1, std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>, T>;
  return static_cast<RowOf<T>>(static_cast<Extended>(value));
}

template <typename To, typename From>
RowOf<To> IntegerToInteger(RowOf<From> row) {
  return ToRow(static_cast<To>(static_cast<From>(row)));
}

template <typename To, typename From>
RowOf<To> IntegerSaturating(RowOf<From> row) {
  using Limits = std::numeric_limits<To>;
  const auto value = static_cast<__int128>(static_cast<From>(row));
  return ToRow(static_cast<To>(std::clamp<__int128>(value, Limits::min(), Limits::max())));
}

// A type to which conversions without saturation are those to T: its sign counts only where bits are added to it.
template <typename T>
using AnySign = std::conditional_t<sizeof(T) == 1, T, RowOf<T>>;

// Sets a conversion between integers. Truncation and extension only move bits.
template <typename To, typename From>
bool SetIntegers(bool saturate, Semantics* semantics) {
  if (saturate) {
    SetPure<&IntegerSaturating<To, From>>(semantics);
  } else {
    constexpr auto kConvert = &IntegerToInteger<AnySign<To>, From>;
    SetPure<kConvert>(semantics, RoutingRule<kConvert, 1>());
  }
  return true;
}

// Calls `set` with a value of the integer type.
template <typename Set>
bool ForInteger(const ScalarType& type, Set set) {
  if (type.elements != 1 || (type.kind != Kind::kSigned && type.kind != Kind::kUnsigned)) return false;
  const bool is_signed = type.kind == Kind::kSigned;
  switch (type.bits) {
    case 8:
      return is_signed ? set(int8_t()) : set(uint8_t());
    case 16:
      return is_signed ? set(int16_t()) : set(uint16_t());
    case 32:
      return is_signed ? set(int32_t()) : set(uint32_t());
    case 64:
      return is_signed ? set(int64_t()) : set(uint64_t());
    default:
      return false;
  }
}

// ---- Between integers and floats.

template <typename F>
typename F::Row SaturateToOne(typename F::Row row) {
  const auto value = F::Load(row);
  if (!(value > 0)) return 0;
  return value > 1 ? static_cast<typename F::Row>(F::kOne) : row;
}

template <typename F, typename From>
typename F::Row IntegerToFloat(const KernelParams& params, RowOf<From> row) {
  const auto value = static_cast<From>(row);
  const bool negative = value < 0;
  const uint64_t extended = static_cast<uint64_t>(value);
  const uint64_t magnitude = negative ? 0 - extended : extended;
  typename F::Row result;
  if constexpr (std::is_same_v<F, Double>) {
    result = std::bit_cast<uint64_t>(IntegerToDouble(magnitude, negative, RoundingOf(params)));
  } else {
    result = F::Store(IntegerToOdd(magnitude, negative), RoundingOf(params));
  }
  return (params.b & kSaturate) != 0 ? SaturateToOne<F>(result) : result;
}

template <typename To, typename F>
RowOf<To> FloatToInteger(const KernelParams& params, typename F::Row row) {
  constexpr unsigned kBits = sizeof(To) * 8;
  using Limits = std::numeric_limits<To>;
  const double value = F::Load(FlushIf<F>(params.b, row));
  if (value != value) {
    constexpr bool kHighBit = std::is_same_v<F, Double> || kBits == 64;
    return kHighBit ? ToRow(static_cast<To>(uint64_t{1} << (kBits - 1))) : RowOf<To>{0};
  }
  const double integral = RoundToIntegral(value, RoundingOf(params));
  // 2^n and -2^n are exact, and every integer between them fits.
  constexpr int kValueBits = Limits::digits;
  if (integral >= std::ldexp(1.0, kValueBits)) return ToRow(Limits::max());
  if (integral <= static_cast<double>(Limits::min())) return ToRow(Limits::min());
  if constexpr (std::is_signed_v<To>) {
    return ToRow(static_cast<To>(static_cast<int64_t>(integral)));
  } else {
    return ToRow(static_cast<To>(static_cast<uint64_t>(integral)));
  }
}

// ---- Between floats.

// Converts between float formats. f64 is an exact source for every format. As a destination it only receives exact
// values.
template <typename To, typename From>
typename To::Row FloatToFloat(const KernelParams& params, typename From::Row row) {
  using Row = typename To::Row;
  row = std::is_same_v<From, Single> ? FlushIf<From>(params.b, row) : row;
  double value = From::Load(row);
  Row result;
  if (value != value) {
    if ((params.b & kSaturate) != 0) return 0;
    if constexpr (std::is_same_v<To, Double>) {
      return std::bit_cast<uint64_t>(value) | Double::kQuiet;
    } else {
      return To::kNan;
    }
  }
  // params.c: a Rounding to an integral value.
  if (params.c != 0) value = RoundToIntegral(value, static_cast<Rounding>(params.c));
  if constexpr (std::is_same_v<To, Double>) {
    result = std::bit_cast<uint64_t>(value);
  } else {
    RoundingOptions options;
    options.mode = RoundingOf(params);
    options.saturate_finite = (params.b & kFinite) != 0;
    result = static_cast<Row>(RoundFloat(To::kFormat, value, options));
  }
  if (std::is_same_v<To, Single>) result = FlushIf<To>(params.b, result);
  if ((params.b & kRelu) != 0 && (result & To::kSign) != 0) return 0;
  return (params.b & kSaturate) != 0 ? SaturateToOne<To>(result) : result;
}

// Sets cvt between scalar integers and floats.
bool SetScalar(const ScalarType& to, const ScalarType& from, bool integral, Semantics* semantics) {
  const uint32_t flags = semantics->params.b;
  if (to.is_float()) {
    return ForFormat(to, [&](auto to_format) {
      using To = decltype(to_format);
      if (!from.is_float()) {
        return !integral && ForInteger(from, [&](auto value) {
          SetPure<&IntegerToFloat<To, decltype(value)>>(semantics);
          return true;
        });
      }
      return ForFormat(from, [&](auto from_format) {
        SetPure<&FloatToFloat<To, decltype(from_format)>>(semantics);
        return true;
      });
    });
  }
  return ForInteger(to, [&](auto to_value) {
    using To = decltype(to_value);
    if (from.is_float()) {
      return ForFormat(from, [&](auto format) {
        SetPure<&FloatToInteger<To, decltype(format)>>(semantics);
        return true;
      });
    }
    return ForInteger(from, [&](auto from_value) {
      return SetIntegers<To, decltype(from_value)>((flags & kSaturate) != 0, semantics);
    });
  });
}

// ---- Narrow and packed formats.

// KernelParams: a is the mode, b the flags. kContainer is the number of bits that an element takes in the result.
template <FloatFormat kFormat>
struct Narrow {
  static constexpr const FloatFormat& kOf = kFormat;
  // 6-bit formats are stored in bytes.
  static constexpr unsigned kContainer = kFormat.bits() == 6 ? 8 : static_cast<unsigned>(kFormat.bits());
  static uint32_t From(const KernelParams& params, double value, uint32_t random = 0, unsigned random_bits = 0) {
    if ((params.b & kRelu) != 0 && value < 0) value = 0;
    RoundingOptions options;
    options.mode = RoundingOf(params);
    options.saturate_finite = (params.b & kFinite) != 0;
    options.random = random;
    options.random_bits = random_bits;
    const uint32_t result = RoundFloat(kFormat, value, options);
    // Relu may leave -0.
    return (params.b & kRelu) != 0 && !std::isnan(value) && (result & kFormat.sign()) != 0 ? 0 : result;
  }
};

template <typename N>
using PairRow = std::conditional_t<N::kContainer == 16, uint32_t, uint16_t>;

// Packs two f32. The first goes to the upper half.
template <typename N>
PairRow<N> PackSingles(const KernelParams& params, uint32_t a, uint32_t b) {
  const uint32_t high = N::From(params, Single::Load(a));
  const uint32_t low = N::From(params, Single::Load(b));
  return static_cast<PairRow<N>>(high << N::kContainer | low);
}
// The same with random bits for .rs: 13 or 16 bits of each half.
template <typename N>
uint32_t PackSinglesRandomly(const KernelParams& params, uint32_t a, uint32_t b, uint32_t random) {
  constexpr unsigned kBits = 23 - N::kOf.mantissa_bits;
  constexpr uint32_t kMask = (1u << kBits) - 1;
  const uint32_t high = N::From(params, Single::Load(a), random >> 16 & kMask, kBits);
  const uint32_t low = N::From(params, Single::Load(b), random & kMask, kBits);
  return high << 16 | low;
}
// Packs four f32, the first uppermost.
template <typename N>
using QuadRow = std::conditional_t<N::kContainer == 4, uint16_t, uint32_t>;
template <typename N>
QuadRow<N> PackFourRandomly(const KernelParams& params, uint32_t a, uint32_t b, uint32_t e, uint32_t f,
                            uint32_t random) {
  constexpr bool kByte = N::kContainer == 4;
  constexpr unsigned kBits = kByte ? 8 : 16;
  // The upper 16 bits are for a and b, the lower for e and f. For e2m1, the upper bytes of both halves are for a and
  // b.
  const uint32_t for_a = kByte ? random >> 24 : random >> 16;
  const uint32_t for_b = kByte ? random >> 8 & 0xff : random >> 16;
  const uint32_t for_e = kByte ? random >> 16 & 0xff : random & 0xffff;
  const uint32_t for_f = kByte ? random & 0xff : random & 0xffff;
  const auto convert = [&](uint32_t value, uint32_t bits) { return N::From(params, Single::Load(value), bits, kBits); };
  constexpr unsigned kStep = N::kContainer;
  return static_cast<QuadRow<N>>(convert(a, for_a) << (3 * kStep) | convert(b, for_b) << (2 * kStep) |
                                 convert(e, for_e) << kStep | convert(f, for_f));
}
// Convert from and to pairs of f16 or bf16.
template <typename N, typename F>
uint16_t NarrowPair(const KernelParams& params, uint32_t a) {
  const uint32_t high = N::From(params, F::Load(static_cast<uint16_t>(a >> 16)));
  const uint32_t low = N::From(params, F::Load(static_cast<uint16_t>(a)));
  return static_cast<uint16_t>(high << N::kContainer | low);
}
template <typename N, typename F>
uint32_t WidenPair(const KernelParams& params, uint16_t a) {
  const auto widen = [&](unsigned shift) -> uint32_t {
    const uint32_t bits = a >> shift & ((uint32_t{1} << N::kOf.bits()) - 1);
    const uint16_t row = F::Store(DecodeFloat(N::kOf, bits), RoundingOf(params));
    const bool relu = (params.b & kRelu) != 0 && (row & F::kSign) != 0 && !IsNan<F>(row);
    return relu ? 0 : row;
  };
  return widen(N::kContainer) << 16 | widen(0);
}

template <typename F>
uint16_t SingleToSixteen(const KernelParams& params, uint32_t a) {
  return static_cast<uint16_t>(Narrow<F::kFormat>::From(params, Single::Load(a)));
}
uint32_t SingleToTF32(const KernelParams& params, uint32_t a) {
  const float value = Single::Load(a);
  if (value != value) return Single::kNan;
  return Narrow<kTf32Format>::From(params, value) << 13;
}

// ---- ue8m0.
uint32_t ToUE8M0(const KernelParams& params, uint32_t f32_bits) {
  return FloatToUE8M0(f32_bits, RoundingOf(params), (params.b & kFinite) != 0);
}
uint16_t SinglesToUE8M0(const KernelParams& params, uint32_t a, uint32_t b) {
  return static_cast<uint16_t>(ToUE8M0(params, a) << 8 | ToUE8M0(params, b));
}
uint16_t BFloatsToUE8M0(const KernelParams& params, uint32_t a) {
  return SinglesToUE8M0(params, a & 0xffff0000, a << 16);
}
uint32_t UE8M0ToBFloats(uint16_t a) {
  const auto widen = [](uint32_t bits) -> uint32_t {
    // 2^-127 is a subnormal bf16.
    return bits == 0xff ? BFloat::kNan : bits == 0 ? 0x0040 : bits << 7;
  };
  return widen(a >> 8) << 16 | widen(a & 0xff);
}

// Calls `set` with the Narrow of the part's element type ("e4m3x2").
template <typename Set>
bool ForNarrow(std::string_view part, Set set) {
  const std::string_view element = part.substr(0, part.rfind('x'));
  if (element == "e4m3") return set(Narrow<kE4M3Format>());
  if (element == "e5m2") return set(Narrow<kE5M2Format>());
  if (element == "e2m3") return set(Narrow<kE2M3Format>());
  if (element == "e3m2") return set(Narrow<kE3M2Format>());
  if (element == "e2m1") return set(Narrow<kE2M1Format>());
  return false;
}

bool IsSingle(const ScalarType& type) { return type == ScalarType{Kind::kFloat, 32, 1}; }
bool IsPairOfSixteen(const ScalarType& type) { return type.is_float() && type.bits == 16 && type.elements == 2; }

// Sets a conversion to f16x2 or bf16x2.
bool SetToPair(const ScalarType& to, std::string_view from_part, bool stochastic, Semantics* semantics) {
  const bool is_bfloat = to.kind == Kind::kBFloat;
  if (from_part == "f32") {
    if (stochastic) {
      is_bfloat ? SetPure<&PackSinglesRandomly<Narrow<kBFloatFormat>>>(semantics)
                : SetPure<&PackSinglesRandomly<Narrow<kHalfFormat>>>(semantics);
    } else {
      is_bfloat ? SetPure<&PackSingles<Narrow<kBFloatFormat>>>(semantics)
                : SetPure<&PackSingles<Narrow<kHalfFormat>>>(semantics);
    }
    return true;
  }
  if (from_part == "ue8m0x2") {
    SetPure<&UE8M0ToBFloats>(semantics);
    return is_bfloat;
  }
  return ForNarrow(from_part, [&](auto narrow) {
    using N = decltype(narrow);
    is_bfloat ? SetPure<&WidenPair<N, BFloat>>(semantics) : SetPure<&WidenPair<N, Half>>(semantics);
    return true;
  });
}

// Sets a conversion to a format of at most 8 bits.
bool SetToNarrow(std::string_view to_part, const ScalarType& from, bool stochastic, Semantics* semantics) {
  const bool is_bfloat = from.kind == Kind::kBFloat;
  if (to_part == "ue8m0x2") {
    if (IsSingle(from)) {
      SetPure<&SinglesToUE8M0>(semantics);
    } else {
      SetPure<&BFloatsToUE8M0>(semantics);
    }
    return IsSingle(from) || (IsPairOfSixteen(from) && is_bfloat);
  }
  return ForNarrow(to_part, [&](auto narrow) {
    using N = decltype(narrow);
    if (IsPairOfSixteen(from)) {
      is_bfloat ? SetPure<&NarrowPair<N, BFloat>>(semantics) : SetPure<&NarrowPair<N, Half>>(semantics);
      return true;
    }
    if (!IsSingle(from)) return false;
    if (to_part.substr(to_part.rfind('x')) == "x4") {
      SetPure<&PackFourRandomly<N>>(semantics);
      return stochastic;
    }
    SetPure<&PackSingles<N>>(semantics);
    return true;
  });
}

// ---- cvt.

struct CvtParts {
  ScalarType to;
  ScalarType from;
  std::string_view to_part;
  std::string_view from_part;
  Rounding rounding = Rounding::kDefault;
  Rounding integral = Rounding::kDefault;
};

bool SetCvt(const CvtParts& cvt, Semantics* semantics) {
  KernelParams& params = semantics->params;
  const bool stochastic = cvt.rounding == Rounding::kStochastic;
  params.a = static_cast<uint32_t>(cvt.rounding == Rounding::kDefault ? Rounding::kNearestEven : cvt.rounding);
  if (cvt.to_part == "tf32") {
    SetPure<&SingleToTF32>(semantics);
    return IsSingle(cvt.from);
  }
  if (cvt.to.kind == Kind::kOther) {
    return SetToNarrow(cvt.to_part, cvt.from, stochastic, semantics);
  }
  if (IsPairOfSixteen(cvt.to)) {
    return SetToPair(cvt.to, cvt.from_part, stochastic, semantics);
  }
  if (cvt.to.elements != 1 || cvt.from.elements != 1 || stochastic) return false;
  if (cvt.to.is_float() && cvt.to.bits == 16 && IsSingle(cvt.from) && (params.b & (kFinite | kRelu)) != 0) {
    cvt.to.kind == Kind::kBFloat ? SetPure<&SingleToSixteen<BFloat>>(semantics)
                                 : SetPure<&SingleToSixteen<Half>>(semantics);
    return true;
  }
  const bool integral = cvt.integral != Rounding::kDefault;
  if (cvt.to.is_float()) {
    params.c = static_cast<uint32_t>(cvt.integral);
  } else if (integral) {
    params.a = static_cast<uint32_t>(cvt.integral);
  }
  return SetScalar(cvt.to, cvt.from, integral, semantics);
}

bool ResolveCvt(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kConvert;
  CvtParts cvt;
  Parts parts(statement.mnemonic);
  if (parts.Take("pack")) return false;
  cvt.from_part = statement.mnemonic.Last();
  cvt.to_part = statement.mnemonic.Last(1);
  cvt.from = parts.TakeType();
  cvt.to = parts.TakeType();
  if (!cvt.from.is_valid() || !cvt.to.is_valid()) return false;
  cvt.rounding = parts.TakeFirst(&ParseRounding);
  cvt.integral = parts.TakeFirst(&ParseIntegerRounding);
  uint32_t& flags = semantics->params.b;
  if (parts.Take("ftz")) flags |= kFlush;
  if (parts.Take("sat")) flags |= kSaturate;
  if (parts.Take("relu")) flags |= kRelu;
  if (parts.Take("satfinite")) flags |= kFinite;
  return parts.empty() && SetCvt(cvt, semantics) && Matches(statement, *semantics);
}

// ---- cvt.pack: two s32, clamped and packed; with a third source, its low bits are placed above them. params.a is the
// number of bits of an element; params.b is 1 if they are signed.
uint32_t ClampTo(const KernelParams& params, uint32_t value) {
  const int64_t high = params.b != 0 ? (int64_t{1} << (params.a - 1)) - 1 : (int64_t{1} << params.a) - 1;
  const int64_t low = params.b != 0 ? -high - 1 : 0;
  const int64_t clamped = std::clamp<int64_t>(static_cast<int32_t>(value), low, high);
  return static_cast<uint32_t>(clamped) & static_cast<uint32_t>((uint64_t{1} << params.a) - 1);
}
uint32_t CvtPack(const KernelParams& params, uint32_t a, uint32_t b) {
  return ClampTo(params, a) << params.a | ClampTo(params, b);
}
uint32_t CvtPackAbove(const KernelParams& params, uint32_t a, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(uint64_t{c} << (2 * params.a)) | CvtPack(params, a, b);
}

bool ResolveCvtPack(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kConvert;
  Parts parts(statement.mnemonic);
  if (!parts.Take("pack") || !parts.Take("sat")) return false;
  const bool third = parts.Take("b32");
  const ScalarType from = parts.TakeType();
  const ScalarType to = parts.TakeType();
  if (from != ScalarType{Kind::kSigned, 32, 1} || !to.is_valid() || to.bits > 16 ||
      (to.kind != Kind::kSigned && to.kind != Kind::kUnsigned)) {
    return false;
  }
  semantics->params.a = to.bits;
  semantics->params.b = to.kind == Kind::kSigned ? 1 : 0;
  if (third) {
    SetPure<&CvtPackAbove>(semantics);
  } else {
    SetPure<&CvtPack>(semantics);
  }
  return parts.empty() && Matches(statement, *semantics);
}

// ---- mov.

template <typename T>
T Copy(T a) {
  return a;
}
std::tuple<uint64_t, uint64_t> CopyPair(uint64_t low, uint64_t high) { return {low, high}; }
void CopyPredicate(void* const* rows, LaneMask active, const KernelParams&) {
  LaneMask& result = *static_cast<LaneMask*>(rows[0]);
  result = (result & ~active) | (*static_cast<LaneMask*>(rows[1]) & active);
}
void NegatePredicate(void* const* rows, LaneMask active, const KernelParams&) {
  LaneMask& result = *static_cast<LaneMask*>(rows[0]);
  result = (result & ~active) | (~*static_cast<LaneMask*>(rows[1]) & active);
}

// Packs and unpacks kCount elements of kBits bits, in rows of Element, to and from a row of Whole.
template <typename Whole, typename Element, unsigned kBits, unsigned kCount>
struct Vector {
  static constexpr Whole kMask = static_cast<Whole>((uint64_t{1} << kBits) - 1);
  static void Pack(void* const* rows, LaneMask active, const KernelParams&) {
    ForEachLane(active, [&](unsigned lane) {
      Whole whole = 0;
      for (unsigned i = 0; i < kCount; ++i) {
        const auto element = static_cast<const Element*>(rows[1 + i])[lane];
        whole |= (static_cast<Whole>(element) & kMask) << (i * kBits);
      }
      static_cast<Whole*>(rows[0])[lane] = whole;
    });
  }
  static void Unpack(void* const* rows, LaneMask active, const KernelParams&) {
    ForEachLane(active, [&](unsigned lane) {
      const Whole whole = static_cast<const Whole*>(rows[kCount])[lane];
      for (unsigned i = 0; i < kCount; ++i) {
        static_cast<Element*>(rows[i])[lane] = static_cast<Element>(whole >> (i * kBits) & kMask);
      }
    });
  }
  static void Set(bool pack, Semantics* semantics) {
    constexpr uint8_t kWholeBits = sizeof(Whole) * 8;
    constexpr uint8_t kElementBits = sizeof(Element) * 8;
    semantics->undefined = &undefined_rule::Move;
    semantics->params.a = pack ? kBits : kWholeBits;
    semantics->params.b = pack ? kWholeBits : kBits;
    if (pack) {
      semantics->pure = &Pack;
      semantics->result_bits = {kWholeBits};
      semantics->source_bits.assign(kCount, kElementBits);
    } else {
      semantics->pure = &Unpack;
      semantics->result_bits.assign(kCount, kElementBits);
      semantics->source_bits = {kWholeBits};
    }
  }
};

bool SetVector(unsigned bits, size_t count, bool pack, Semantics* semantics) {
  if (bits == 16 && count == 2) {
    Vector<uint16_t, uint16_t, 8, 2>::Set(pack, semantics);
  } else if (bits == 32 && count == 2) {
    Vector<uint32_t, uint16_t, 16, 2>::Set(pack, semantics);
  } else if (bits == 32 && count == 4) {
    Vector<uint32_t, uint16_t, 8, 4>::Set(pack, semantics);
  } else if (bits == 64 && count == 2) {
    Vector<uint64_t, uint32_t, 32, 2>::Set(pack, semantics);
  } else if (bits == 64 && count == 4) {
    Vector<uint64_t, uint16_t, 16, 4>::Set(pack, semantics);
  } else {
    return false;
  }
  return true;
}

// Moves a 128-bit register, which is two rows.
bool SetMove128(const Statement& statement, Semantics* semantics) {
  for (const StatementOperand& operand : statement.operands) {
    if (!operand.in_braces && operand.kind != StatementOperand::Kind::kRegister &&
        operand.kind != StatementOperand::Kind::kSink) {
      return false;
    }
  }
  SetPure<&CopyPair>(semantics, &undefined_rule::Move);
  const size_t count = statement.operands.size();
  return count == 2 || count == 3;
}

bool SetMove(const ScalarType& type, const StatementOperand& source, Semantics* semantics) {
  if (type.kind == Kind::kPred) {
    semantics->pure = source.negated ? &NegatePredicate : &CopyPredicate;
    semantics->undefined = &undefined_rule::Move;
    semantics->result_bits = {1};
    semantics->source_bits = {1};
    return true;
  }
  switch (type.RegisterBits()) {
    case 16:
      SetPure<&Copy<uint16_t>>(semantics, &undefined_rule::Move);
      return true;
    case 32:
      SetPure<&Copy<uint32_t>>(semantics, &undefined_rule::Move);
      return true;
    case 64:
      SetPure<&Copy<uint64_t>>(semantics, &undefined_rule::Move);
      return true;
    default:
      return false;
  }
}

bool ResolveMov(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kMove;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  if (!type.is_valid() || !parts.empty() || statement.num_groups() != 2) return false;
  for (const StatementOperand& operand : statement.operands) {
    if (operand.kind == StatementOperand::Kind::kSymbol) return false;
  }
  const unsigned bits = type.kind == Kind::kPred ? 1 : type.RegisterBits();
  if (bits == 128) return SetMove128(statement, semantics);
  const bool unpack = statement.operands.front().in_braces;
  const bool pack = statement.operands.back().in_braces;
  const bool negatable = type.kind == Kind::kPred;
  const bool set = pack != unpack ? SetVector(bits, statement.operands.size() - 1, pack, semantics)
                                  : !pack && SetMove(type, statement.operands.back(), semantics);
  return set && Matches(statement, *semantics, negatable);
}

constexpr ResolverEntry kConvertResolvers[] = {
    {"cvt", &ResolveCvt},
    {"cvt", &ResolveCvtPack},
    {"mov", &ResolveMov},
};

}  // namespace

absl::Span<const ResolverEntry> ConvertResolvers() { return kConvertResolvers; }

}  // namespace ptxmir::ptx

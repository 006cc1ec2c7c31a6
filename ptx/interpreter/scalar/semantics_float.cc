// SPDX-License-Identifier: Apache-2.0

// Floating-point arithmetic (PTX ISA 9.7.3 to 9.7.5).
//
// Our choices where PTX is silent:
// - NaNs: results of f16, bf16 and f32 are the canonical NaN (0x7fff, 0x7fffffff). f64 keeps payloads (see Double).
//   abs, neg and copysign change only the sign, even of a NaN.
// - .ftz flushes results that are subnormal after rounding.
// - .sat and .relu turn -0 into +0.
// - Approximations (rcp, rsqrt, sqrt, sin, cos, ex2, lg2, tanh, div.approx and div.full) are computed in double
//   precision by the C library and rounded to nearest, so they are better than PTX requires. div.approx returns 0
//   for divisors above 2^126, as PTX specifies. The .ftz.f64 forms of rcp and rsqrt read the upper half of the
//   operand and produce the upper half of the result.

#include <cmath>

#include "ptx/interpreter/scalar/float_semantics.h"
#include "ptx/interpreter/scalar/scalar_resolvers.h"

namespace ptxmir::ptx {
namespace {

// ---- Exact arithmetic. ToOdd is for formats up to f32, InDouble for f64.

struct AddFloat {
  static constexpr unsigned kArity = 2;
  static double ToOdd(Rounding mode, double a, double b) { return AddToOdd(a, b, mode); }
  static float Nearest(float a, float b) { return a + b; }
  static double InDouble(Rounding mode, double a, double b) { return AddDouble(a, b, mode); }
};
struct SubFloat {
  static constexpr unsigned kArity = 2;
  static double ToOdd(Rounding mode, double a, double b) { return AddToOdd(a, -b, mode); }
  static float Nearest(float a, float b) { return a - b; }
  static double InDouble(Rounding mode, double a, double b) { return AddDouble(a, -b, mode); }
};
struct MulFloat {
  static constexpr unsigned kArity = 2;
  static double ToOdd(Rounding, double a, double b) { return a * b; }
  static float Nearest(float a, float b) { return a * b; }
  static double InDouble(Rounding mode, double a, double b) { return MultiplyDouble(a, b, mode); }
};
struct DivFloat {
  static constexpr unsigned kArity = 2;
  static double ToOdd(Rounding, double a, double b) { return DivideToOdd(a, b); }
  static float Nearest(float a, float b) { return a / b; }
  static double InDouble(Rounding mode, double a, double b) { return DivideDouble(a, b, mode); }
};
struct FmaFloat {
  static constexpr unsigned kArity = 3;
  static double ToOdd(Rounding mode, double a, double b, double c) { return AddToOdd(a * b, c, mode); }
  static float Nearest(float a, float b, float c) { return std::fma(a, b, c); }
  static double InDouble(Rounding mode, double a, double b, double c) { return FmaDouble(a, b, c, mode); }
};
struct RcpFloat {
  static constexpr unsigned kArity = 1;
  static double ToOdd(Rounding, double a) { return DivideToOdd(1, a); }
  static float Nearest(float a) { return 1 / a; }
  static double InDouble(Rounding mode, double a) { return DivideDouble(1, a, mode); }
};
struct SqrtFloat {
  static constexpr unsigned kArity = 1;
  static double ToOdd(Rounding, double a) { return SqrtToOdd(a); }
  static float Nearest(float a) { return std::sqrt(a); }
  static double InDouble(Rounding mode, double a) { return SqrtDouble(a, mode); }
};

// Converts a result that is exact or rounded to odd to the register's format.
template <typename F>
typename F::Row Finish(const KernelParams& params, double value) {
  using Row = typename F::Row;
  if (std::isnan(value)) return (params.b & kSaturate) != 0 ? Row{0} : F::kNan;
  if ((params.b & kSaturate) != 0) {
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  }
  const Row row = FlushIf<F>(params.b, F::Store(value, RoundingOf(params)));
  return (params.b & kRelu) != 0 && (row & F::kSign) != 0 ? Row{0} : row;
}

// Handles any modifiers. Sources may have formats of their own.
template <typename F, typename Op, typename... Sources>
struct GeneralKernel {
  static typename F::Row Run(const KernelParams& params, typename Sources::Row... rows) {
    return Finish<F>(params, Op::ToOdd(RoundingOf(params), double{Sources::Load(FlushIf<Sources>(params.b, rows))}...));
  }
};

// Computes f32 to nearest, with the host's own arithmetic.
template <typename Op, bool kFtz, typename... Rows>
uint32_t NearestSingle(Rows... rows) {
  const auto load = [](uint32_t row) { return Single::Load(kFtz ? Flush<Single>(row) : row); };
  const float value = Op::Nearest(load(rows)...);
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t result = kFtz ? Flush<Single>(bits) : bits;
  return value != value ? Single::kNan : result;
}

template <typename Op, typename... Rows>
struct DoubleKernel {
  static uint64_t Run(const KernelParams& params, Rows... rows) {
    const double value = Op::InDouble(RoundingOf(params), std::bit_cast<double>(rows)...);
    return value != value ? NanOf<Double>(rows...) : std::bit_cast<uint64_t>(value);
  }
};

template <typename Op, bool kFtz>
void SetNearestSingle(Semantics* semantics) {
  if constexpr (Op::kArity == 1) {
    SetPure<&NearestSingle<Op, kFtz, uint32_t>>(semantics);
  } else if constexpr (Op::kArity == 2) {
    SetPure<&NearestSingle<Op, kFtz, uint32_t, uint32_t>>(semantics);
  } else {
    SetPure<&NearestSingle<Op, kFtz, uint32_t, uint32_t, uint32_t>>(semantics);
  }
}

template <typename F, typename Op>
void SetGeneral(bool packed, Semantics* semantics) {
  constexpr unsigned kArity = Op::kArity;
  if constexpr (kArity == 1) {
    SetFloatKernel<F, GeneralKernel<F, Op, F>, 1>(packed, semantics);
  } else if constexpr (kArity == 2) {
    SetFloatKernel<F, GeneralKernel<F, Op, F, F>, 2>(packed, semantics);
  } else {
    SetFloatKernel<F, GeneralKernel<F, Op, F, F, F>, 3>(packed, semantics);
  }
}

template <typename Op>
void SetDouble(Semantics* semantics) {
  if constexpr (Op::kArity == 1) {
    SetPure<&DoubleKernel<Op, uint64_t>::Run>(semantics);
  } else if constexpr (Op::kArity == 2) {
    SetPure<&DoubleKernel<Op, uint64_t, uint64_t>::Run>(semantics);
  } else {
    SetPure<&DoubleKernel<Op, uint64_t, uint64_t, uint64_t>::Run>(semantics);
  }
}

template <typename Op>
bool SetArithmetic(const ScalarType& type, Semantics* semantics) {
  const uint32_t flags = semantics->params.b;
  const bool packed = type.elements == 2;
  return ForFormat(type, [&](auto format) {
    using F = decltype(format);
    if constexpr (std::is_same_v<F, Double>) {
      if (flags != 0) return false;
      SetDouble<Op>(semantics);
    } else {
      SetGeneral<F, Op>(packed, semantics);
      if (std::is_same_v<F, Single> && !packed && (flags & ~kFlush) == 0 &&
          RoundingOf(semantics->params) == Rounding::kNearestEven) {
        semantics->result_bits.clear();
        semantics->source_bits.clear();
        flags != 0 ? SetNearestSingle<Op, true>(semantics) : SetNearestSingle<Op, false>(semantics);
      }
    }
    return true;
  });
}

// Sets add, sub and fma of f32 with narrower sources. The last source is f32.
template <typename Op, typename S>
void SetMixed(Semantics* semantics) {
  if constexpr (Op::kArity == 2) {
    SetPure<&GeneralKernel<Single, Op, S, Single>::Run>(semantics);
  } else {
    SetPure<&GeneralKernel<Single, Op, S, S, Single>::Run>(semantics);
  }
}

uint32_t TakeFlags(Parts* parts) {
  uint32_t flags = 0;
  if (parts->Take("ftz")) flags |= kFlush;
  if (parts->Take("sat")) flags |= kSaturate;
  if (parts->Take("relu")) flags |= kRelu;
  if (parts->Take("NaN")) flags |= kPropagate;
  if (parts->Take("satfinite")) flags |= kFinite;
  return flags;
}

// Resolves add, sub, mul, div, fma, mad, rcp and sqrt with a rounding mode.
template <typename Op>
bool ResolveArithmetic(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kFloat;
  Parts parts(statement.mnemonic);
  ScalarType type = parts.TakeType();
  ScalarType narrow;
  if (type.bits == 16 && type.elements == 1) {
    const ScalarType wide = parts.TakeType();
    if (wide.is_valid()) {
      narrow = type;
      type = wide;
    }
  }
  Rounding mode = parts.TakeFirst(&ParseRounding);
  if (mode == Rounding::kDefault) mode = Rounding::kNearestEven;
  if (mode > Rounding::kUp) return false;
  semantics->params.a = static_cast<uint32_t>(mode);
  semantics->params.b = TakeFlags(&parts);
  if (!parts.empty()) return false;
  if (narrow.is_valid()) {
    if constexpr (Op::kArity == 1) {
      return false;
    } else {
      if (type != ScalarType{ScalarType::Kind::kFloat, 32, 1}) return false;
      if (narrow.kind == ScalarType::Kind::kBFloat) {
        SetMixed<Op, BFloat>(semantics);
      } else if (narrow.kind == ScalarType::Kind::kFloat) {
        SetMixed<Op, Half>(semantics);
      } else {
        return false;
      }
    }
  } else if (!SetArithmetic<Op>(type, semantics)) {
    return false;
  }
  return Matches(statement, *semantics);
}

// ---- Minimum and maximum: a number wins over a NaN unless .NaN; -0 is less than +0.

template <typename F, bool kMax>
typename F::Row Extremum(uint32_t flags, typename F::Row a, typename F::Row b) {
  using Row = typename F::Row;
  a = FlushIf<F>(flags, a);
  b = FlushIf<F>(flags, b);
  const Row sign = (flags & kXorSign) != 0 ? static_cast<Row>((a ^ b) & F::kSign) : Row{0};
  if ((flags & (kXorSign | kAbsolute)) != 0) {
    a = static_cast<Row>(a & ~F::kSign);
    b = static_cast<Row>(b & ~F::kSign);
  }
  const auto x = F::Load(a);
  const auto y = F::Load(b);
  const bool a_nan = x != x;
  const bool b_nan = y != y;
  if ((a_nan && b_nan) || ((flags & kPropagate) != 0 && (a_nan || b_nan))) return NanOf<F>(a, b);
  Row result;
  if (a_nan || b_nan) {
    result = a_nan ? b : a;
  } else if (x == y) {
    result = kMax ? a & b : a | b;  // equal except for the signs of zeros
  } else {
    result = (x < y) != kMax ? a : b;
  }
  return static_cast<Row>(result | sign);
}

template <typename F, bool kMax>
struct ExtremumOfTwo {
  static typename F::Row Run(const KernelParams& params, typename F::Row a, typename F::Row b) {
    return Extremum<F, kMax>(params.b, a, b);
  }
};
template <typename F, bool kMax>
struct ExtremumOfThree {
  static typename F::Row Run(const KernelParams& params, typename F::Row a, typename F::Row b, typename F::Row c) {
    return Extremum<F, kMax>(params.b, Extremum<F, kMax>(params.b, a, b), c);
  }
};

template <bool kMax>
bool ResolveExtremum(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kFloat;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  uint32_t flags = TakeFlags(&parts);
  if (parts.Take("xorsign")) {
    if (!parts.Take("abs")) return false;
    flags |= kXorSign;
  } else if (parts.Take("abs")) {
    flags |= kAbsolute;
  }
  semantics->params.b = flags;
  const bool three = statement.operands.size() == 4;
  const bool set = ForFormat(type, [&](auto format) {
    using F = decltype(format);
    const bool packed = type.elements == 2;
    if (three) {
      SetFloatKernel<F, ExtremumOfThree<F, kMax>, 3>(packed, semantics);
    } else {
      SetFloatKernel<F, ExtremumOfTwo<F, kMax>, 2>(packed, semantics);
    }
    return true;
  });
  return set && parts.empty() && Matches(statement, *semantics);
}

// ---- Signs.

template <typename T>
constexpr T SignBits(unsigned element_bits) {
  return static_cast<T>(element_bits == 64   ? uint64_t{1} << 63
                        : element_bits == 32 ? 0x8000000080000000
                                             : 0x8000800080008000);
}
template <typename T, unsigned kElementBits>
T ClearSigns(T a) {
  return static_cast<T>(a & ~SignBits<T>(kElementBits));
}
template <typename T, unsigned kElementBits>
T FlipSigns(T a) {
  return static_cast<T>(a ^ SignBits<T>(kElementBits));
}
template <typename F, bool kAbs>
struct FlushedSign {
  static typename F::Row Run(const KernelParams&, typename F::Row a) {
    const auto flushed = Flush<F>(a);
    return static_cast<typename F::Row>(kAbs ? flushed & ~F::kSign : flushed ^ F::kSign);
  }
};

template <typename T, unsigned kElementBits>
bool SetSign(bool abs, Semantics* semantics) {
  if (abs) {
    SetPure<&ClearSigns<T, kElementBits>>(semantics, RoutingRule<&ClearSigns<T, kElementBits>, 1>());
  } else {
    SetPure<&FlipSigns<T, kElementBits>>(semantics, &undefined_rule::Xor);
  }
  return true;
}

template <bool kAbs>
bool ResolveSign(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kFloat;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  if (!type.is_float()) return false;
  const bool packed = type.elements == 2;
  if (parts.Take("ftz")) {
    ForFormat(type, [&](auto format) {
      using F = decltype(format);
      SetFloatKernel<F, FlushedSign<F, kAbs>, 1>(packed, semantics);
      return true;
    });
  } else if (type.bits == 16) {
    packed ? SetSign<uint32_t, 16>(kAbs, semantics) : SetSign<uint16_t, 16>(kAbs, semantics);
  } else if (type.bits == 32) {
    packed ? SetSign<uint64_t, 32>(kAbs, semantics) : SetSign<uint32_t, 32>(kAbs, semantics);
  } else {
    SetSign<uint64_t, 64>(kAbs, semantics);
  }
  return parts.empty() && Matches(statement, *semantics);
}

// Returns the magnitude of b with the sign of a.
template <typename F>
typename F::Row CopySign(typename F::Row a, typename F::Row b) {
  return static_cast<typename F::Row>((a & F::kSign) | (b & ~F::kSign));
}

bool ResolveCopySign(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kFloat;
  Parts parts(statement.mnemonic);
  const bool set = ForFormat(parts.TakeType(), [&](auto format) {
    using F = decltype(format);
    SetPure<&CopySign<F>>(semantics, RoutingRule<&CopySign<F>, 2>());
    return true;
  });
  return set && parts.empty() && Matches(statement, *semantics);
}

// ---- Approximations.

struct RcpApprox {
  static double Run(double a) { return 1 / a; }
};
struct RsqrtApprox {
  static double Run(double a) { return 1 / std::sqrt(a); }
};
struct SqrtApprox {
  static double Run(double a) { return std::sqrt(a); }
};
struct SinApprox {
  static double Run(double a) { return std::sin(a); }
};
struct CosApprox {
  static double Run(double a) { return std::cos(a); }
};
struct Ex2Approx {
  static double Run(double a) { return std::exp2(a); }
};
struct Lg2Approx {
  static double Run(double a) { return std::log2(a); }
};
struct TanhApprox {
  static double Run(double a) { return std::tanh(a); }
};

template <typename F, typename Op>
struct ApproxKernel {
  static typename F::Row Run(const KernelParams& params, typename F::Row a) {
    const typename F::Row operand = FlushIf<F>(params.b, a);
    if constexpr (std::is_same_v<F, Double>) {
      const double value = Op::Run(std::bit_cast<double>(operand));
      return value != value ? NanOf<Double>(operand) : FlushIf<Double>(params.b, std::bit_cast<uint64_t>(value));
    } else {
      return Finish<F>(params, Op::Run(F::Load(operand)));
    }
  }
};
// The kernel of rcp and rsqrt .approx.ftz.f64.
template <typename Op>
struct UpperHalfKernel {
  static uint64_t Run(const KernelParams& params, uint64_t a) {
    constexpr uint64_t kUpper = 0xffffffff00000000;
    return ApproxKernel<Double, Op>::Run(params, a & kUpper) & kUpper;
  }
};

template <typename Op>
bool ResolveApprox(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kFloat;
  Parts parts(statement.mnemonic);
  if (!parts.Take("approx")) return false;
  const ScalarType type = parts.TakeType();
  semantics->params.b = TakeFlags(&parts);
  semantics->params.a = static_cast<uint32_t>(Rounding::kNearestEven);
  constexpr bool kHasUpperHalf = std::is_same_v<Op, RcpApprox> || std::is_same_v<Op, RsqrtApprox>;
  const bool set = ForFormat(type, [&](auto format) {
    using F = decltype(format);
    if (kHasUpperHalf && std::is_same_v<F, Double> && semantics->params.b == kFlush) {
      SetPure<&UpperHalfKernel<Op>::Run>(semantics);
    } else {
      SetFloatKernel<F, ApproxKernel<F, Op>, 1>(type.elements == 2, semantics);
    }
    return true;
  });
  return set && parts.empty() && Matches(statement, *semantics);
}

uint32_t DivideApprox(const KernelParams& params, uint32_t a, uint32_t b) {
  const float divisor = Single::Load(FlushIf<Single>(params.b, b));
  const float dividend = Single::Load(FlushIf<Single>(params.b, a));
  const float magnitude = std::fabs(divisor);
  if (magnitude > 0x1p126f && !std::isinf(magnitude) && !std::isnan(dividend)) {
    if (std::isinf(dividend)) return Single::kNan;
    return (a ^ b) & Single::kSign;
  }
  return Finish<Single>(params, DivideToOdd(dividend, divisor));
}

// Resolves div.approx and div.full of f32.
bool ResolveDivApprox(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kFloat;
  Parts parts(statement.mnemonic);
  if (!parts.Take("f32")) return false;
  semantics->params.a = static_cast<uint32_t>(Rounding::kNearestEven);
  semantics->params.b = TakeFlags(&parts);
  if (parts.Take("approx")) {
    SetPure<&DivideApprox>(semantics);
  } else if (parts.Take("full")) {
    SetGeneral<Single, DivFloat>(false, semantics);
  } else {
    return false;
  }
  return parts.empty() && Matches(statement, *semantics);
}

// ---- testp.

template <typename F>
bool TestFinite(typename F::Row a) {
  return std::isfinite(F::Load(a));
}
template <typename F>
bool TestInfinite(typename F::Row a) {
  return std::isinf(F::Load(a));
}
template <typename F>
bool TestNumber(typename F::Row a) {
  return !IsNan<F>(a);
}
template <typename F>
bool TestNotANumber(typename F::Row a) {
  return IsNan<F>(a);
}
template <typename F>
bool TestSubnormal(typename F::Row a) {
  const auto magnitude = static_cast<typename F::Row>(a & ~F::kSign);
  return magnitude != 0 && magnitude < F::kSmallestNormal;
}
// Returns true for normal numbers and for zeros.
template <typename F>
bool TestNormal(typename F::Row a) {
  return TestFinite<F>(a) && !TestSubnormal<F>(a);
}

template <typename F>
bool SetTest(Parts* parts, Semantics* semantics) {
  if (parts->Take("finite")) {
    SetPredicate<&TestFinite<F>>(semantics);
  } else if (parts->Take("infinite")) {
    SetPredicate<&TestInfinite<F>>(semantics);
  } else if (parts->Take("number")) {
    SetPredicate<&TestNumber<F>>(semantics);
  } else if (parts->Take("notanumber")) {
    SetPredicate<&TestNotANumber<F>>(semantics);
  } else if (parts->Take("normal")) {
    SetPredicate<&TestNormal<F>>(semantics);
  } else if (parts->Take("subnormal")) {
    SetPredicate<&TestSubnormal<F>>(semantics);
  } else {
    return false;
  }
  return true;
}

bool ResolveTestp(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kCompare;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  if (type.bits < 32 || type.elements != 1) return false;
  const bool set = ForFormat(type, [&](auto format) { return SetTest<decltype(format)>(&parts, semantics); });
  return set && parts.empty() && Matches(statement, *semantics);
}

constexpr ResolverEntry kFloatResolvers[] = {
    {"add", &ResolveArithmetic<AddFloat>},
    {"sub", &ResolveArithmetic<SubFloat>},
    {"mul", &ResolveArithmetic<MulFloat>},
    {"div", &ResolveArithmetic<DivFloat>},
    {"div", &ResolveDivApprox},
    {"fma", &ResolveArithmetic<FmaFloat>},
    {"mad", &ResolveArithmetic<FmaFloat>},
    {"rcp", &ResolveArithmetic<RcpFloat>},
    {"sqrt", &ResolveArithmetic<SqrtFloat>},
    {"min", &ResolveExtremum<false>},
    {"max", &ResolveExtremum<true>},
    {"abs", &ResolveSign<true>},
    {"neg", &ResolveSign<false>},
    {"copysign", &ResolveCopySign},
    {"rcp", &ResolveApprox<RcpApprox>},
    {"rsqrt", &ResolveApprox<RsqrtApprox>},
    {"sqrt", &ResolveApprox<SqrtApprox>},
    {"sin", &ResolveApprox<SinApprox>},
    {"cos", &ResolveApprox<CosApprox>},
    {"ex2", &ResolveApprox<Ex2Approx>},
    {"lg2", &ResolveApprox<Lg2Approx>},
    {"tanh", &ResolveApprox<TanhApprox>},
    {"testp", &ResolveTestp},
};

}  // namespace

absl::Span<const ResolverEntry> FloatResolvers() { return kFloatResolvers; }

}  // namespace ptxmir::ptx

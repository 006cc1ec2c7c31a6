// SPDX-License-Identifier: Apache-2.0

// Compares floating-point kernels with the host's arithmetic in each rounding mode, and 16-bit kernels with a
// search for the nearest value in quadruple precision.

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "tests/ptx/interpreter/semantics/semantics_test_support.h"

namespace ptxmir::ptx {
namespace {

using Sources = const std::vector<uint64_t>&;
using Quad = __float128;

float F32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
double F64(uint64_t bits) { return std::bit_cast<double>(bits); }
uint64_t Bits(float value) { return value != value ? 0x7fffffff : std::bit_cast<uint32_t>(value); }

float Flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

struct Mode {
  std::string name;
  int host;
};
const std::vector<Mode> kModes = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

// Computes with volatile operands in a rounding mode of the host.
template <typename T>
T InMode(int mode, const std::function<T(volatile T*)>& function, std::vector<T> operands) {
  volatile T values[3] = {};
  for (size_t i = 0; i < operands.size() && i < 3; ++i) values[i] = operands[i];
  std::fesetround(mode);
  volatile T result = function(values);
  std::fesetround(FE_TONEAREST);
  return result;
}

struct Operation {
  std::string name;
  size_t arity;
  std::function<float(volatile float*)> single;
  std::function<double(volatile double*)> in_double;
};
const std::vector<Operation>& Operations() {
  static const std::vector<Operation> operations = {
      {"add", 2, [](volatile float* v) { return v[0] + v[1]; }, [](volatile double* v) { return v[0] + v[1]; }},
      {"sub", 2, [](volatile float* v) { return v[0] - v[1]; }, [](volatile double* v) { return v[0] - v[1]; }},
      {"mul", 2, [](volatile float* v) { return v[0] * v[1]; }, [](volatile double* v) { return v[0] * v[1]; }},
      {"div", 2, [](volatile float* v) { return v[0] / v[1]; }, [](volatile double* v) { return v[0] / v[1]; }},
      {"rcp", 1, [](volatile float* v) { return 1 / v[0]; }, [](volatile double* v) { return 1 / v[0]; }},
      {"sqrt", 1, [](volatile float* v) { return std::sqrt(v[0]); },
       [](volatile double* v) { return std::sqrt(v[0]); }},
      {"fma", 3, [](volatile float* v) { return std::fma(v[0], v[1], v[2]); },
       [](volatile double* v) { return std::fma(v[0], v[1], v[2]); }},
  };
  return operations;
}
const char* kOperands[] = {"", " d, a;", " d, a, b;", " d, a, b, c;"};

TEST(FloatTest, SinglePrecisionInEveryMode) {
  for (const Operation& operation : Operations()) {
    for (const Mode& mode : kModes) {
      for (bool ftz : {false, true}) {
        const auto reference = [&](Sources s) {
          std::vector<float> operands;
          for (uint64_t bits : s) operands.push_back(ftz ? Flushed(F32(bits)) : F32(bits));
          const float result = InMode<float>(mode.host, operation.single, operands);
          return Bits(ftz ? Flushed(result) : result);
        };
        ExpectSame(StrCat(operation.name, ".", mode.name, ftz ? ".ftz" : "", ".f32", kOperands[operation.arity]),
                   reference);
      }
    }
  }
}

TEST(FloatTest, DoublePrecisionInEveryMode) {
  for (const Operation& operation : Operations()) {
    for (const Mode& mode : kModes) {
      ExpectSame(StrCat(operation.name, ".", mode.name, ".f64", kOperands[operation.arity]), [&](Sources s) {
        std::vector<double> operands;
        for (uint64_t bits : s) operands.push_back(F64(bits));
        const double result = InMode<double>(mode.host, operation.in_double, operands);
        if (result == result) return std::bit_cast<uint64_t>(result);
        for (uint64_t bits : s) {
          if (std::isnan(F64(bits))) return bits | 0x0008000000000000;
        }
        return uint64_t{0xfff8000000000000};
      });
    }
  }
}

// Returns the 16-bit value nearest to `value` + `error`. The error is below the precision of `value`.
uint64_t Nearest(const FloatFormat& format, Quad value, Quad error) {
  if (value != value) return 0x7fff;
  const bool negative = value < 0;
  if (negative) {
    value = -value;
    error = -error;
  }
  const uint32_t sign = negative ? 0x8000 : 0;
  // Magnitudes ascend with their encodings. The first one beyond the largest number counts as one more step.
  uint32_t low = 0;
  uint32_t high = format.max_finite() + 1;
  const auto magnitude = [&](uint32_t code) {
    return code <= format.max_finite() ? Quad{DecodeFloat(format, code)} : Quad{std::ldexp(1.0, format.bias() + 1)};
  };
  if (value >= magnitude(high)) return sign | high;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    const Quad at = magnitude(middle);
    (at < value || (at == value && error >= 0) ? low : high) = middle;
  }
  const Quad twice = (value - magnitude(low)) - (magnitude(high) - value);
  const bool up = twice > 0 || (twice == 0 && (error > 0 || (error == 0 && (low & 1) != 0)));
  return sign | (up ? high : low);
}

struct Sixteen {
  std::string name;
  FloatFormat format;
  double Of(uint64_t bits) const { return DecodeFloat(format, static_cast<uint32_t>(bits & 0xffff)); }
};
const std::vector<Sixteen> kSixteens = {{"f16", kHalfFormat}, {"bf16", kBFloatFormat}};

// Returns the nearest sum, using its rounding error (Knuth). The error is 0 if it does not matter.
uint64_t NearestSum(const FloatFormat& format, Quad a, Quad b) {
  const Quad sum = a + b;
  const Quad b_part = sum - a;
  Quad error = (a - (sum - b_part)) + (b - b_part);
  if (error != error) error = 0;
  if (sum == 0) {
    const bool negative = std::signbit(static_cast<double>(a)) && std::signbit(static_cast<double>(b));
    return negative ? 0x8000 : 0;
  }
  return Nearest(format, sum, error);
}

TEST(FloatTest, SixteenBits) {
  for (const Sixteen& t : kSixteens) {
    ExpectSame(
        StrCat("add.", t.name, " d, a, b;"), [&](Sources s) { return NearestSum(t.format, t.Of(s[0]), t.Of(s[1])); },
        1000);
    ExpectSame(
        StrCat("sub.rn.", t.name, " d, a, b;"),
        [&](Sources s) { return NearestSum(t.format, t.Of(s[0]), -t.Of(s[1])); }, 1000);
    const auto product = [&](Sources s) {
      const double exact = t.Of(s[0]) * t.Of(s[1]);
      if (exact == 0) return uint64_t{std::signbit(exact) ? 0x8000u : 0u};
      return Nearest(t.format, exact, 0);
    };
    ExpectSame(StrCat("mul.", t.name, " d, a, b;"), product, 1000);
    ExpectSame(
        StrCat("fma.rn.", t.name, " d, a, b, c;"),
        [&](Sources s) { return NearestSum(t.format, Quad{t.Of(s[0]) * t.Of(s[1])}, t.Of(s[2])); }, 3000);
    ExpectSame(StrCat("fma.rn.relu.", t.name, " d, a, b, c;"), [&](Sources s) {
      const uint64_t plain = NearestSum(t.format, Quad{t.Of(s[0]) * t.Of(s[1])}, t.Of(s[2]));
      return (plain & 0x8000) != 0 ? 0 : plain;
    });
  }
}

// Cases in which rounding twice goes wrong: a product that is a tie, and an addend far below it.
TEST(FloatTest, FmaRoundsOnce) {
  const Line bf16("fma.rn.bf16 d, a, b, c;");
  // (1 + 2^-7) * (1 + 2^-1) = 1.51171875, a tie of bf16 (ulp 2^-7).
  EXPECT_EQ(bf16({0x3f81, 0x3fc0, 0})[0], 0x3fc2u);
  EXPECT_EQ(bf16({0x3f81, 0x3fc0, 0x0001})[0], 0x3fc2u);
  EXPECT_EQ(bf16({0x3f81, 0x3fc0, 0x8001})[0], 0x3fc1u);
  const Line f32("fma.rn.f32 d, a, b, c;");
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, a tie of f32.
  EXPECT_EQ(f32({0x3f800800, 0x3f800800, 0})[0], 0x3f801000u);
  EXPECT_EQ(f32({0x3f800800, 0x3f800800, 0x00000001})[0], 0x3f801001u);
  EXPECT_EQ(f32({0x3f800800, 0x3f800800, 0x80000001})[0], 0x3f801000u);
}

TEST(FloatTest, PackedIsTwice) {
  for (const char* name :
       {"add.f16", "mul.bf16", "fma.rn.f16", "fma.rn.relu.bf16", "min.f16", "max.NaN.bf16", "abs.ftz.f16", "neg.bf16",
        "min.xorsign.abs.f16", "add.rn.ftz.f32", "fma.rn.f32", "ex2.approx.f16", "tanh.approx.bf16", "add.sat.f16"}) {
    const std::string_view text = name;
    const unsigned bits = text.substr(text.size() - 2) == "32" ? 32 : 16;
    const size_t arity = text.substr(0, 3) == "fma" ? 3
                         : text[0] == 'e' || text[0] == 't' || text.substr(0, 2) == "ne" || text.substr(0, 2) == "ab"
                             ? 1
                             : 2;
    const Line scalar(StrCat(text, kOperands[arity]));
    ASSERT_TRUE(scalar.ok()) << text;
    const auto twice = [&](Sources s) {
      std::vector<uint64_t> low;
      std::vector<uint64_t> high;
      for (uint64_t bits64 : s) {
        low.push_back(bits64 & WidthMask(bits));
        high.push_back(bits64 >> bits & WidthMask(bits));
      }
      return scalar(low)[0] | scalar(high)[0] << bits;
    };
    ExpectSame(StrCat(text, "x2", kOperands[arity]), twice, /*rounds=*/100);
  }
}

TEST(FloatTest, MixedPrecision) {
  for (const Sixteen& t : kSixteens) {
    for (const Mode& mode : kModes) {
      ExpectSame(StrCat("add.", mode.name, ".f32.", t.name, " d, a, b;"), [&](Sources s) {
        return Bits(InMode<float>(mode.host, Operations()[0].single, {static_cast<float>(t.Of(s[0])), F32(s[1])}));
      });
      ExpectSame(StrCat("fma.", mode.name, ".f32.", t.name, " d, a, b, c;"), [&](Sources s) {
        return Bits(InMode<float>(mode.host, Operations()[6].single,
                                  {static_cast<float>(t.Of(s[0])), static_cast<float>(t.Of(s[1])), F32(s[2])}));
      });
    }
  }
}

TEST(FloatTest, Saturation) {
  ExpectSame("add.sat.f32 d, a, b;", [](Sources s) {
    const float sum = F32(s[0]) + F32(s[1]);
    return Bits(!(sum > 0) ? 0 : sum > 1 ? 1 : sum);
  });
  ExpectSame("fma.rp.ftz.sat.f32 d, a, b, c;", [](Sources s) {
    const float value = Flushed(
        InMode<float>(FE_UPWARD, Operations()[6].single, {Flushed(F32(s[0])), Flushed(F32(s[1])), Flushed(F32(s[2]))}));
    return Bits(!(value > 0) ? 0 : value > 1 ? 1 : value);
  });
}

// Minimum and maximum of every pair of special values, by the rules of the PTX ISA.
TEST(FloatTest, Extremes) {
  const uint32_t specials[] = {0,          0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000,
                               0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc00001, 0x00800000};
  for (bool max : {false, true}) {
    const std::string op = max ? "max" : "min";
    const Line plain(op + ".f32 d, a, b;");
    const Line nan(op + ".NaN.f32 d, a, b;");
    const Line flush(op + ".ftz.f32 d, a, b;");
    const Line sign(op + ".xorsign.abs.f32 d, a, b;");
    const Line three(op + ".f32 d, a, b, c;");
    for (uint32_t a : specials) {
      for (uint32_t b : specials) {
        const float x = F32(a);
        const float y = F32(b);
        uint32_t expected;
        if (std::isnan(x) || std::isnan(y)) {
          expected = std::isnan(x) && std::isnan(y) ? 0x7fffffff : std::isnan(x) ? b : a;
          EXPECT_EQ(nan({a, b})[0], 0x7fffffffu);
        } else {
          // Order by value, then by sign bit.
          const bool a_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
          expected = a_less != max ? a : b;
          EXPECT_EQ(nan({a, b})[0], expected);
          const uint32_t magnitude = std::max(a & 0x7fffffff, b & 0x7fffffff);
          const uint32_t smaller = std::min(a & 0x7fffffff, b & 0x7fffffff);
          EXPECT_EQ(sign({a, b})[0], (max ? magnitude : smaller) | ((a ^ b) & 0x80000000));
          const uint64_t flushed =
              std::bit_cast<uint32_t>(max ? std::max(Flushed(x), Flushed(y)) : std::min(Flushed(x), Flushed(y)));
          EXPECT_EQ(flush({a, b})[0] & 0x7fffffff, flushed & 0x7fffffff);
        }
        EXPECT_EQ(plain({a, b})[0], expected) << std::hex << a << " " << b;
        EXPECT_EQ(three({a, b, 0x7fc00000})[0], expected);
      }
    }
  }
  EXPECT_EQ(Line("min.f64 d, a, b;")({0x7ff8000000000001, 0x3ff0000000000000})[0], 0x3ff0000000000000u);
}

TEST(FloatTest, Signs) {
  ExpectSame("abs.f32 d, a;", [](Sources s) { return s[0] & 0x7fffffff; });
  ExpectSame("neg.f64 d, a;", [](Sources s) { return s[0] ^ 0x8000000000000000; });
  ExpectSame("neg.f16x2 d, a;", [](Sources s) { return s[0] ^ 0x80008000; });
  ExpectSame("abs.bf16 d, a;", [](Sources s) { return s[0] & 0x7fff; });
  ExpectSame("copysign.f32 d, a, b;", [](Sources s) { return (s[0] & 0x80000000) | (s[1] & 0x7fffffff); });
  ExpectSame("neg.ftz.f32 d, a;", [](Sources s) { return std::bit_cast<uint32_t>(-Flushed(F32(s[0]))); });
}

TEST(FloatTest, Approximations) {
  struct Approximation {
    const char* name;
    double (*function)(double);
  };
  const Approximation approximations[] = {
      {"sin", [](double x) { return std::sin(x); }},   {"cos", [](double x) { return std::cos(x); }},
      {"ex2", [](double x) { return std::exp2(x); }},  {"lg2", [](double x) { return std::log2(x); }},
      {"rcp", [](double x) { return 1 / x; }},         {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
  };
  for (const Approximation& a : approximations) {
    const std::string_view name = a.name;
    ExpectSame(StrCat(name, ".approx.f32 d, a;"),
               [&](Sources s) { return Bits(static_cast<float>(a.function(F32(s[0])))); });
    ExpectSame(StrCat(name, ".approx.ftz.f32 d, a;"),
               [&](Sources s) { return Bits(Flushed(static_cast<float>(a.function(Flushed(F32(s[0])))))); });
  }
  // The tables of special values in the PTX ISA.
  struct Special {
    const char* text;
    uint64_t operand;
    uint64_t result;
  };
  const Special specials[] = {
      {"rcp.approx.f32 d, a;", 0x80000000, 0xff800000},
      {"rcp.approx.f32 d, a;", 0xff800000, 0x80000000},
      {"sqrt.approx.f32 d, a;", 0x80000000, 0x80000000},
      {"sqrt.approx.f32 d, a;", 0xbf800000, 0x7fffffff},
      {"rsqrt.approx.f32 d, a;", 0x80000000, 0xff800000},
      {"rsqrt.approx.f32 d, a;", 0x7f800000, 0},
      {"sin.approx.f32 d, a;", 0x80000000, 0x80000000},
      {"sin.approx.f32 d, a;", 0x7f800000, 0x7fffffff},
      {"cos.approx.f32 d, a;", 0, 0x3f800000},
      {"ex2.approx.f32 d, a;", 0xff800000, 0},
      {"lg2.approx.f32 d, a;", 0, 0xff800000},
      {"lg2.approx.f32 d, a;", 0xbf800000, 0x7fffffff},
      {"tanh.approx.f32 d, a;", 0xff800000, 0xbf800000},
      {"rcp.approx.ftz.f32 d, a;", 1, 0x7f800000},
      {"ex2.approx.ftz.bf16 d, a;", 0x4000, 0x4080},
      {"tanh.approx.f16 d, a;", 0x7c00, 0x3c00},
      {"rcp.approx.ftz.f64 d, a;", 0x4000000012345678, 0x3fe0000000000000},
      {"rcp.approx.ftz.f64 d, a;", 0x0000000100000000, 0x7ff0000000000000},
      {"rsqrt.approx.ftz.f64 d, a;", 0x4010000000000001, 0x3fe0000000000000},
  };
  for (const Special& special : specials) {
    const Line line(special.text);
    ASSERT_TRUE(line.ok()) << special.text;
    EXPECT_EQ(line({special.operand})[0], special.result) << special.text << std::hex << special.operand;
  }
  const Line divide("div.approx.f32 d, a, b;");
  EXPECT_EQ(divide({0x3f800000, 0x40000000})[0], 0x3f000000u);
  EXPECT_EQ(divide({0x3f800000, 0xff000000})[0], 0x80000000u);
  EXPECT_EQ(divide({0x7f800000, 0x7f000000})[0], 0x7fffffffu);
  EXPECT_EQ(Line("div.full.ftz.f32 d, a, b;")({0x3f800000, 0x40400000})[0], 0x3eaaaaabu);
}

TEST(FloatTest, Testp) {
  const struct {
    const char* name;
    std::function<bool(float)> holds;
  } tests[] = {
      {"finite", [](float x) { return std::isfinite(x); }},
      {"infinite", [](float x) { return std::isinf(x); }},
      {"number", [](float x) { return !std::isnan(x); }},
      {"notanumber", [](float x) { return std::isnan(x); }},
      {"normal", [](float x) { return std::isnormal(x) || x == 0; }},
      {"subnormal", [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }},
  };
  for (const auto& test : tests) {
    ExpectSame(StrCat("testp.", std::string_view(test.name), ".f32 p, a;"),
               [&](Sources s) { return test.holds(F32(s[0])) ? 1 : 0; });
  }
}

TEST(FloatTest, UndefinedBits) {
  for (std::string_view text :
       {"add.f32 d, a, b;", "add.f16x2 d, a, b;", "fma.rn.f32x2 d, a, b, c;", "neg.f32 d, a;", "abs.f16x2 d, a;",
        "abs.f64 d, a;", "copysign.f64 d, a, b;", "neg.ftz.f16 d, a;", "min.f32 d, a, b;"}) {
    ExpectSoundRule(text);
  }
  using Masks = std::vector<uint64_t>;
  EXPECT_EQ(Line("add.f16x2 d, a, b;").Undefined({0, 0}, {0, 1}), Masks{0xffff});
  EXPECT_EQ(Line("abs.f32 d, a;").Undefined({0}, {0x80000001}), Masks{1});
  EXPECT_EQ(Line("add.f32 d, a, b;").Undefined({0, 0}, {0, 1}), Masks{0xffffffff});
}

TEST(FloatTest, Rejected) {
  for (std::string_view text : {"add.ftz.f64 d, a, b;", "add.rs.f32 d, a, b;", "fma.rn.f32 d, a, b;", "sin.f32 d, a;",
                                "testp.finite.f16 p, a;", "min.xorsign.f32 d, a, b;"}) {
    EXPECT_FALSE(Line(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

// Conversions, moves, comparisons and selections. Sources of 8 and 16 bits are tested exhaustively, narrow
// destinations by a search for the nearest value, and others in quadruple precision or 128-bit integers.

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
#include "tests/support/sanitized.h"

namespace ptxmir::ptx {
namespace {

using Sources = const std::vector<uint64_t>&;
using Int = __int128;
using Quad = __float128;

float F32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
uint64_t Bits(float value) { return value != value ? 0x7fffffff : std::bit_cast<uint32_t>(value); }

Int Extend(uint64_t value, unsigned bits, bool is_signed) {
  value &= WidthMask(bits);
  if (is_signed && (value >> (bits - 1) & 1) != 0) return static_cast<Int>(value) - (static_cast<Int>(1) << bits);
  return static_cast<Int>(value);
}
Int Low(bool is_signed, unsigned bits) { return is_signed ? -(static_cast<Int>(1) << (bits - 1)) : 0; }
Int High(bool is_signed, unsigned bits) { return (static_cast<Int>(1) << (is_signed ? bits - 1 : bits)) - 1; }

const std::vector<std::pair<unsigned, bool>> kIntegers = {{8, true},  {8, false},  {16, true}, {16, false},
                                                          {32, true}, {32, false}, {64, true}, {64, false}};
std::string Name(std::pair<unsigned, bool> type) { return StrCat(type.second ? "s" : "u", type.first); }

struct FloatType {
  std::string name;
  unsigned bits;
  double Of(uint64_t value) const {
    if (name == "f64") return std::bit_cast<double>(value);
    if (name == "f32") return F32(value);
    return DecodeFloat(name == "f16" ? kHalfFormat : kBFloatFormat, static_cast<uint32_t>(value & 0xffff));
  }
};
const std::vector<FloatType> kFloats = {{"f16", 16}, {"bf16", 16}, {"f32", 32}, {"f64", 64}};

TEST(ConvertTest, BetweenIntegers) {
  for (const auto& to : kIntegers) {
    for (const auto& from : kIntegers) {
      ExpectSame(
          StrCat("cvt.", Name(to), ".", Name(from), " d, a;"),
          [&](Sources s) {
            const Int value = Extend(s[0], from.first, from.second);
            return static_cast<uint64_t>(Extend(static_cast<uint64_t>(value), to.first, to.second));
          },
          50);
      ExpectSame(
          StrCat("cvt.sat.", Name(to), ".", Name(from), " d, a;"),
          [&](Sources s) {
            return static_cast<uint64_t>(
                std::clamp(Extend(s[0], from.first, from.second), Low(to.second, to.first), High(to.second, to.first)));
          },
          50);
      ExpectSoundRule(StrCat("cvt.", Name(to), ".", Name(from), " d, a;"), 50);
    }
  }
}

TEST(ConvertTest, FloatToInteger) {
  const std::pair<std::string, double (*)(double)> modes[] = {{"rni", [](double x) { return std::nearbyint(x); }},
                                                              {"rzi", [](double x) { return std::trunc(x); }},
                                                              {"rmi", [](double x) { return std::floor(x); }},
                                                              {"rpi", [](double x) { return std::ceil(x); }}};
  for (const auto& to : kIntegers) {
    for (const FloatType& from : kFloats) {
      for (const auto& [mode, round] : modes) {
        ExpectSame(
            StrCat("cvt.", mode, ".", Name(to), ".", from.name, " d, a;"),
            [&, round = round](Sources s) {
              const double value = from.Of(s[0]);
              if (std::isnan(value)) {
                const uint64_t high = uint64_t{1} << (to.first - 1);
                return from.bits == 64 || to.first == 64 ? static_cast<uint64_t>(Extend(high, to.first, to.second))
                                                         : uint64_t{0};
              }
              const Quad low = Low(to.second, to.first);
              const Quad high = High(to.second, to.first);
              const Quad clamped = std::clamp<Quad>(round(value), low, high);
              return static_cast<uint64_t>(static_cast<Int>(clamped));
            },
            60);
      }
    }
  }
  EXPECT_EQ(Line("cvt.rpi.ftz.s32.f32 d, a;")({1})[0], 0u);
  EXPECT_EQ(Line("cvt.rpi.s32.f32 d, a;")({1})[0], 1u);
}

TEST(ConvertTest, IntegerToFloat) {
  for (const auto& from : kIntegers) {
    ExpectSame(StrCat("cvt.rn.f64.", Name(from), " d, a;"), [&](Sources s) {
      return std::bit_cast<uint64_t>(static_cast<double>(Extend(s[0], from.first, from.second)));
    });
    ExpectSame(StrCat("cvt.rn.f32.", Name(from), " d, a;"),
               [&](Sources s) { return Bits(static_cast<float>(Extend(s[0], from.first, from.second))); });
    // Directed modes: the largest value that is not above the source, and its successor if that is not exact.
    const Line down(StrCat("cvt.rm.f32.", Name(from), " d, a;"));
    const Line up(StrCat("cvt.rp.f32.", Name(from), " d, a;"));
    const Line zero(StrCat("cvt.rz.f64.", Name(from), " d, a;"));
    Values values(3);
    for (int i = 0; i < 2000; ++i) {
      const uint64_t bits = values.Next();
      const Int value = Extend(bits, from.first, from.second);
      const float below = F32(down({bits})[0]);
      const float above = F32(up({bits})[0]);
      ASSERT_LE(Quad{below}, Quad(value));
      ASSERT_GE(Quad{above}, Quad(value));
      ASSERT_EQ(above, Quad{below} == Quad(value) ? below : std::nextafter(below, INFINITY));
      const double truncated = std::bit_cast<double>(zero({bits})[0]);
      const Quad rest = Quad(value) - Quad{truncated};
      ASSERT_TRUE(value < 0 ? rest <= 0 : rest >= 0);
      ASSERT_LT(rest < 0 ? -rest : rest, Quad{std::fabs(truncated)} * Quad{0x1p-52} + (rest == 0 ? 1 : 0));
    }
  }
  EXPECT_EQ(Line("cvt.rn.f16.u32 d, a;")({65519})[0], 0x7bffu);
  EXPECT_EQ(Line("cvt.rn.f16.u32 d, a;")({65520})[0], 0x7c00u);
  EXPECT_EQ(Line("cvt.rz.f16.s32 d, a;")({static_cast<uint32_t>(-100000)})[0], 0xfbffu);
  // 2^63 + 2^39 + 1: above the tie of f32, which a double cannot represent.
  EXPECT_EQ(Line("cvt.rn.f32.u64 d, a;")({0x8000008000000001})[0], 0x5f000001u);
}

// Tests every value of a format, and the values halfway and just next to halfway.
void ExpectNarrowing(const std::string& text, const FloatFormat& format, bool saturates) {
  const Line line(text);
  ASSERT_TRUE(line.ok()) << text;
  const auto convert = [&](float value) {
    std::vector<uint64_t> sources(line.num_registers(), 0);
    sources.back() = std::bit_cast<uint32_t>(value);  // packed forms: the last source is the low element
    return line(sources)[0] & (format.sign() * 2 - 1);
  };
  const auto step = static_cast<uint32_t>(format.max_finite() > 1000 ? testing::CaseStride(37) : 1);
  for (uint32_t code = 0; code <= format.max_finite(); code += step) {
    const double value = DecodeFloat(format, code);
    ASSERT_EQ(convert(static_cast<float>(value)), code) << text;
    ASSERT_EQ(convert(static_cast<float>(-value)), code | format.sign()) << text;
    if (code == format.max_finite()) break;
    const auto middle = static_cast<float>((value + DecodeFloat(format, code + 1)) / 2);
    ASSERT_EQ(convert(middle), code + (code & 1)) << text;
    ASSERT_EQ(convert(-middle), (code + (code & 1)) | format.sign()) << text;
    if (middle > 0x1p-140f) {
      ASSERT_EQ(convert(std::nextafter(middle, 0.0f)), code) << text;
      ASSERT_EQ(convert(std::nextafter(middle, INFINITY)), code + 1) << text;
    }
  }
  EXPECT_EQ(convert(NAN), format.nan()) << text;
  const uint32_t large = saturates ? format.max_finite() : format.overflow();
  EXPECT_EQ(convert(INFINITY), large) << text;
  EXPECT_EQ(convert(-INFINITY), large | format.sign()) << text;
  EXPECT_EQ(convert(3e38f), format.exponent_bits == 8 ? convert(3e38f) : large) << text;
}

TEST(ConvertTest, ToNarrowFormats) {
  ExpectNarrowing("cvt.rn.f16.f32 d, a;", kHalfFormat, false);
  ExpectNarrowing("cvt.rn.bf16.f32 d, a;", kBFloatFormat, false);
  ExpectNarrowing("cvt.rn.satfinite.f16.f32 d, a;", kHalfFormat, true);
  ExpectNarrowing("cvt.rn.f16x2.f32 d, a, b;", kHalfFormat, false);
  ExpectNarrowing("cvt.rn.bf16x2.f32 d, a, b;", kBFloatFormat, false);
  ExpectNarrowing("cvt.rn.satfinite.e4m3x2.f32 d, a, b;", kE4M3Format, true);
  ExpectNarrowing("cvt.rn.satfinite.e5m2x2.f32 d, a, b;", kE5M2Format, true);
  ExpectNarrowing("cvt.rn.satfinite.e2m3x2.f32 d, a, b;", kE2M3Format, true);
  ExpectNarrowing("cvt.rn.satfinite.e3m2x2.f32 d, a, b;", kE3M2Format, true);
  ExpectNarrowing("cvt.rn.satfinite.e2m1x2.f32 d, a, b;", kE2M1Format, true);
}

TEST(ConvertTest, PackingOrderAndModifiers) {
  EXPECT_EQ(Line("cvt.rn.f16x2.f32 d, a, b;")({0x3f800000, 0x40000000})[0], 0x3c004000u);
  EXPECT_EQ(Line("cvt.rn.satfinite.e4m3x2.f32 d, a, b;")({0x3f800000, 0x40000000})[0], 0x3840u);
  EXPECT_EQ(Line("cvt.rn.satfinite.e2m1x2.f32 d, a, b;")({0x3f800000, 0x40000000})[0], 0x24u);
  EXPECT_EQ(Line("cvt.rn.relu.bf16x2.f32 d, a, b;")({0xbf800000, 0x40000000})[0], 0x00004000u);
  EXPECT_EQ(Line("cvt.rz.bf16x2.f32 d, a, b;")({0x3f80ffff, 0xbf80ffff})[0], 0x3f80bf80u);
  EXPECT_EQ(Line("cvt.rn.f16x2.e4m3x2 d, a;")({0x38b8})[0], 0x3c00bc00u);
  EXPECT_EQ(Line("cvt.rn.relu.f16x2.e5m2x2 d, a;")({0x3cbc})[0], 0x3c000000u);
  EXPECT_EQ(Line("cvt.rn.f16x2.e2m1x2 d, a;")({0x2c})[0], 0x3c00c000u);
  EXPECT_EQ(Line("cvt.rn.satfinite.e4m3x2.f16x2 d, a;")({0x7c003c00})[0], 0x7e38u);
  EXPECT_EQ(Line("cvt.rna.tf32.f32 d, a;")({0x3f801000})[0], 0x3f802000u);
  EXPECT_EQ(Line("cvt.rn.tf32.f32 d, a;")({0x3f801000})[0], 0x3f800000u);
  EXPECT_EQ(Line("cvt.rz.tf32.f32 d, a;")({0x3f801fff})[0], 0x3f800000u);
  EXPECT_EQ(Line("cvt.rn.satfinite.tf32.f32 d, a;")({0x7f800000})[0], 0x7f7fe000u);
  EXPECT_EQ(Line("cvt.rp.ue8m0x2.f32 d, a, b;")({0x3f800001, 0x3f800000})[0], 0x807fu);
  EXPECT_EQ(Line("cvt.rz.satfinite.ue8m0x2.f32 d, a, b;")({0x7f800000, 0x7fc00000})[0], 0xfeffu);
  EXPECT_EQ(Line("cvt.rn.bf16x2.ue8m0x2 d, a;")({0x7f00})[0], 0x3f800040u);
  EXPECT_EQ(Line("cvt.rz.ue8m0x2.bf16x2 d, a;")({0x3fff4000})[0], 0x7f80u);
}

TEST(ConvertTest, StochasticRounding) {
  // 1 + 2^-11 is halfway: the lower half of the random numbers rounds down.
  const Line f16("cvt.rs.f16x2.f32 d, a, b, c;");
  EXPECT_EQ(f16({0x3f801000, 0x3f801000, 0x0fff1000})[0], 0x3c003c01u);
  const Line bf16("cvt.rs.bf16x2.f32 d, a, b, c;");
  EXPECT_EQ(bf16({0x3f800001, 0x3f800001, 0xfffffffe})[0], 0x3f813f80u);
  const Line four("cvt.rs.satfinite.e4m3x4.f32 %d, {%a, %b, %e, %f}, %r;");
  ASSERT_TRUE(four.ok());
  EXPECT_EQ(four({0x3f800000, 0x40000000, 0xbf800000, 0x3f880000, 0x00008000})[0], 0x3840b839u);
  EXPECT_EQ(four({0x3f800000, 0x40000000, 0xbf800000, 0x3f880000, 0xffff7fff})[0], 0x3840b838u);
}

TEST(ConvertTest, WideningIsExact) {
  for (const char* name : {"f16", "bf16"}) {
    const FloatType type{name, 16};
    const Line to_single(StrCat("cvt.f32.", type.name, " d, a;"));
    const Line to_double(StrCat("cvt.f64.", type.name, " d, a;"));
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      const double value = type.Of(bits);
      ASSERT_EQ(to_single({bits})[0], Bits(static_cast<float>(value)));
      const double result = std::bit_cast<double>(to_double({bits})[0]);
      ASSERT_TRUE(std::isnan(value) ? std::isnan(result)
                                    : result == value && std::signbit(result) == std::signbit(value));
    }
  }
  ExpectSame("cvt.ftz.f64.f32 d, a;", [](Sources s) {
    const float value = F32(s[0]);
    if (std::isnan(value)) {
      return (s[0] & 0x80000000) << 32 | 0x7ff8000000000000 | (s[0] & 0x3fffff) << 29;
    }
    return std::bit_cast<uint64_t>(double{std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value});
  });
}

TEST(ConvertTest, DoubleToSingle) {
  const std::pair<std::string, int> modes[] = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [mode, host] : modes) {
    ExpectSame(StrCat("cvt.", mode, ".f32.f64 d, a;"), [host = host](Sources s) {
      volatile double value = std::bit_cast<double>(s[0]);
      std::fesetround(host);
      volatile float result = static_cast<float>(value);
      std::fesetround(FE_TONEAREST);
      return Bits(result);
    });
  }
  ExpectSame("cvt.rni.f32.f32 d, a;", [](Sources s) { return Bits(std::nearbyint(F32(s[0]))); });
  ExpectSame("cvt.rmi.f64.f64 d, a;", [](Sources s) {
    const double value = std::floor(std::bit_cast<double>(s[0]));
    return std::isnan(value) ? s[0] | 0x0008000000000000 : std::bit_cast<uint64_t>(value);
  });
  ExpectSame("cvt.sat.f32.f32 d, a;", [](Sources s) {
    const float value = F32(s[0]);
    return Bits(!(value > 0) ? 0 : std::min(value, 1.0f));
  });
}

TEST(ConvertTest, Pack) {
  ExpectSame("cvt.pack.sat.s16.s32 d, a, b;", [](Sources s) {
    const auto clamp = [](uint64_t x) {
      return static_cast<uint64_t>(std::clamp<int64_t>(static_cast<int32_t>(x), -0x8000, 0x7fff)) & 0xffff;
    };
    return clamp(s[0]) << 16 | clamp(s[1]);
  });
  ExpectSame("cvt.pack.sat.u8.s32.b32 d, a, b, c;", [](Sources s) {
    const auto clamp = [](uint64_t x) {
      return static_cast<uint64_t>(std::clamp<int64_t>(static_cast<int32_t>(x), 0, 255));
    };
    return s[2] << 16 | clamp(s[0]) << 8 | clamp(s[1]);
  });
}

TEST(MoveTest, RegistersAndVectors) {
  ExpectSame("mov.b64 %d, %a;", [](Sources s) { return s[0]; });
  ExpectSame("mov.pred %d, %a;", [](Sources s) { return s[0]; });
  ExpectSame("mov.pred %d, !%a;", [](Sources s) { return ~s[0]; });
  ExpectSame("mov.b32 %d, {%a, %b};", [](Sources s) { return (s[0] & 0xffff) | (s[1] & 0xffff) << 16; });
  ExpectSame("mov.b32 %d, {0, %b};", [](Sources s) { return (s[0] & 0xffff) << 16; });
  ExpectSame("mov.b64 %d, {%a, %b};", [](Sources s) { return (s[0] & 0xffffffff) | s[1] << 32; });
  ExpectSame("mov.b32 %d, {%a, %b, %c, %e};",
             [](Sources s) { return (s[0] & 255) | (s[1] & 255) << 8 | (s[2] & 255) << 16 | (s[3] & 255) << 24; });
  EXPECT_EQ(Line("mov.b64 {%a, %b, %c, _}, %d;")({0x4444333322221111}),
            (std::vector<uint64_t>{0x1111, 0x2222, 0x3333, 0x4444}));
  EXPECT_EQ(Line("mov.b128 {%a, %b}, %q;")({5, 6}), (std::vector<uint64_t>{5, 6}));
  EXPECT_EQ(Line("mov.b128 %q, {%a, %b};")({5, 6}), (std::vector<uint64_t>{5, 6}));
  EXPECT_EQ(Line("mov.b128 %q, %r;")({5, 6}), (std::vector<uint64_t>{5, 6}));
  EXPECT_EQ(Line("mov.f32 %d, 0.5;")({})[0], 0x3f000000u);
  for (std::string_view text :
       {"mov.b32 %d, {%a, %b};", "mov.b64 {%a, %b}, %d;", "mov.b64 %d, {%a, %b, %c, %e};", "mov.b32 %d, %a;",
        "mov.b64 {%a, %b, %c, %e}, %d;", "mov.b32 {%a, %b, %c, %e}, %d;", "mov.b128 %q, {%a, %b};"}) {
    ExpectSoundRule(text);
  }
  using Masks = std::vector<uint64_t>;
  EXPECT_EQ(Line("mov.b32 %d, {%a, %b};").Undefined({0, 0}, {1, 0x8000}), Masks{0x80000001});
  EXPECT_EQ(Line("mov.b64 {%a, %b}, %d;").Undefined({0}, {0xf00000000}), (Masks{0, 0xf}));
  for (std::string_view text : {"mov.u32 %r1, %tid.x;", "mov.b64 %rd1, symbol;", "mov.b32 %d, {%a, %b, %c};"})
    EXPECT_FALSE(Line(text).ok()) << text;
}

TEST(CompareTest, Integers) {
  const std::pair<std::string, std::function<bool(Int, Int)>> comparisons[] = {
      {"eq", [](Int a, Int b) { return a == b; }}, {"ne", [](Int a, Int b) { return a != b; }},
      {"lt", [](Int a, Int b) { return a < b; }},  {"le", [](Int a, Int b) { return a <= b; }},
      {"gt", [](Int a, Int b) { return a > b; }},  {"ge", [](Int a, Int b) { return a >= b; }}};
  for (const auto& type : kIntegers) {
    if (type.first == 8) continue;
    for (const auto& [name, holds] : comparisons) {
      const auto reference = [&, holds = holds](Sources s) {
        return holds(Extend(s[0], type.first, type.second), Extend(s[1], type.first, type.second));
      };
      ExpectSame(StrCat("setp.", name, ".", Name(type), " %p, %a, %b;"), reference, 50);
      ExpectSame(
          StrCat("setp.", name, ".and.", Name(type), " %p, %a, %b, !%q;"),
          [&](Sources s) { return reference(s) && (s[2] & 1) == 0; }, 50);
      ExpectSame(
          StrCat("set.", name, ".u32.", Name(type), " %d, %a, %b;"),
          [&](Sources s) { return reference(s) ? 0xffffffff : 0; }, 50);
    }
  }
  ExpectSame("setp.lo.u32 %p, %a, 7;", [](Sources s) { return (s[0] & 0xffffffff) < 7; });
  ExpectSoundRule("setp.eq.s32 %p, %a, %b;");
  ExpectSoundRule("setp.ne.and.s32 %p, %a, %b, %q;");
  EXPECT_EQ(Line("setp.eq.s32 %p, %a, %b;").Undefined({1, 0}, {2, 0}), std::vector<uint64_t>{0});
}

TEST(CompareTest, Floats) {
  struct Comparison {
    std::string name;
    bool less, equal, greater, unordered;
  };
  const Comparison comparisons[] = {{"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},
                                    {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
                                    {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
                                    {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};
  for (const FloatType& type : kFloats) {
    for (const Comparison& c : comparisons) {
      ExpectSame(
          StrCat("setp.", c.name, ".", type.name, " %p, %a, %b;"),
          [&](Sources s) {
            const double a = type.Of(s[0]);
            const double b = type.Of(s[1]);
            return a < b ? c.less : a == b ? c.equal : a > b ? c.greater : c.unordered;
          },
          50);
    }
  }
  EXPECT_EQ(Line("setp.eq.ftz.f32 %p, %a, %b;")({1, 0x80000001})[0], 1u);
  EXPECT_EQ(Line("setp.lt.or.f32 %p|%q, %a, %b, %r;")({0, 0x3f800000, 0}), (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(Line("setp.lt.xor.f32 %p|%q, %a, %b, %r;")({0, 0x3f800000, 1}), (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(Line("setp.gt.f16x2 %p|%q, %a, %b;")({0x3c000000, 0x00003c00}), (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(Line("set.lt.f16x2.f16x2 %d, %a, %b;")({0x00003c00, 0x3c000000})[0], 0x3c000000u);
  EXPECT_EQ(Line("set.gtu.u32.f16x2 %d, %a, %b;")({0x7e003c00, 0})[0], 0xffffffffu);
  EXPECT_EQ(Line("set.eq.f16.f16 %d, %a, %b;")({0x8000, 0})[0], 0x3c00u);
  EXPECT_EQ(Line("set.le.bf16.bf16 %d, %a, %b;")({0, 0})[0], 0x3f80u);
  EXPECT_EQ(Line("set.lt.f32.f32 %d, %a, %b;")({0, 0x3f800000})[0], 0x3f800000u);
}

TEST(CompareTest, Selection) {
  ExpectSame("selp.b32 %d, %a, %b, %p;", [](Sources s) { return (s[2] & 1) != 0 ? s[0] : s[1]; });
  ExpectSame("selp.f64 %d, %a, %b, %p;", [](Sources s) { return (s[2] & 1) != 0 ? s[0] : s[1]; });
  ExpectSame("selp.u16 %d, 1, 0, %p;", [](Sources s) { return s[0] & 1; });
  ExpectSame("slct.u64.s32 %d, %a, %b, %c;", [](Sources s) { return static_cast<int32_t>(s[2]) >= 0 ? s[0] : s[1]; });
  ExpectSame("slct.b32.f32 %d, %a, %b, %c;", [](Sources s) { return F32(s[2]) >= 0 ? s[0] : s[1]; });
  EXPECT_EQ(Line("slct.ftz.f32.f32 %d, %a, %b, %c;")({1, 2, 0x80000001})[0], 1u);
  ExpectSoundRule("selp.b32 %d, %a, %b, %p;");
  EXPECT_EQ(Line("selp.b32 %d, %a, %b, %p;").Undefined({6, 5, 0}, {0, 0, 1}), std::vector<uint64_t>{3});
}

}  // namespace
}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

// Decodes and encodes every value of the narrow formats.

#include "ptx/interpreter/values/float_arithmetic.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(FloatArithmeticTest, LandmarksOfEachFormat) {
  EXPECT_EQ(DecodeFloat(kHalfFormat, 0x3c00), 1.0);
  EXPECT_EQ(DecodeFloat(kHalfFormat, 0x7bff), 65504.0);
  EXPECT_EQ(DecodeFloat(kHalfFormat, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(DecodeFloat(kHalfFormat, 0xfc00), -kInfinity);
  EXPECT_EQ(DecodeFloat(kBFloatFormat, 0x3f80), 1.0);
  EXPECT_EQ(DecodeFloat(kBFloatFormat, 0x0001), std::ldexp(1.0, -133));
  EXPECT_EQ(DecodeFloat(kTf32Format, 0x3f800000u >> 13), 1.0);
  EXPECT_EQ(DecodeFloat(kE4M3Format, 0x7e), 448.0);
  EXPECT_TRUE(std::isnan(DecodeFloat(kE4M3Format, 0x7f)));
  EXPECT_EQ(DecodeFloat(kE4M3Format, 0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(DecodeFloat(kE5M2Format, 0x7b), 57344.0);
  EXPECT_EQ(DecodeFloat(kE5M2Format, 0x7c), kInfinity);
  EXPECT_EQ(DecodeFloat(kE3M2Format, 0x1f), 28.0);
  EXPECT_EQ(DecodeFloat(kE2M3Format, 0x1f), 7.5);
  EXPECT_EQ(DecodeFloat(kE2M1Format, 0x7), 6.0);
  EXPECT_EQ(DecodeFloat(kE2M1Format, 0x9), -0.5);
  EXPECT_EQ(DecodeFloat(kUE4M3Format, 0x7e), 448.0);
  EXPECT_EQ(DecodeUE8M0(127), 1.0);
  EXPECT_EQ(DecodeUE8M0(0), std::ldexp(1.0, -127));
  EXPECT_TRUE(std::isnan(DecodeUE8M0(255)));
}

TEST(FloatArithmeticTest, EncodingIsTheInverseAndOrdered) {
  for (const FloatFormat& format : {kHalfFormat, kBFloatFormat, kTf32Format, kE4M3Format, kE5M2Format, kE3M2Format,
                                    kE2M3Format, kE2M1Format, kUE4M3Format}) {
    const unsigned magnitude_bits = format.exponent_bits + format.mantissa_bits;
    double previous = -1;
    for (uint32_t code = 0; code < uint32_t{1} << format.bits(); ++code) {
      const double value = DecodeFloat(format, code);
      if (std::isnan(value)) continue;
      ASSERT_EQ(EncodeFloat(format, value), code) << magnitude_bits;
      if (code >> magnitude_bits != 0) continue;
      ASSERT_GT(value, previous);
      // Halfway goes to the even code; slightly more or less goes to the nearer one.
      if (previous >= 0 && !std::isinf(value)) {
        const double middle = (previous + value) / 2;
        ASSERT_EQ(EncodeFloat(format, middle), code & 1 ? code - 1 : code);
        ASSERT_EQ(EncodeFloat(format, std::nextafter(middle, 0.0)), code - 1);
        ASSERT_EQ(EncodeFloat(format, std::nextafter(middle, kInfinity)), code);
      }
      previous = value;
    }
  }
}

TEST(FloatArithmeticTest, HalfToFloatIsDecodeFloat) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const double expected = DecodeFloat(kHalfFormat, bits);
    const float actual = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual)) << bits;
    } else {
      ASSERT_EQ(actual, expected) << bits;
      ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << bits;
    }
  }
}

TEST(FloatArithmeticTest, TooLargeAndNan) {
  EXPECT_EQ(EncodeFloat(kHalfFormat, 65519.99), 0x7bffu);
  EXPECT_EQ(EncodeFloat(kHalfFormat, 65520.0), 0x7c00u);
  EXPECT_EQ(EncodeFloat(kHalfFormat, -1e300), 0xfc00u);
  EXPECT_EQ(EncodeFloat(kHalfFormat, std::nan("")), 0x7fffu);
  EXPECT_EQ(EncodeFloat(kE4M3Format, 1e9), 0x7fu);
  EXPECT_EQ(EncodeFloat(kE2M1Format, -100.0), 0xfu);
}

}  // namespace
}  // namespace ptxmir::ptx

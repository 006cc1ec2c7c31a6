// SPDX-License-Identifier: Apache-2.0

#include "base/decimal.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

template <typename Integer>
std::string Decimal(Integer value) {
  char text[kMaxDecimal];
  return {text, WriteDecimal(text, value)};
}

TEST(DecimalTest, WritesEveryLength) {
  uint64_t number = 0;
  for (int digits = 1; digits <= 20; ++digits) {
    number = number * 10 + static_cast<uint64_t>(digits % 10);
    EXPECT_EQ(Decimal(number), std::to_string(number));
    const auto negative = -static_cast<int64_t>(number >> 1);
    EXPECT_EQ(Decimal(negative), std::to_string(negative));
  }
}

TEST(DecimalTest, WritesPowersOfTenAndTheirNeighbors) {
  uint64_t power = 1;
  for (int i = 0; i < 20; ++i, power *= 10) {
    for (const uint64_t number : {power - 1, power, power + 1}) EXPECT_EQ(Decimal(number), std::to_string(number));
  }
}

TEST(DecimalTest, WritesTheLimitsOfTypes) {
  EXPECT_EQ(Decimal(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Decimal(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Decimal(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(Decimal(std::numeric_limits<int32_t>::min()), "-2147483648");
  EXPECT_EQ(Decimal(std::numeric_limits<uint32_t>::max()), "4294967295");
  EXPECT_EQ(Decimal(uint8_t{200}), "200");
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// Compares video instructions with the pseudocode of the PTX ISA, computed in 64 bits.

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/semantics/semantics_test_support.h"

namespace ptxmir::ptx {
namespace {

using Sources = const std::vector<uint64_t>&;

template <typename T>
T At(uint64_t value, unsigned number) {
  return static_cast<T>(value >> (number * sizeof(T) * 8));
}

TEST(VideoTest, Scalar) {
  ExpectSame("vadd.s32.u32.s32.sat %d, %a.b0, %b.h1;", [](Sources s) {
    return int64_t{At<uint8_t>(s[0], 0)} + At<int16_t>(s[1], 1);  // never leaves the range
  });
  ExpectSame("vadd.u32.s32.s32.sat %d, %a, %b;", [](Sources s) {
    return std::clamp<int64_t>(int64_t{At<int32_t>(s[0], 0)} + At<int32_t>(s[1], 0), 0, 0xffffffff);
  });
  ExpectSame("vsub.u32.u32.u32.add %d, %a.b3, %b.b2, %c;",
             [](Sources s) { return uint64_t{At<uint8_t>(s[0], 3)} - At<uint8_t>(s[1], 2) + s[2]; });
  ExpectSame("vabsdiff.s32.s32.s32.sat %d.h0, %a.b0, %b.b2, %c;", [](Sources s) {
    const int64_t difference = std::abs(int64_t{At<int8_t>(s[0], 0)} - At<int8_t>(s[1], 2));
    return (s[2] & 0xffff0000) | static_cast<uint64_t>(std::min<int64_t>(difference, 0x7fff));
  });
  ExpectSame("vadd.u32.u32.u32.sat %d.b1, %a, %b, %c;", [](Sources s) {
    const uint64_t sum = uint64_t{At<uint32_t>(s[0], 0)} + At<uint32_t>(s[1], 0);
    return (s[2] & 0xffff00ff) | std::min<uint64_t>(sum, 255) << 8;
  });
  ExpectSame("vmax.s32.s32.s32 %d, %a, %b;",
             [](Sources s) { return std::max(At<int32_t>(s[0], 0), At<int32_t>(s[1], 0)); });
  ExpectSame("vmin.s32.s32.s32.max %d, %a, %b, %c;", [](Sources s) {
    return std::max(std::min(At<int32_t>(s[0], 0), At<int32_t>(s[1], 0)), At<int32_t>(s[2], 0));
  });
  ExpectSame("vset.u32.u32.lt %d, %a.b1, %b.b1;",
             [](Sources s) { return At<uint8_t>(s[0], 1) < At<uint8_t>(s[1], 1); });
  ExpectSame("vshr.s32.s32.u32.clamp %d, %a, %b;",
             [](Sources s) { return int64_t{At<int32_t>(s[0], 0)} >> std::min<uint32_t>(At<uint32_t>(s[1], 0), 32); });
  ExpectSame("vshl.u32.u32.u32.wrap %d, %a, %b.b0;",
             [](Sources s) { return uint64_t{At<uint32_t>(s[0], 0)} << (s[1] & 31); });
}

TEST(VideoTest, Mad) {
  ExpectSame("vmad.s32.s32.u32.shr7 %d, %a.h0, %b.b1, %c;", [](Sources s) {
    return (int64_t{At<int16_t>(s[0], 0)} * At<uint8_t>(s[1], 1) + At<int32_t>(s[2], 0)) >> 7;
  });
  ExpectSame("vmad.s32.s32.s32.sat %d, %a, -%b, %c;", [](Sources s) {
    const __int128 sum = -static_cast<__int128>(At<int32_t>(s[0], 0)) * At<int32_t>(s[1], 0) + At<int32_t>(s[2], 0);
    return static_cast<uint64_t>(std::clamp<__int128>(sum, INT32_MIN, INT32_MAX));
  });
  ExpectSame("vmad.u32.u32.u32.po.sat %d, %a, %b, %c;", [](Sources s) {
    const auto product = static_cast<unsigned __int128>(At<uint32_t>(s[0], 0)) * At<uint32_t>(s[1], 0);
    return static_cast<uint64_t>(std::min<unsigned __int128>(product + At<uint32_t>(s[2], 0) + 1, 0xffffffff));
  });
}

TEST(VideoTest, Simd) {
  ExpectSame("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", [](Sources s) {
    uint64_t sum = s[2];
    for (unsigned i = 0; i < 4; ++i)
      sum += static_cast<uint64_t>(std::abs(At<uint8_t>(s[0], i) - At<uint8_t>(s[1], i)));
    return sum;
  });
  ExpectSame("vadd2.s32.s32.s32.sat %d, %a, %b, %c;", [](Sources s) {
    uint64_t d = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const int sum = std::clamp(At<int16_t>(s[0], i) + At<int16_t>(s[1], i), -0x8000, 0x7fff);
      d |= uint64_t{static_cast<uint16_t>(sum)} << (16 * i);
    }
    return d;
  });
  ExpectSame("vsub4.u32.u32.u32 %d.b20, %a.b7012, %b.b0123, %c;", [](Sources s) {
    const uint64_t both = (s[1] & 0xffffffff) << 32 | (s[0] & 0xffffffff);
    const unsigned from_a[] = {2, 1, 0, 7};
    const unsigned from_b[] = {3, 2, 1, 0};
    uint64_t d = s[2] & 0xff00ff00;
    for (unsigned i : {0u, 2u}) {
      const auto value = static_cast<uint8_t>(At<uint8_t>(both, from_a[i]) - At<uint8_t>(both, from_b[i]));
      d |= uint64_t{value} << (8 * i);
    }
    return d;
  });
  ExpectSame("vavrg2.s32.s32.s32 %d, %a, %b, %c;", [](Sources s) {
    uint64_t d = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const int sum = At<int16_t>(s[0], i) + At<int16_t>(s[1], i);
      d |= uint64_t{static_cast<uint16_t>((sum >= 0 ? sum + 1 : sum) >> 1)} << (16 * i);
    }
    return d;
  });
  ExpectSame("vset2.s32.s32.ge.add %d, %a, %b, %c;", [](Sources s) {
    return s[2] + (At<int16_t>(s[0], 0) >= At<int16_t>(s[1], 0)) + (At<int16_t>(s[0], 1) >= At<int16_t>(s[1], 1));
  });
}

TEST(VideoTest, Rejected) {
  for (std::string_view text :
       {"vadd.s32.s32.s32 %d, %a.b4, %b;", "vadd.s32.s32.s32 %d.b0, %a, %b;", "vadd.s32.s32.s32.add %d, %a, %b;",
        "vadd2.s32.s32.s32 %d, %a.b10, %b, %c;", "vset.u32.u32 %d, %a, %b;", "vadd.s64.s32.s32 %d, %a, %b;"}) {
    EXPECT_FALSE(Line(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ptxmir::ptx

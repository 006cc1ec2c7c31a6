// SPDX-License-Identifier: Apache-2.0

// Compares fragment layouts with the formulas and figures of the PTX ISA, and products with a slow triple loop.

#include "ptx/interpreter/values/tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

struct ShapeCase {
  TensorShape shape;
  unsigned per_register;
};
constexpr ShapeCase kShapes[] = {
    {{8, 8, 4}, 1},    {{16, 8, 4}, 1},    {{16, 8, 8}, 1},    {{16, 8, 16}, 1},  {{16, 8, 8}, 2},
    {{16, 8, 16}, 2},  {{16, 8, 32}, 2},   {{8, 8, 16}, 4},    {{16, 8, 16}, 4},  {{16, 8, 32}, 4},
    {{16, 8, 64}, 4},  {{8, 8, 32}, 8},    {{16, 8, 32}, 8},   {{16, 8, 64}, 8},  {{16, 8, 128}, 8},
    {{8, 8, 128}, 32}, {{16, 8, 128}, 32}, {{16, 8, 256}, 32}, {{16, 16, 16}, 2}, {{32, 8, 16}, 2},
    {{8, 32, 16}, 2},  {{16, 16, 16}, 4},  {{32, 8, 16}, 4},   {{8, 32, 16}, 4},  {{16, 16, 8}, 1},
};

using Count = std::map<std::pair<unsigned, unsigned>, int>;

void ExpectEachOnce(const Count& count, unsigned rows, unsigned columns) {
  EXPECT_EQ(count.size(), size_t{rows} * columns);
  for (const auto& [at, times] : count) {
    EXPECT_EQ(times, 1);
    EXPECT_LT(at.first, rows);
    EXPECT_LT(at.second, columns);
  }
}

TEST(FragmentTest, EveryElementHasOnePlace) {
  for (const auto& [shape, per_register] : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.m << " " << shape.n << " " << shape.k << " x " << per_register);
    Count a;
    Count b;
    Count c;
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned reg = 0; reg < RegistersOfA(shape, per_register); ++reg) {
        for (unsigned i = 0; i < per_register; ++i) {
          const TensorElement at = ElementOfA(shape, per_register, lane, reg, i);
          ++a[{at.row, at.column}];
        }
      }
      for (unsigned reg = 0; reg < RegistersOfB(shape, per_register); ++reg) {
        for (unsigned i = 0; i < per_register; ++i) {
          const TensorElement at = ElementOfB(shape, per_register, lane, reg, i);
          ++b[{at.row, at.column}];
        }
      }
      for (unsigned i = 0; i < ElementsOfC(shape); ++i) {
        const TensorElement at = ElementOfC(shape, lane, i);
        ++c[{at.row, at.column}];
      }
    }
    ExpectEachOnce(a, shape.m, shape.k);
    ExpectEachOnce(b, shape.k, shape.n);
    ExpectEachOnce(c, shape.m, shape.n);
  }
}

// The formulas as written in the PTX ISA (9.7.14.5), shape by shape, for element i of the whole fragment.
TEST(FragmentTest, FormulasOfTheIsa) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned group = lane >> 2;
    const unsigned thread = lane % 4;
    // m16n8k16, .f16: A.
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
      const unsigned column = i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
      EXPECT_EQ(ElementOfA({16, 8, 16}, 2, lane, i / 2, i % 2), (TensorElement{row, column}));
    }
    // B.
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
      EXPECT_EQ(ElementOfB({16, 8, 16}, 2, lane, i / 2, i % 2), (TensorElement{row, group}));
    }
    // C.
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(ElementOfC({16, 8, 16}, lane, i), (TensorElement{i < 2 ? group : group + 8, thread * 2 + (i & 1)}));
    }
    // m16n8k8, .tf32: A.
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = i == 0 || i == 2 ? group : group + 8;
      EXPECT_EQ(ElementOfA({16, 8, 8}, 1, lane, i, 0), (TensorElement{row, i < 2 ? thread : thread + 4}));
    }
    // m16n8k16, .f64: A and B.
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned row = i % 2 == 0 ? group : group + 8;
      const unsigned column = i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread;
      EXPECT_EQ(ElementOfA({16, 8, 16}, 1, lane, i, 0), (TensorElement{row, column}));
    }
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(ElementOfB({16, 8, 16}, 1, lane, i, 0), (TensorElement{thread + i * 4, group}));
    }
    // m16n8k32, .s8: A.
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned row = i < 4 || (8 <= i && i < 12) ? group : group + 8;
      const unsigned column = i < 8 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16;
      EXPECT_EQ(ElementOfA({16, 8, 32}, 4, lane, i / 4, i % 4), (TensorElement{row, column}));
    }
    // m16n8k64, .s4: A.
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned row = i < 8 || (16 <= i && i < 24) ? group : group + 8;
      const unsigned column = i < 16 ? thread * 8 + (i & 7) : thread * 8 + (i & 7) + 32;
      EXPECT_EQ(ElementOfA({16, 8, 64}, 8, lane, i / 8, i % 8), (TensorElement{row, column}));
    }
    // m8n8k16, .s8: A, B and C.
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(ElementOfA({8, 8, 16}, 4, lane, 0, i), (TensorElement{group, thread * 4 + i}));
      EXPECT_EQ(ElementOfB({8, 8, 16}, 4, lane, 0, i), (TensorElement{thread * 4 + i, group}));
    }
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(ElementOfC({8, 8, 16}, lane, i), (TensorElement{group, thread * 2 + i}));
    }
    // m16n8k128, .b1: A.
    for (unsigned i = 0; i < 64; ++i) {
      EXPECT_EQ(ElementOfA({16, 8, 128}, 32, lane, i / 32, i % 32),
                (TensorElement{i < 32 ? group : group + 8, thread * 32 + (i & 0x1f)}));
    }
  }
}

TEST(FragmentTest, QuadPairsAreBijections) {
  for (unsigned pair = 0; pair < 4; ++pair) {
    for (bool flag : {false, true}) {
      Count a;
      Count b;
      Count c;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (QuadPairOf(lane) != pair) continue;
        for (unsigned i = 0; i < 4; ++i) {
          const TensorElement at = QuadPairElementOfA(flag, lane, i);
          ++a[{at.row, at.column}];
          const TensorElement bt = QuadPairElementOfB(flag, lane, i);
          ++b[{bt.row, bt.column}];
        }
        for (unsigned i = 0; i < 8; ++i) {
          const TensorElement at = QuadPairElementOfC(flag, lane, i);
          ++c[{at.row, at.column}];
        }
      }
      ExpectEachOnce(a, 8, 4);
      ExpectEachOnce(b, 4, 8);
      ExpectEachOnce(c, 8, 8);
    }
  }
  // Threads 0-3 and 16-19 are the first pair. Thread 20 has the lower rows of the second.
  EXPECT_EQ(QuadPairOf(18), 0u);
  EXPECT_EQ(QuadPairOf(20), 1u);
  EXPECT_EQ(QuadPairElementOfC(true, 21, 6), (TensorElement{7, 4}));
}

TEST(ElementTest, Fields) {
  const auto decode = [](TensorType type, bool in_bytes, uint32_t bits) {
    return DecodeTensorElement(type, FieldOf(type, in_bytes), bits);
  };
  EXPECT_EQ(decode(TensorType::kF16, false, 0x12343c00), 1.0);
  EXPECT_EQ(decode(TensorType::kBF16, false, 0xbf80), -1.0);
  // The low 13 bits are ignored.
  EXPECT_EQ(decode(TensorType::kTF32, false, 0x3f801fff), 1.0);
  EXPECT_EQ(decode(TensorType::kTF32, false, 0x3f802000), 1.0 + std::ldexp(1.0, -10));
  EXPECT_EQ(decode(TensorType::kS8, false, 0x180), -128.0);
  EXPECT_EQ(decode(TensorType::kU8, false, 0x180), 128.0);
  EXPECT_EQ(decode(TensorType::kS4, false, 0xf8), -8.0);
  EXPECT_EQ(decode(TensorType::kU4, false, 0xf8), 8.0);
  EXPECT_EQ(decode(TensorType::kE2M1, false, 0xf2), 1.0);
  // In a byte, the element is in the middle; the bits around it are ignored.
  EXPECT_EQ(decode(TensorType::kE2M1, true, 0xc3 | 2 << 2), 1.0);
  EXPECT_EQ(decode(TensorType::kE3M2, true, 0xc0 | 0x1f), 28.0);
  EXPECT_EQ(decode(TensorType::kE4M3, true, 0x7e), 448.0);
}

TEST(ElementTest, Results) {
  EXPECT_EQ(EncodeTensorResult(TensorType::kS32, false, 2147483648.0), 0x80000000u);
  EXPECT_EQ(EncodeTensorResult(TensorType::kS32, true, 2147483648.0), 0x7fffffffu);
  EXPECT_EQ(EncodeTensorResult(TensorType::kS32, true, -3e9), 0x80000000u);
  EXPECT_EQ(EncodeTensorResult(TensorType::kF16, false, 65520.0), 0x7c00u);
  EXPECT_EQ(EncodeTensorResult(TensorType::kF32, false, std::nan("")), 0x7fffffffu);
  // Rounded once. Rounded to single precision and then to half, it would be 0x3c00.
  EXPECT_EQ(EncodeTensorResult(TensorType::kF16, false, 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)), 0x3c01u);
}

TEST(SparseTest, Chunks) {
  std::array<unsigned, 4> column{};
  const SparseChunk half = SparseChunkOf(TensorType::kF16, false);
  EXPECT_EQ(half.columns, 4u);
  EXPECT_TRUE(DecodeSparseChunk(half, 0xc, absl::MakeSpan(column)));  // 0 and 3
  EXPECT_EQ(column[0], 0u);
  EXPECT_EQ(column[1], 3u);
  for (uint32_t bad : {0x0u, 0x5u, 0xau, 0xfu}) EXPECT_FALSE(DecodeSparseChunk(half, bad, absl::MakeSpan(column)));

  const SparseChunk tf32 = SparseChunkOf(TensorType::kTF32, false);
  EXPECT_TRUE(DecodeSparseChunk(tf32, 0b1110, absl::MakeSpan(column)));
  EXPECT_EQ(column[0], 1u);
  EXPECT_TRUE(DecodeSparseChunk(tf32, 0b0100, absl::MakeSpan(column)));
  EXPECT_EQ(column[0], 0u);
  for (uint32_t bad = 0; bad < 16; ++bad) {
    EXPECT_EQ(DecodeSparseChunk(tf32, bad, absl::MakeSpan(column)), bad == 0b1110 || bad == 0b0100) << bad;
  }

  const SparseChunk nibbles = SparseChunkOf(TensorType::kS4, false);
  EXPECT_EQ(nibbles.columns, 8u);
  EXPECT_TRUE(DecodeSparseChunk(nibbles, 0b1101, absl::MakeSpan(column)));  // pairs 1 and 3
  EXPECT_EQ(column, (std::array<unsigned, 4>{2, 3, 6, 7}));
  // In separate bytes, four-bit elements are stored like wider types.
  EXPECT_EQ(SparseChunkOf(TensorType::kE2M1, true).columns, 4u);
}

TEST(ProductTest, EqualsATripleLoop) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-4, 4);
  const TensorShape shape = {16, 8, 16};
  TensorProduct product(shape);
  for (unsigned i = 0; i < shape.m * shape.k; ++i) product.a[i] = values(random);
  for (unsigned i = 0; i < shape.k * shape.n; ++i) product.b[i] = values(random);
  for (unsigned i = 0; i < shape.m * shape.n; ++i) product.c[i] = values(random);
  const auto c = product.c;
  product.Multiply();
  for (unsigned row = 0; row < shape.m; ++row) {
    for (unsigned column = 0; column < shape.n; ++column) {
      double sum = c[row * shape.n + column];
      for (unsigned k = 0; k < shape.k; ++k) {
        sum += product.a[row * shape.k + k] * product.b[k * shape.n + column];
      }
      ASSERT_EQ(product.c[row * shape.n + column], sum) << row << " " << column;
    }
  }
}

TEST(ProductTest, DoubleRoundsAsAsked) {
  const auto multiply = [](TensorRounding rounding) {
    TensorProduct product({8, 8, 4});
    product.a.fill(0);
    product.b.fill(0);
    product.c.fill(1.0);
    product.a[0] = std::ldexp(1.0, -30);
    product.b[0] = std::ldexp(1.0, -30);
    product.MultiplyF64(rounding);
    return product.c[0];
  };
  const double above = std::nextafter(1.0, 2.0);
  EXPECT_EQ(multiply(TensorRounding::kNearest), 1.0);
  EXPECT_EQ(multiply(TensorRounding::kZero), 1.0);
  EXPECT_EQ(multiply(TensorRounding::kDown), 1.0);
  EXPECT_EQ(multiply(TensorRounding::kUp), above);
  // The rounding mode is restored.
  EXPECT_EQ(multiply(TensorRounding::kNearest), 1.0);
}

TEST(ProductTest, DoubleIsFused) {
  TensorProduct product({8, 8, 4});
  product.a.fill(0);
  product.b.fill(0);
  product.c.fill(0);
  const double x = 1 + std::ldexp(1.0, -40);
  product.a[0] = x;
  product.b[0] = x;
  product.c[0] = -1 - std::ldexp(1.0, -39);
  product.MultiplyF64(TensorRounding::kNearest);
  EXPECT_EQ(product.c[0], std::ldexp(1.0, -80));
}

TEST(ProductTest, Bits) {
  std::mt19937 random(2);
  TensorProduct product({16, 8, 256});
  for (uint32_t& word : product.a_words) word = static_cast<uint32_t>(random());
  for (uint32_t& word : product.b_words) word = static_cast<uint32_t>(random());
  for (bool exclusive_or : {false, true}) {
    product.c.fill(7);
    product.MultiplyBits(exclusive_or);
    for (unsigned row = 0; row < 16; ++row) {
      for (unsigned column = 0; column < 8; ++column) {
        int count = 7;
        for (unsigned k = 0; k < 256; ++k) {
          const bool x = (product.a_words[row * 8 + k / 32] >> k % 32 & 1) != 0;
          const bool y = (product.b_words[column * 8 + k / 32] >> k % 32 & 1) != 0;
          count += exclusive_or ? x != y : x && y;
        }
        ASSERT_EQ(product.c[row * 8 + column], count);
      }
    }
  }
}

TEST(ProductTest, UndefinedSpreadsAlongRowsAndColumns) {
  TensorProduct product({16, 8, 16});
  product.undefined_rows = 1u << 3;
  product.undefined_columns = 1u << 5;
  product.undefined_c[9 * 8 + 2] = true;
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      EXPECT_EQ(product.IsUndefined({row, column}), row == 3 || column == 5 || (row == 9 && column == 2));
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx

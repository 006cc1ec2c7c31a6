// SPDX-License-Identifier: Apache-2.0

// The results of nodes, compared with plain C++ exhaustively at small widths, and with known values.

#include "sdag/meaning/node_semantics.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/split_mix64.h"
#include "gtest/gtest.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

DagConstant Evaluate(int16_t opcode, MVT type, std::initializer_list<DagConstant> operands, uint32_t flags = 0,
                     CondCode code = CondCode::kFalse, EVT type_operand = {}) {
  PureOperation operation;
  operation.opcode = opcode;
  operation.types = absl::MakeConstSpan(&type, 1);
  operation.flags = flags;
  operation.cond_code = code;
  operation.type_operand = type_operand;
  absl::InlinedVector<DagConstant, 2> results;
  EXPECT_TRUE(EvaluatePure(operation, {operands.begin(), operands.size()}, results)) << Desc(opcode).name;
  return results.empty() ? DagConstant::Undefined(type) : results[0];
}
DagConstant Int(MVT type, int64_t value) {
  return DagConstant::Of(type, static_cast<U>(absl::int128(value)) & LowBits(SizeInBits(type)));
}
DagConstant F32(float value) { return DagConstant::Of(MVT::kF32, std::bit_cast<uint32_t>(value)); }
DagConstant F64(double value) { return DagConstant::Of(MVT::kF64, std::bit_cast<uint64_t>(value)); }

// Compares all pairs of i8 with arithmetic in int.
TEST(NodeSemanticsTest, EightBitsAgainstPlainIntegers) {
  struct Row {
    int16_t opcode;
    int (*meaning)(int a, int b, int ua, int ub);  // kBad: undefined
  };
  static constexpr int kBad = 1 << 30;
  const Row rows[] = {
      {isd::kAdd, [](int a, int b, int, int) { return a + b; }},
      {isd::kSub, [](int a, int b, int, int) { return a - b; }},
      {isd::kMul, [](int a, int b, int, int) { return a * b; }},
      {isd::kSDiv, [](int a, int b, int, int) { return b == 0 || (a == -128 && b == -1) ? kBad : a / b; }},
      {isd::kUDiv, [](int, int, int a, int b) { return b == 0 ? kBad : a / b; }},
      {isd::kSRem, [](int a, int b, int, int) { return b == 0 || (a == -128 && b == -1) ? kBad : a % b; }},
      {isd::kURem, [](int, int, int a, int b) { return b == 0 ? kBad : a % b; }},
      {isd::kMulHS, [](int a, int b, int, int) { return (a * b) >> 8; }},
      {isd::kMulHU, [](int, int, int a, int b) { return (a * b) >> 8; }},
      {isd::kAvgFloorS, [](int a, int b, int, int) { return (a + b) >> 1; }},
      {isd::kAvgFloorU, [](int, int, int a, int b) { return (a + b) >> 1; }},
      {isd::kAvgCeilS, [](int a, int b, int, int) { return (a + b + 1) >> 1; }},
      {isd::kAvgCeilU, [](int, int, int a, int b) { return (a + b + 1) >> 1; }},
      {isd::kAbdS, [](int a, int b, int, int) { return std::abs(a - b); }},
      {isd::kAbdU, [](int, int, int a, int b) { return std::abs(a - b); }},
      {isd::kSMin, [](int a, int b, int, int) { return std::min(a, b); }},
      {isd::kUMax, [](int, int, int a, int b) { return std::max(a, b); }},
      {isd::kSAddSat, [](int a, int b, int, int) { return std::clamp(a + b, -128, 127); }},
      {isd::kUAddSat, [](int, int, int a, int b) { return std::min(a + b, 255); }},
      {isd::kSSubSat, [](int a, int b, int, int) { return std::clamp(a - b, -128, 127); }},
      {isd::kUSubSat, [](int, int, int a, int b) { return std::max(a - b, 0); }},
      {isd::kSShlSat, [](int a, int, int, int b) { return b > 7 ? kBad : std::clamp(a * (1 << b), -128, 127); }},
      {isd::kUShlSat, [](int, int, int a, int b) { return b > 7 ? kBad : std::min(a << b, 255); }},
      {isd::kShl, [](int, int, int a, int b) { return b > 7 ? kBad : a << b; }},
      {isd::kSra, [](int a, int, int, int b) { return b > 7 ? kBad : a >> b; }},
      {isd::kSrl, [](int, int, int a, int b) { return b > 7 ? kBad : a >> b; }},
      {isd::kRotl, [](int, int, int a, int b) { return a << (b % 8) | a >> (8 - b % 8); }},
      {isd::kRotr, [](int, int, int a, int b) { return a >> (b % 8) | a << (8 - b % 8); }},
      {isd::kAnd, [](int a, int b, int, int) { return a & b; }},
      {isd::kXor, [](int a, int b, int, int) { return a ^ b; }},
      {isd::kSCmp, [](int a, int b, int, int) { return (a > b) - (a < b); }},
      {isd::kUCmp, [](int, int, int a, int b) { return (a > b) - (a < b); }},
  };
  for (const Row& row : rows) {
    for (int a = -128; a < 128; ++a) {
      for (int b = -128; b < 128; ++b) {
        const int meaning = row.meaning(a, b, a & 255, b & 255);
        const DagConstant actual = Evaluate(row.opcode, MVT::kI8, {Int(MVT::kI8, a), Int(MVT::kI8, b)});
        const DagConstant expected = meaning == kBad ? DagConstant::Undefined(MVT::kI8) : Int(MVT::kI8, meaning);
        ASSERT_EQ(actual, expected) << Desc(row.opcode).name << " " << a << " " << b << ": " << ToString(actual);
      }
    }
  }
}

TEST(NodeSemanticsTest, FlagsThatAreNotSoMakeThemUndefined) {
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const auto undefined = [&](int16_t opcode, uint32_t flag) {
        return Evaluate(opcode, MVT::kI8, {Int(MVT::kI8, a), Int(MVT::kI8, b)}, flag).lanes[0].is_undefined();
      };
      const auto fits = [](int value) { return value >= -128 && value < 128; };
      const int ua = a & 255, ub = b & 255;
      ASSERT_EQ(undefined(isd::kAdd, SDNodeFlags::kNoSignedWrap), !fits(a + b));
      ASSERT_EQ(undefined(isd::kAdd, SDNodeFlags::kNoUnsignedWrap), ua + ub > 255);
      ASSERT_EQ(undefined(isd::kSub, SDNodeFlags::kNoSignedWrap), !fits(a - b));
      ASSERT_EQ(undefined(isd::kSub, SDNodeFlags::kNoUnsignedWrap), ua < ub);
      ASSERT_EQ(undefined(isd::kMul, SDNodeFlags::kNoSignedWrap), !fits(a * b));
      ASSERT_EQ(undefined(isd::kMul, SDNodeFlags::kNoUnsignedWrap), ua * ub > 255);
      ASSERT_EQ(undefined(isd::kOr, SDNodeFlags::kDisjoint), (a & b) != 0);
      ASSERT_EQ(undefined(isd::kShl, SDNodeFlags::kNoSignedWrap), ub > 7 || !fits(a * (1 << (ub & 7))));
      ASSERT_EQ(undefined(isd::kSrl, SDNodeFlags::kExact), ub > 7 || (ua & ((1 << ub) - 1)) != 0);
    }
  }
}

// The widest integers: parts of products agree with each other.
TEST(NodeSemanticsTest, ProductsOf128Bits) {
  SplitMix64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const U a = absl::MakeUint128(random.Next() >> (i % 64), random.Next()), b = U(random.Next()) << (i % 60);
    const DagConstant x = DagConstant::Of(MVT::kI128, a), y = DagConstant::Of(MVT::kI128, b);
    // ((a * b) mod 2^128, high) with b a multiple of 2^k: a * b == (a * (b >> k)) << k.
    const DagConstant low = Evaluate(isd::kMul, MVT::kI128, {x, y});
    EXPECT_EQ(low.bits(), a * b);
    const DagConstant high = Evaluate(isd::kMulHU, MVT::kI128, {x, y});
    // (2^128 - 1) squared and the like: high(a, b) + high(-a, b) == b - 1, unless a or the low part is 0.
    const DagConstant other = Evaluate(isd::kMulHU, MVT::kI128, {DagConstant::Of(MVT::kI128, -a), y});
    if (a != 0 && a * b != 0) {
      EXPECT_EQ(high.bits() + other.bits(), b - 1);
    }
  }
}

TEST(NodeSemanticsTest, FloatsAreRoundedOnce) {
  // 1 + 2^-24 + 2^-60 is halfway in f32 except for the last term, which a double would lose.
  EXPECT_EQ(Evaluate(isd::kFMA, MVT::kF32, {F32(0x1p-30f), F32(0x1p-30f), F32(1 + 0x1p-23f)}), F32(1 + 0x1p-23f));
  SplitMix64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const float a = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
    const float b = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
    const float c = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
    const auto check = [&](int16_t opcode, std::initializer_list<DagConstant> operands, float expected) {
      const DagConstant actual = Evaluate(opcode, MVT::kF32, operands);
      if (std::isnan(expected)) {
        EXPECT_EQ(actual.lanes[0].state, LaneState::kAnyNaN);
      } else {
        EXPECT_EQ(actual, F32(expected)) << Desc(opcode).name;
      }
    };
    check(isd::kFAdd, {F32(a), F32(b)}, a + b);
    check(isd::kFSub, {F32(a), F32(b)}, a - b);
    check(isd::kFMul, {F32(a), F32(b)}, a * b);
    check(isd::kFDiv, {F32(a), F32(b)}, a / b);
    check(isd::kFSqrt, {F32(a)}, std::sqrt(a));
    check(isd::kFMA, {F32(a), F32(b), F32(c)}, std::fma(a, b, c));
    check(isd::kFRem, {F32(a), F32(b)}, std::fmod(a, b));
    check(isd::kFFloor, {F32(a)}, std::floor(a));
    check(isd::kFRoundEven, {F32(a)}, std::nearbyint(a));
    check(isd::kFLdexp, {F32(a), Int(MVT::kI32, static_cast<int>(i % 500) - 250)}, std::ldexp(a, i % 500 - 250));
  }
}

TEST(NodeSemanticsTest, ConversionsBetweenIntegersAndFloats) {
  SplitMix64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = random.Next() >> (i % 64);
    const auto value = static_cast<int64_t>(bits);
    EXPECT_EQ(Evaluate(isd::kUIntToFP, MVT::kF32, {Int(MVT::kI64, value)}), F32(static_cast<float>(bits)));
    EXPECT_EQ(Evaluate(isd::kSIntToFP, MVT::kF32, {Int(MVT::kI64, value)}), F32(static_cast<float>(value)));
    EXPECT_EQ(Evaluate(isd::kSIntToFP, MVT::kF64, {Int(MVT::kI64, value)}), F64(static_cast<double>(value)));
    const U wide = absl::MakeUint128(bits, random.Next());
    EXPECT_EQ(Evaluate(isd::kUIntToFP, MVT::kF64, {DagConstant::Of(MVT::kI128, wide)}),
              F64(static_cast<double>(static_cast<unsigned __int128>(wide))));
    const double d = std::ldexp(static_cast<double>(random.Next()), static_cast<int>(i % 80) - 70);
    const DagConstant integer = Evaluate(isd::kFPToUInt, MVT::kI64, {F64(d)});
    if (d < 0x1p64) {
      EXPECT_EQ(integer.bits(), U(static_cast<uint64_t>(d)));
    } else {
      EXPECT_TRUE(integer.lanes[0].is_undefined());
    }
    EXPECT_EQ(Evaluate(isd::kFPToSIntSat, MVT::kI32, {F64(d)}, 0, CondCode::kFalse, MVT::kI32),
              Int(MVT::kI32, static_cast<int64_t>(std::min(std::trunc(d), 2147483647.0))));
  }
}

TEST(NodeSemanticsTest, NaNsOfArithmeticHaveNoKnownBits) {
  const DagConstant nan = Evaluate(isd::kFDiv, MVT::kF32, {F32(0), F32(0)});
  EXPECT_EQ(nan.lanes[0].state, LaneState::kAnyNaN);
  EXPECT_TRUE(Evaluate(isd::kBitcast, MVT::kI32, {nan}).lanes[0].is_undefined());
  EXPECT_EQ(Evaluate(isd::kSetCC, MVT::kI1, {nan, nan}, 0, CondCode::kUo), Int(MVT::kI1, 1));
  EXPECT_EQ(Evaluate(isd::kFMinNum, MVT::kF32, {nan, F32(2)}), F32(2));
  EXPECT_EQ(Evaluate(isd::kFMinimum, MVT::kF32, {nan, F32(2)}).lanes[0].state, LaneState::kAnyNaN);
  EXPECT_TRUE(Refines(F32(std::numeric_limits<float>::quiet_NaN()), nan));
  EXPECT_FALSE(Refines(F32(1), nan));
  EXPECT_TRUE(Evaluate(isd::kFAdd, MVT::kF32, {nan, F32(1)}, SDNodeFlags::kNoNaNs).lanes[0].is_undefined());
  // A known NaN keeps its bits except the sign.
  const DagConstant known = DagConstant::Of(MVT::kF32, 0x7fc12345);
  EXPECT_EQ(Evaluate(isd::kFNeg, MVT::kF32, {known}).bits(), U(0xffc12345));
}

TEST(NodeSemanticsTest, ZerosAndNaNsOfMinima) {
  EXPECT_EQ(Evaluate(isd::kFMinNum, MVT::kF32, {F32(0.0f), F32(-0.0f)}), F32(-0.0f));
  EXPECT_EQ(Evaluate(isd::kFMaximum, MVT::kF32, {F32(-0.0f), F32(0.0f)}), F32(0.0f));
}

TEST(NodeSemanticsTest, VectorsElementByElement) {
  DagConstant a = Int(MVT::kV2I16, 0), b = Int(MVT::kV2I16, 1);
  a.lanes[0].bits = 0x7fff;
  a.lanes[1] = Lane::Undefined();
  const DagConstant sum = Evaluate(isd::kAdd, MVT::kV2I16, {a, b});
  EXPECT_EQ(sum.lanes[0].bits, U(0x8000));
  EXPECT_TRUE(sum.lanes[1].is_undefined());
  DagConstant bytes = Int(MVT::kV4I8, 0);
  for (unsigned i = 0; i < 4; ++i) bytes.lanes[i].bits = i + 1;
  EXPECT_EQ(Evaluate(isd::kBitcast, MVT::kI32, {bytes}), Int(MVT::kI32, 0x04030201));
  EXPECT_EQ(Evaluate(isd::kExtractVectorElt, MVT::kI8, {bytes, Int(MVT::kI32, 2)}), Int(MVT::kI8, 3));
  EXPECT_TRUE(Evaluate(isd::kExtractVectorElt, MVT::kI8, {bytes, Int(MVT::kI32, 4)}).lanes[0].is_undefined());
  EXPECT_EQ(Evaluate(isd::kVecReduceAdd, MVT::kI8, {bytes}), Int(MVT::kI8, 10));
}

TEST(NodeSemanticsTest, WhatIsNotComputedSaysSo) {
  EXPECT_FALSE(IsPureAndExact(isd::kFSin));
  EXPECT_FALSE(IsPureAndExact(isd::kLoad));
  EXPECT_FALSE(IsPureAndExact(-1));
  EXPECT_TRUE(IsPureAndExact(isd::kFMA));
}

// Every opcode with values of any types either gives results or says that it does not.
TEST(NodeSemanticsTest, AnythingCanBeAsked) {
  SplitMix64 random(4);
  for (int16_t opcode = 0; opcode < isd::kNumOpcodes; ++opcode) {
    for (int i = 0; i < 400; ++i) {
      const auto type = [&] { return static_cast<MVT>(random.Next() % static_cast<uint64_t>(kNumValueTypes)); };
      std::vector<DagConstant> operands(random.Next() % 5);
      for (DagConstant& operand : operands) {
        const MVT of = type();
        operand = DagConstant::Of(of, absl::MakeUint128(random.Next(), random.Next()) & LowBits(ScalarSizeInBits(of)));
      }
      const MVT types[] = {type(), type()};
      PureOperation operation;
      operation.opcode = opcode;
      operation.types = absl::MakeConstSpan(types, 1 + random.Next() % 2);
      operation.type_operand = type();
      absl::InlinedVector<DagConstant, 2> results;
      if (EvaluatePure(operation, operands, results)) {
        EXPECT_FALSE(results.empty() && !operands.empty());
      }
    }
  }
}

}  // namespace
}  // namespace ptxmir::sdag

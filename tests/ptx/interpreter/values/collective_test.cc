// SPDX-License-Identifier: Apache-2.0

// Compares shuffles, votes, matches and warp reductions with definitions written in another form.

#include "ptx/interpreter/values/collective.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

// CUDA's __shfl_*_sync(value, argument, width): each segment of `width` lanes is a small warp.
ShuffleSource CudaShuffle(ShuffleMode mode, unsigned lane, int argument, int width) {
  const int base = static_cast<int>(lane) / width * width;
  const int in_segment = static_cast<int>(lane) - base;
  int source = 0;
  switch (mode) {
    case ShuffleMode::kUp:
      source = in_segment - argument;
      break;
    case ShuffleMode::kDown:
      source = in_segment + argument;
      break;
    case ShuffleMode::kButterfly:
      source = in_segment ^ argument;
      break;
    case ShuffleMode::kIndex:
      source = argument % width;
      break;
  }
  const bool inside = source >= 0 && source < width;
  // A butterfly may also read from earlier segments.
  if (mode == ShuffleMode::kButterfly) {
    source = static_cast<int>(lane) ^ argument;
    const bool allowed = source < base + width;
    return {allowed ? static_cast<unsigned>(source) : lane, allowed};
  }
  return {inside ? static_cast<unsigned>(base + source) : lane, inside};
}

TEST(ShuffleTest, IsCudasForEveryWidthLaneAndArgument) {
  for (int width : {1, 2, 4, 8, 16, 32}) {
    const uint32_t segment = static_cast<uint32_t>(32 - width) << 8;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      for (int argument = 0; argument < 32; ++argument) {
        for (ShuffleMode mode : {ShuffleMode::kUp, ShuffleMode::kDown, ShuffleMode::kButterfly, ShuffleMode::kIndex}) {
          // nvcc's operand c: the clamp is 0 for up, 31 otherwise.
          const uint32_t c = segment | (mode == ShuffleMode::kUp ? 0 : 31);
          const ShuffleSource expected = CudaShuffle(mode, lane, argument, width);
          const ShuffleSource actual = FindShuffleSource(mode, lane, static_cast<uint32_t>(argument), c);
          ASSERT_EQ(actual.lane, expected.lane)
              << static_cast<int>(mode) << " width " << width << " lane " << lane << " argument " << argument;
          ASSERT_EQ(actual.in_range, expected.in_range);
        }
      }
    }
  }
}

TEST(ShuffleTest, OnlyFiveBitsCount) {
  EXPECT_EQ(FindShuffleSource(ShuffleMode::kIndex, 3, 0x7fffffe0u | 9, 0xffffe000u | 0x1f).lane, 9u);
  // The source is limited to lanes up to the clamp. Beyond it, a lane reads itself.
  EXPECT_EQ(FindShuffleSource(ShuffleMode::kDown, 3, 2, 4).lane, 3u);
  EXPECT_FALSE(FindShuffleSource(ShuffleMode::kDown, 3, 2, 4).in_range);
  EXPECT_TRUE(FindShuffleSource(ShuffleMode::kDown, 3, 1, 4).in_range);
}

TEST(VoteTest, EveryMode) {
  const LaneMask group = 0xf0;
  EXPECT_EQ(Vote(VoteMode::kAll, group, 0xff, 0).value, 1u);
  EXPECT_EQ(Vote(VoteMode::kAll, group, 0x70, 0).value, 0u);
  EXPECT_EQ(Vote(VoteMode::kAny, group, 0x0f, 0).value, 0u);
  EXPECT_EQ(Vote(VoteMode::kAny, group, 0x10, 0).value, 1u);
  EXPECT_EQ(Vote(VoteMode::kUniform, group, 0xf0, 0).value, 1u);
  EXPECT_EQ(Vote(VoteMode::kUniform, group, 0x00, 0).value, 1u);
  EXPECT_EQ(Vote(VoteMode::kUniform, group, 0x30, 0).value, 0u);
  EXPECT_EQ(Vote(VoteMode::kBallot, group, 0xabcd, 0).value, 0xc0u);
}

// The defined part of the result must hold for all possible values of the undefined predicates.
TEST(VoteTest, DefinedBitsHoldForAllCompletions) {
  for (LaneMask group = 1; group < 16; ++group) {
    for (LaneMask predicates = 0; predicates < 16; ++predicates) {
      for (LaneMask undefined = 0; undefined < 16; ++undefined) {
        for (VoteMode mode : {VoteMode::kAll, VoteMode::kAny, VoteMode::kUniform, VoteMode::kBallot}) {
          const TrackedBits result = Vote(mode, group, predicates & ~undefined, undefined);
          uint64_t seen_ones = 0;
          uint64_t seen_zeros = 0;
          for (LaneMask guess = 0; guess < 16; ++guess) {
            const uint64_t value = Vote(mode, group, (predicates & ~undefined) | (guess & undefined), 0).value;
            seen_ones |= value;
            seen_zeros |= ~value;
          }
          // A bit is undefined exactly if the completions disagree.
          ASSERT_EQ(result.undefined, seen_ones & seen_zeros)
              << static_cast<int>(mode) << " " << group << " " << predicates << " " << undefined;
          ASSERT_EQ(result.value & ~result.undefined, seen_ones & ~seen_zeros);
        }
      }
    }
  }
}

std::vector<TrackedBits> Values(std::initializer_list<uint64_t> values) {
  std::vector<TrackedBits> lanes(kWarpSize);
  size_t i = 0;
  for (uint64_t value : values) lanes[i++].value = value;
  return lanes;
}

TEST(MatchTest, AnyAndAll) {
  std::vector<TrackedBits> lanes = Values({7, 8, 7, 8, 7, 9});
  EXPECT_EQ(MatchAny(lanes, 0x3f, 0), (TrackedBits{0x15, 0}));
  EXPECT_EQ(MatchAny(lanes, 0x3f, 3), (TrackedBits{0x0a, 0}));
  EXPECT_EQ(MatchAny(lanes, 0x3f, 5), (TrackedBits{0x20, 0}));
  // Lanes outside of the group do not count.
  EXPECT_EQ(MatchAny(lanes, 0x06, 2), (TrackedBits{0x04, 0}));
  EXPECT_EQ(MatchAll(lanes, 0x3f).value, 0u);
  EXPECT_EQ(MatchAll(lanes, 0x15), (TrackedBits{0x15, 0}));
  lanes[2].undefined = 1;
  EXPECT_EQ(MatchAny(lanes, 0x3f, 0), (TrackedBits{0x11, 0x04}));
  EXPECT_EQ(MatchAll(lanes, 0x15), (TrackedBits{0x15, 0x15}));
  // 7 and 8 differ in defined bits, too.
  EXPECT_EQ(MatchAll(lanes, 0x07), (TrackedBits{0, 0}));
  // A lane always matches itself.
  EXPECT_EQ(MatchAny(lanes, 0x04, 2), (TrackedBits{0x04, 0}));
}

TEST(MatchTest, TwoLanesDifferThoughBothMayEqualAThird) {
  std::vector<TrackedBits> lanes = Values({0, 1, 2});
  lanes[0].undefined = 3;
  EXPECT_EQ(MatchAll(lanes, 0x7), (TrackedBits{0, 0}));
}

TEST(ReduxTest, Integers) {
  using enum ReduxOperation;
  const std::vector<TrackedBits> lanes = Values({5, 0xffffffffu, 12});
  const auto redux = [&](ReduxOperation operation) { return Redux({operation}, lanes, 0x7).value; };
  EXPECT_EQ(redux(kAdd), 16u);
  EXPECT_EQ(redux(kAnd), 4u);
  EXPECT_EQ(redux(kOr), 0xffffffffu);
  EXPECT_EQ(redux(kXor), 0xffffffffu ^ 5u ^ 12u);
  EXPECT_EQ(redux(kMinS32), 0xffffffffu);
  EXPECT_EQ(redux(kMaxS32), 12u);
  EXPECT_EQ(redux(kMinU32), 5u);
  EXPECT_EQ(redux(kMaxU32), 0xffffffffu);
}

TEST(ReduxTest, Floats) {
  const auto bits = [](float value) { return uint64_t{std::bit_cast<uint32_t>(value)}; };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<TrackedBits> lanes = Values({bits(-3), bits(nan), bits(2), bits(-0.0f), bits(0.0f)});
  const auto redux = [&](ReduxOptions options, LaneMask group) { return Redux(options, lanes, group).value; };
  EXPECT_EQ(redux({ReduxOperation::kMinF32}, 0x07), bits(-3));
  EXPECT_EQ(redux({ReduxOperation::kMaxF32}, 0x07), bits(2));
  EXPECT_EQ(redux({ReduxOperation::kMaxF32, true}, 0x07), bits(3));
  EXPECT_EQ(redux({ReduxOperation::kMinF32, true}, 0x07), bits(2));
  EXPECT_EQ(redux({ReduxOperation::kMaxF32, false, true}, 0x07), 0x7fffffffu);
  EXPECT_EQ(redux({ReduxOperation::kMaxF32}, 0x02), 0x7fffffffu);
  EXPECT_EQ(redux({ReduxOperation::kMinF32}, 0x18), bits(-0.0f));
  EXPECT_EQ(redux({ReduxOperation::kMaxF32}, 0x18), bits(0.0f));
}

TEST(ReduxTest, UndefinedBits) {
  using enum ReduxOperation;
  std::vector<TrackedBits> lanes = Values({0xf0, 0x3c, 0});
  lanes[0].undefined = 0x10;
  const auto undefined = [&](ReduxOperation operation, LaneMask group) {
    return Redux({operation}, lanes, group).undefined;
  };
  EXPECT_EQ(undefined(kAdd, 3), 0xfffffff0u);
  EXPECT_EQ(undefined(kAnd, 3), 0x10u);
  EXPECT_EQ(undefined(kAnd, 7), 0u);
  EXPECT_EQ(undefined(kOr, 3), 0u);
  EXPECT_EQ(undefined(kOr, 5), 0x10u);
  EXPECT_EQ(undefined(kXor, 3), 0x10u);
  EXPECT_EQ(undefined(kMaxU32, 3), 0xffffffffu);
  EXPECT_EQ(undefined(kMaxU32, 6), 0u);
}

}  // namespace
}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

// Tensor memory without warps: allocation, the order of accesses, layouts of registers.

#include "ptx/interpreter/memory/tensor_memory.h"

#include <set>
#include <utility>

#include "gtest/gtest.h"
#include "ptx/interpreter/values/tensor.h"

namespace ptxmir::ptx {
namespace {

using AccessType = TensorMemory::AccessType;

TEST(TensorMemoryTest, TakesTheLowestPlaceThatIsFree) {
  TensorMemory memory;
  EXPECT_EQ(memory.Allocate(128), 0u);
  EXPECT_EQ(memory.Allocate(256), 128u);
  EXPECT_EQ(memory.Allocate(256), std::nullopt);
  EXPECT_EQ(memory.Allocate(64), 384u);
  EXPECT_TRUE(memory.Free(0, 128));
  EXPECT_EQ(memory.Allocate(32), 0u);
  EXPECT_EQ(memory.PlaceOf(31), TensorMemory::Place::kAllocated);
  EXPECT_EQ(memory.PlaceOf(32), TensorMemory::Place::kFreed);
  EXPECT_EQ(memory.PlaceOf(511), TensorMemory::Place::kNever);
}

TEST(TensorMemoryTest, OnlyWhatWasTakenCanBeGivenBack) {
  TensorMemory memory;
  ASSERT_EQ(memory.Allocate(64), 0u);
  EXPECT_FALSE(memory.Free(0, 32));
  EXPECT_FALSE(memory.Free(32, 32));
  EXPECT_FALSE(memory.Free(512, 64));
  EXPECT_TRUE(memory.AnyAllocated());
  EXPECT_TRUE(memory.Free(0, 64));
  EXPECT_FALSE(memory.AnyAllocated());
  EXPECT_FALSE(memory.Free(0, 64));
}

TEST(TensorMemoryTest, NewMemoryIsUndefined) {
  TensorMemory memory;
  ASSERT_EQ(memory.Allocate(32), 0u);
  memory.At(5, 6) = {1, 0};
  ASSERT_TRUE(memory.Free(0, 32));
  ASSERT_EQ(memory.Allocate(32), 0u);
  EXPECT_EQ(memory.At(5, 6).undefined, ~0u);
}

// Two warps and one word.
class TensorOrderTest : public ::testing::Test {
 protected:
  TensorOrderTest() {
    first_.id = 1;
    second_.id = 2;
    memory_.warps = {&first_, &second_};
    memory_.Allocate(32);
  }
  bool Access(AccessType type, const TensorOrder& by, uint32_t sequence = 0) {
    return memory_.Access(0, 0, type, by, ++now_, sequence).empty();
  }
  void Note(uint64_t TensorOrder::*moment, TensorOrder& warp) { warp.*moment = ++now_; }

  TensorMemory memory_;
  TensorOrder first_;
  TensorOrder second_;
  uint64_t now_ = 0;
};

TEST_F(TensorOrderTest, AStoreIsWaitedForBeforeALoad) {
  EXPECT_TRUE(Access(AccessType::kStore, first_));
  EXPECT_FALSE(Access(AccessType::kLoad, first_));
  Note(&TensorOrder::waited_stores, first_);
  EXPECT_TRUE(Access(AccessType::kLoad, first_));
}

TEST_F(TensorOrderTest, AnotherWarpNeedsBothFences) {
  EXPECT_TRUE(Access(AccessType::kStore, first_));
  Note(&TensorOrder::waited_stores, first_);
  EXPECT_FALSE(Access(AccessType::kAsyncRead, second_));
  Note(&TensorOrder::fenced_before, first_);
  EXPECT_FALSE(Access(AccessType::kAsyncRead, second_));
  Note(&TensorOrder::fenced_after, second_);
  EXPECT_TRUE(Access(AccessType::kAsyncRead, second_));
}

TEST_F(TensorOrderTest, ALoadIsWaitedForBeforeAWrite) {
  EXPECT_TRUE(Access(AccessType::kLoad, first_));
  EXPECT_FALSE(Access(AccessType::kStore, first_));
  Note(&TensorOrder::waited_loads, first_);
  EXPECT_TRUE(Access(AccessType::kStore, first_));
}

TEST_F(TensorOrderTest, ThePipelineKeepsItsOrder) {
  EXPECT_TRUE(Access(AccessType::kAsyncWrite, first_, 1));
  EXPECT_TRUE(Access(AccessType::kAsyncWrite, first_, 2));
  EXPECT_FALSE(Access(AccessType::kLoad, first_));
  memory_.Complete(0, 0, 1, ++now_);
  EXPECT_TRUE(memory_.IsPending(0, 32)) << "the second operation has not been completed";
  EXPECT_FALSE(Access(AccessType::kLoad, first_));
  memory_.Complete(0, 0, 2, ++now_);
  EXPECT_FALSE(memory_.IsPending(0, 32));
  EXPECT_TRUE(Access(AccessType::kLoad, first_));
}

TEST_F(TensorOrderTest, ACompletedOperationNeedsAFenceOfTheOtherSideOnly) {
  EXPECT_TRUE(Access(AccessType::kAsyncWrite, first_, 1));
  Note(&TensorOrder::fenced_after, second_);
  memory_.Complete(0, 0, 1, ++now_);
  EXPECT_FALSE(Access(AccessType::kLoad, second_));
  Note(&TensorOrder::fenced_after, second_);
  EXPECT_TRUE(Access(AccessType::kLoad, second_));
}

// ---- Layouts.

TEST(TensorPlaceTest, EachWordHasOneRegister) {
  for (const TensorMovement movement : {TensorMovement::k32x32b, TensorMovement::k16x64b, TensorMovement::k16x128b,
                                        TensorMovement::k16x256b, TensorMovement::k16x32bx2}) {
    constexpr unsigned kCount = 4;
    std::set<std::pair<unsigned, unsigned>> words;
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned reg = 0; reg < RegistersOf(movement) * kCount; ++reg) {
        const TensorPlace place = FindTensorPlace(movement, lane, reg);
        EXPECT_LT(place.lane, LanesOf(movement));
        words.emplace(place.lane, place.column + (place.is_second ? 100 : 0));
      }
    }
    EXPECT_EQ(words.size(), size_t{32} * RegistersOf(movement) * kCount);
  }
}

TEST(TensorPlaceTest, WideShapesAreFragmentsOfMma) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned reg = 0; reg < 16; ++reg) {
      // An accumulator of 16x32, and an A of 16x32 with one element per register.
      const TensorElement c = ElementOfC({16, 32, 8}, lane, reg);
      EXPECT_EQ(FindTensorPlace(TensorMovement::k16x256b, lane, reg), (TensorPlace{c.row, c.column}));
      const TensorElement a = ElementOfA({16, 8, 32}, 1, lane, reg, 0);
      EXPECT_EQ(FindTensorPlace(TensorMovement::k16x128b, lane, reg), (TensorPlace{a.row, a.column}));
    }
  }
}

TEST(TensorPlaceTest, NarrowShape) {
  const auto place = [](unsigned lane, unsigned reg) { return FindTensorPlace(TensorMovement::k16x64b, lane, reg); };
  EXPECT_EQ(place(0, 0), (TensorPlace{0, 0}));
  EXPECT_EQ(place(1, 0), (TensorPlace{8, 0}));
  EXPECT_EQ(place(2, 0), (TensorPlace{0, 1}));
  EXPECT_EQ(place(3, 0), (TensorPlace{8, 1}));
  EXPECT_EQ(place(4, 0), (TensorPlace{1, 0}));
  EXPECT_EQ(place(31, 3), (TensorPlace{15, 7}));
}

}  // namespace
}  // namespace ptxmir::ptx

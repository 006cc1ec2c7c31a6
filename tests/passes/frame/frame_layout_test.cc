// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/frame_layout.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

FrameObjectRecord Object(int index, uint64_t size, uint8_t align_log2, FrameCategory category = FrameCategory::kNone) {
  FrameObjectRecord record;
  record.index = index;
  record.size = size;
  record.align_log2 = align_log2;
  record.category = category;
  return record;
}

std::vector<int64_t> Offsets(const std::vector<FrameObjectRecord>& objects) {
  std::vector<int64_t> offsets;
  for (const FrameObjectRecord& object : objects) offsets.push_back(object.offset);
  return offsets;
}

using Expected = std::vector<int64_t>;

TEST(FrameLayoutTest, OrderOfNumbersIsLlcs) {
  std::vector<FrameObjectRecord> objects = {Object(0, 1, 0), Object(1, 8, 3), Object(2, 2, 1), Object(3, 4, 2)};
  const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {.sorts = false});
  EXPECT_EQ(Offsets(objects), (Expected{0, 8, 16, 20}));
  EXPECT_EQ(layout.size, 24u);
  EXPECT_EQ(layout.alignment, 8u);
  EXPECT_EQ(layout.padding, 9u);
  EXPECT_FALSE(layout.is_sorted);
}

TEST(FrameLayoutTest, SortsWhereThatIsSmaller) {
  std::vector<FrameObjectRecord> objects = {Object(0, 1, 0), Object(1, 8, 3), Object(2, 2, 1), Object(3, 4, 2)};
  const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {});
  EXPECT_EQ(Offsets(objects), (Expected{14, 0, 12, 8}));
  EXPECT_EQ(layout.size, 16u);
  EXPECT_EQ(layout.padding, 1u);
  EXPECT_TRUE(layout.is_sorted);
}

TEST(FrameLayoutTest, KeepsTheOrderWhereSortingIsNotSmaller) {
  std::vector<FrameObjectRecord> objects = {Object(0, 4, 2), Object(1, 4, 2), Object(2, 8, 3)};
  const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {});
  EXPECT_EQ(Offsets(objects), (Expected{0, 4, 8}));
  EXPECT_FALSE(layout.is_sorted);
}

TEST(FrameLayoutTest, FillsGapsBehindObjectsOfOddSize) {
  // The object of 12 bytes leaves a gap of four bytes, which the last object fills.
  std::vector<FrameObjectRecord> objects = {Object(0, 4, 2), Object(1, 12, 4), Object(2, 16, 4)};
  const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {});
  EXPECT_EQ(Offsets(objects), (Expected{28, 16, 0}));
  EXPECT_EQ(layout.size, 32u);
  // Each object of 4 bytes fills the gap after an object of 12 bytes with alignment 16.
  objects = {Object(0, 4, 2), Object(1, 12, 4), Object(2, 12, 4), Object(3, 4, 2)};
  EXPECT_EQ(LayOutFrame(absl::MakeSpan(objects), {}).size, 32u);
  EXPECT_EQ(Offsets(objects), (Expected{12, 0, 16, 28}));
}

TEST(FrameLayoutTest, DeadAndVariableSizedObjectsTakeNoSpace) {
  std::vector<FrameObjectRecord> objects = {Object(0, 100, 3), Object(1, 0, 5), Object(2, 4, 2)};
  objects[0].is_dead = true;
  objects[1].is_variable_sized = true;
  const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {});
  EXPECT_EQ(objects[2].offset, 0);
  EXPECT_EQ(layout.size, 32u);  // the alignment of the variable object
  objects[1].is_dead = objects[2].is_dead = true;
  EXPECT_EQ(LayOutFrame(absl::MakeSpan(objects), {}).size, 0u);
}

TEST(FrameLayoutTest, OverAlignedFrameIsAMultipleOfItsAlignment) {
  std::vector<FrameObjectRecord> objects = {Object(0, 4, 2), Object(1, 4, 7)};
  const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {});
  EXPECT_EQ(Offsets(objects), (Expected{4, 0}));
  EXPECT_EQ(layout.size, 128u);
  EXPECT_EQ(layout.alignment, 128u);
}

TEST(FrameLayoutTest, FixedObjectsKeepTheirPlaces) {
  std::vector<FrameObjectRecord> objects = {Object(-1, 8, 3), Object(0, 4, 2)};
  objects[0].is_fixed = true;
  objects[0].offset = 16;
  EXPECT_EQ(LayOutFrame(absl::MakeSpan(objects), {}).size, 32u);
  EXPECT_EQ(Offsets(objects), (Expected{16, 24}));
}

TEST(FrameLayoutTest, CategoriesComeInOrder) {
  std::vector<FrameObjectRecord> objects = {Object(0, 8, 3), Object(1, 8, 3, FrameCategory::kAddressTaken),
                                            Object(2, 8, 3, FrameCategory::kSmallArray),
                                            Object(3, 32, 3, FrameCategory::kLargeArray), Object(4, 8, 3)};
  objects[4].is_first = true;
  LayOutFrame(absl::MakeSpan(objects), {});
  EXPECT_EQ(Offsets(objects), (Expected{56, 48, 40, 8, 0}));
}

TEST(FrameLayoutTest, GrowsDown) {
  std::vector<FrameObjectRecord> objects = {Object(0, 4, 2), Object(1, 8, 3), Object(2, 1, 0)};
  const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {.sorts = false, .grows_down = true});
  EXPECT_EQ(Offsets(objects), (Expected{-4, -16, -17}));
  EXPECT_EQ(layout.size, 24u);
}

TEST(FrameLayoutTest, RefusesWhatOffsetsDoNotReach) {
  std::vector<FrameObjectRecord> objects = {Object(0, uint64_t{1} << 62, 0), Object(1, uint64_t{1} << 62, 0)};
  EXPECT_TRUE(LayOutFrame(absl::MakeSpan(objects), {}).is_too_large);
  objects = {Object(0, 0x7fffffff, 0), Object(1, 1, 0)};
  EXPECT_TRUE(LayOutFrame(absl::MakeSpan(objects), {}).is_too_large);
  objects = {Object(0, 0x7ffffff0, 0)};
  EXPECT_FALSE(LayOutFrame(absl::MakeSpan(objects), {}).is_too_large);
}

bool Touch(const FrameObjectRecord& a, const FrameObjectRecord& b) {
  const auto end = [](const FrameObjectRecord& object) { return object.offset + static_cast<int64_t>(object.size); };
  return a.offset < end(b) && b.offset < end(a);
}

TEST(FrameLayoutTest, RandomFramesAreSoundAndNoLargerThanLlcs) {
  std::mt19937_64 random(7);
  uint64_t saved = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<FrameObjectRecord> objects;
    const int count = static_cast<int>(random() % 12) + 1;
    for (int i = 0; i < count; ++i) {
      objects.push_back(Object(i, 1 + random() % 40, static_cast<uint8_t>(random() % 6)));
    }
    std::vector<FrameObjectRecord> plain = objects;
    const bool grows_down = round % 4 == 3;
    const FrameLayout layout = LayOutFrame(absl::MakeSpan(objects), {.grows_down = grows_down});
    const FrameLayout llcs = LayOutFrame(absl::MakeSpan(plain), {.sorts = false, .grows_down = grows_down});
    EXPECT_LE(layout.size, llcs.size);
    saved += llcs.size - layout.size;
    for (int i = 0; i < count; ++i) {
      const FrameObjectRecord& object = objects[static_cast<size_t>(i)];
      EXPECT_EQ(object.offset % (int64_t{1} << object.align_log2), 0);
      const int64_t begin = grows_down ? object.offset + static_cast<int64_t>(layout.size) : object.offset;
      EXPECT_GE(begin, 0);
      EXPECT_LE(begin + static_cast<int64_t>(object.size), static_cast<int64_t>(layout.size));
      for (int j = 0; j < i; ++j) EXPECT_FALSE(Touch(object, objects[static_cast<size_t>(j)])) << round;
    }
  }
  EXPECT_GT(saved, 10000u);
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// Compares shared memory, and locks in global memory, with plain C++.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// ---- shared_memory.

class SharedMemoryTest : public CorpusKernels {
 protected:
  SharedMemoryTest() : CorpusKernels("shared_memory") {}

  // Elements of `kSize` bytes.
  template <size_t kSize>
  void TestTranspose(std::string_view kernel, int width, int height) {
    using Element = std::array<uint8_t, kSize>;
    const std::vector<uint8_t> bytes = Random<uint8_t>(kSize * width * height, 1);
    std::vector<Element> in(static_cast<size_t>(width) * height);
    std::memcpy(in.data(), bytes.data(), bytes.size());
    std::vector<Element> expected(in.size());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];
    }
    const auto out = Output<Element>(in.size());
    Launch(kernel, {(width + 31u) / 32, (height + 31u) / 32}, {32, 8}, 0, Buffer(in), out, width, height);
    ExpectEqual(out, expected);
  }
};

TEST_F(SharedMemoryTest, Transpose) {
  TestTranspose<4>("TransposeIf", 45, 70);
  TestTranspose<1>("TransposeIh", 33, 31);
  TestTranspose<16>("TransposeI7double2", 40, 20);
  TestTranspose<3>("TransposeI6uchar3", 37, 33);
}

TEST_F(SharedMemoryTest, TransposeSwizzled) {
  constexpr int kSize = 128;
  const std::vector<float> in = Random<float>(kSize * kSize, 1, -1, 1);
  std::vector<float> expected(in.size());
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) expected[x * kSize + y] = in[y * kSize + x];
  }
  const auto out = Output<float>(in.size());
  Launch("TransposeSwizzled", {2, 2}, {256}, 0, Buffer(in), out, kSize / 4);
  ExpectEqual(out, expected);
}

TEST_F(SharedMemoryTest, Carved) {
  constexpr int kCount = 48;
  const std::vector<double> in = Random<double>(kCount, 1, -1e5, 1e5);
  std::vector<double> expected;
  for (int i = kCount; i-- > 0;) {
    const double rounded = std::nearbyint(in[i]);
    expected.push_back(in[i] + rounded + static_cast<int16_t>(static_cast<int32_t>(rounded)));
  }
  const auto out = Output<double>(kCount);
  Launch("Carved", {1}, {kCount}, kCount * 14, Buffer(in), kCount, out);
  ExpectEqual(out, expected);
}

TEST_F(SharedMemoryTest, CarvedOutOfTooLittle) {
  const auto in = Zeros<double>(48);
  const Fault fault =
      LaunchToFault({.kernel = "Carved", .grid = {}, .block = {48}, .cluster = {}, .dynamic_shared_bytes = 48 * 14 - 1},
                    in, 48, Output<double>(48));
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds) << fault.ToString();
}

TEST_F(SharedMemoryTest, LosesItsSpace) {
  std::vector<float> in;
  for (const int32_t v : Random<int32_t>(64, 1, -50, 50)) in.push_back(static_cast<float>(v));
  const auto device_in = Buffer(in);
  for (const int32_t choice : {0, 1, 2}) {
    std::vector<float> from(in.begin(), in.begin() + 8);
    if (choice == 1) {
      for (int i = 0; i < 8; ++i) from[i] *= static_cast<float>(i);
    }
    std::vector<float> expected;
    for (int i = 0; i < 64; ++i) expected.push_back(std::accumulate(from.begin(), from.end(), 0.0f) + from[i % 8]);
    expected.insert(expected.end(), 64, std::array<float, 3>{1, 4, 2}[choice]);
    const auto out = Output<float>(128);
    Launch("LosesItsSpace", {1}, {64}, 0, device_in, out, choice);
    ExpectEqual(out, expected, StrCat("choice ", choice));
  }
}

TEST_F(SharedMemoryTest, Structs) {
  struct alignas(16) Cell {
    float position[4];
    char kind;
    int16_t links[3];
  };
  for (const int count : {0, 5}) {  // cells of kind 3
    std::vector<Cell> in(32);
    const std::vector<float> positions = Random<float>(4 * 32, 1, -1, 1);
    const std::vector<int16_t> links = Random<int16_t>(3 * 32, 2);
    for (int i = 0; i < 32; ++i) {
      std::copy_n(&positions[4 * i], 4, in[i].position);
      std::copy_n(&links[3 * i], 3, in[i].links);
      in[i].kind = static_cast<char>(i % 6 == 1 && i / 6 < count ? 3 : i % 3);
    }
    const auto out = Output<Cell>(32);
    Launch("Structs", {1}, {32}, 0, Buffer(in), out);
    const std::vector<Cell> actual = ReadWithHoles(out);
    for (int i = 0; i < 32; ++i) {
      const Cell& expected = in[in[i].links[count > 0 ? 1 : 2] & 31];
      for (int j = 0; j < 3; ++j) {
        EXPECT_EQ(actual[i].position[j], expected.position[j]) << i;
        EXPECT_EQ(actual[i].links[j], expected.links[j]) << i;
      }
      EXPECT_EQ(actual[i].position[3], static_cast<float>(count)) << i;
      EXPECT_EQ(actual[i].kind, expected.kind) << i;
    }
  }
}

// ---- locks.

class LocksTest : public CorpusKernels {
 protected:
  LocksTest() : CorpusKernels("locks") {}
};

TEST_F(LocksTest, RedBlack) {
  constexpr int kWidth = 50;
  constexpr int kHeight = 12;
  constexpr int kSweeps = 3;
  constexpr float kOver = 1.4f;
  std::vector<float> cells = Random<float>(kWidth * kHeight, 1, 0, 1);
  const auto device_cells = Buffer(cells);
  for (int sweep = 0; sweep < 2 * kSweeps; ++sweep) {
    for (int y = 1; y + 1 < kHeight; ++y) {
      for (int x = 1; x + 1 < kWidth; ++x) {
        if ((x + y + sweep) % 2 == 0) continue;
        float& c = cells[y * kWidth + x];
        const float mean = (cells[y * kWidth + x - 1] + cells[y * kWidth + x + 1] + cells[(y - 1) * kWidth + x] +
                            cells[(y + 1) * kWidth + x]) /
                           4;
        c += kOver * (mean - c);
      }
    }
  }
  const auto grid = Zeros<uint32_t>(2);
  Launch("RedBlack", {2}, {32}, 0, device_cells, kWidth, kHeight, kSweeps, kOver, grid);
  ExpectNear(device_cells, cells, 1e-5, 1e-6);
  ExpectEqual(grid, {0, 2 * kSweeps});
}

TEST_F(LocksTest, SpinLock) {
  const std::vector<int32_t> amounts = Random<int32_t>(20, 1, -1000000000, 1000000000);
  const int64_t sum = std::accumulate(amounts.begin(), amounts.end(), int64_t{0});
  const auto lock = Zeros<int32_t>(1);
  const auto account = Zeros<int64_t>(1);
  Launch("SpinLock", {2}, {20}, 0, lock, account, Buffer(amounts));
  ExpectEqual(account, {2 * sum});
  ExpectEqual(lock, {0});
}

TEST_F(LocksTest, ReadersWriters) {
  constexpr uint32_t kBlocks = 20;
  const auto state = Zeros<int32_t>(1);
  const auto table = Zeros<int32_t>(8);
  const auto out = Zeros<int32_t>(kBlocks);
  Launch("ReadersWriters", {kBlocks}, {32}, 0, state, table, out);
  ExpectEqual(state, {0});
  ExpectEqual(table, std::vector<int32_t>(8, 3));
  // Readers never see a half-written table.
  for (const int32_t sum : Read(out)) {
    EXPECT_EQ(sum % 8, 0);
    EXPECT_LE(sum, 24);
  }
}

TEST_F(LocksTest, QueueLock) {
  constexpr uint32_t kBlocks = 9;
  const auto tail = Zeros<uint64_t>(1);
  const auto waiters = Output<uint64_t>(2 * kBlocks);
  const auto value = Zeros<int32_t>(1);
  Launch("QueueLock", {kBlocks}, {32}, 0, tail, waiters, value);
  ExpectEqual(value, {kBlocks});
  ExpectEqual(tail, {0});
}

TEST_F(LocksTest, WorkQueue) {
  constexpr int kCount = 150;
  std::vector<int32_t> tasks(4 * kCount);
  tasks[1] = kCount;
  const auto head = Zeros<int32_t>(1);
  const auto tail = Buffer<int32_t>({1});
  const auto pending = Buffer<int32_t>({1});
  const auto leaves = Zeros<int32_t>(1);
  Launch("WorkQueue", {2}, {32}, 0, Buffer(tasks), head, tail, pending, leaves);
  ExpectEqual(leaves, {kCount});
  ExpectEqual(pending, {0});
  EXPECT_EQ(Read(head), Read(tail));
}

}  // namespace
}  // namespace ptxmir::ptx

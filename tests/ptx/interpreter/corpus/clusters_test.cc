// SPDX-License-Identifier: Apache-2.0

// sm_90a and sm_100a: clusters, bulk copies, elections, products of warp groups, tensor memory.

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "ptx/interpreter/memory/tensor_map.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

class HopperTest : public CorpusKernels {
 protected:
  HopperTest() : CorpusKernels("hopper") {}
};

TEST_F(HopperTest, ClusterHistogram) {
  constexpr uint32_t kGrid = 8;  // two clusters
  const std::vector<uint8_t> data = Random<uint8_t>(5000, 1);
  std::vector<uint32_t> expected(256);
  for (const uint8_t v : data) ++expected[v];
  const auto bins = Zeros<uint32_t>(256);
  LaunchWith({.kernel = "ClusterHistogram", .grid = {kGrid}, .block = {256}, .cluster = {4}}, Buffer(data),
             static_cast<int32_t>(data.size()), bins);
  ExpectEqual(bins, expected);
}

TEST_F(HopperTest, BulkScale) {
  const std::vector<float> in = Random<float>(2 * 512 * 4, 1, -10, 10);
  std::vector<float> expected;
  for (const float v : in) expected.push_back(v * 1.7f);
  const auto out = Output<float>(in.size());
  Launch("BulkScale", {2}, {128}, 0, Buffer(in), out, 1.7f);
  ExpectEqual(out, expected);
}

TEST_F(HopperTest, ElectAndDepend) {
  const auto out = Zeros<int32_t>(4);
  Launch("ElectAndDepend", {3}, {32}, 0, out);
  ExpectEqual(out, {1, 1, 1, 0});
}

// Two factors whose rows run along k, in tiles of 64 by 64 halves.
TEST_F(HopperTest, WarpGroupGemm) {
  constexpr uint32_t kRows = 64, kColumns = 128, kDepth = 6 * 64;
  const auto a = Random<int32_t>(kRows * kDepth, 1, -8, 8);
  const auto b = Random<int32_t>(kColumns * kDepth, 2, -8, 8);
  const auto halves = [](const std::vector<int32_t>& values) {
    std::vector<uint16_t> bits;
    for (const int32_t value : values) bits.push_back(FloatToHalf(static_cast<float>(value)));
    return bits;
  };
  const auto map_of = [&](const DeviceBuffer<uint16_t>& buffer, uint32_t rows) {
    TensorMap map;
    map.address = buffer.address;
    map.rank = 2;
    map.element_bytes = 2;
    map.swizzle_bytes = 128;
    map.sizes = {kDepth, rows, 1, 1, 1};
    map.strides = {kDepth * 2, 0, 0, 0};
    map.box = {64, 64, 1, 1, 1};
    return map.Encode();
  };
  std::vector<float> expected(kRows * kColumns);
  for (uint32_t i = 0; i < expected.size(); ++i) {
    for (uint32_t k = 0; k < kDepth; ++k) {
      expected[i] += static_cast<float>(a[i / kColumns * kDepth + k] * b[i % kColumns * kDepth + k]);
    }
  }
  const auto c = Output<float>(expected.size());
  Launch("WarpGroupGemm", {kColumns / 64, kRows / 64}, {256}, 65536, map_of(Buffer(halves(a)), kRows),
         map_of(Buffer(halves(b)), kColumns), c, int32_t{kColumns}, int32_t{kDepth / 64});
  ExpectEqual(c, expected);
}

class BlackwellTest : public CorpusKernels {
 protected:
  BlackwellTest() : CorpusKernels("blackwell") {}
};

// Bits 32 to 45 and 16 to 29: offsets in units of 16 bytes; 46: fixed; from 61: swizzling, 2 of 128 bytes.
uint64_t Descriptor(uint64_t start, uint64_t leading, uint64_t stride, uint64_t swizzle) {
  return start / 16 | leading / 16 << 16 | stride / 16 << 32 | uint64_t{1} << 46 | swizzle << 61;
}

// Stores rows of 64 halves, swizzled: 16-byte pieces of a row are permuted by the number of the row.
void PutTile(std::vector<uint8_t>* tiles, size_t start, const std::vector<float>& values, uint32_t rows) {
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t k = 0; k < 64; ++k) {
      const uint16_t bits = FloatToHalf(values[row * 64 + k]);
      const size_t at = start + row * 128 + (k / 8 ^ row % 8) * 16 + k % 8 * 2;
      std::memcpy(&(*tiles)[at], &bits, sizeof bits);
    }
  }
}

TEST_F(BlackwellTest, Product) {
  constexpr uint32_t kRows = 128, kColumns = 16, kDepth = 64;
  const auto a = Random<int32_t>(kRows * kDepth, 1, -8, 8);
  const auto b = Random<int32_t>(kColumns * kDepth, 2, -8, 8);
  std::vector<uint8_t> tiles(kRows * 128 + kColumns * 128);
  PutTile(&tiles, 0, {a.begin(), a.end()}, kRows);
  PutTile(&tiles, kRows * 128, {b.begin(), b.end()}, kColumns);
  std::vector<float> expected(kRows * kColumns / 2);
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t column = 0; column < kColumns; ++column) {
      for (uint32_t k = 0; k < kDepth; ++k) {
        expected[row * 8 + column % 8] += static_cast<float>(a[row * kDepth + k] * b[column * kDepth + k]);
      }
    }
  }
  // f16 by f16 in f32, 128 by 16.
  constexpr int32_t kShape = 1 << 4 | kColumns / 8 << 17 | kRows / 16 << 24;
  const auto out = Output<float>(kRows * kColumns / 2);
  Launch("Product", {}, {128}, 0, Descriptor(0, 16, 1024, 2), Descriptor(kRows * 128, 16, 1024, 2), kShape,
         int32_t{kDepth / 16}, out, Buffer(tiles), static_cast<int32_t>(tiles.size() / 4));
  ExpectEqual(out, expected);
}

TEST_F(BlackwellTest, CopyAndShift) {
  // Two matrices of 128 rows of 32 bytes, one after the other, each divided into pieces of eight rows and 16 bytes.
  const auto words = Random<uint32_t>(2 * 1024, 1);
  const auto word_of = [&](uint32_t row, uint32_t column) {
    return words[column / 8 * 1024 + row / 8 * 64 + column % 8 / 4 * 32 + row % 8 * 4 + column % 4];
  };
  std::vector<uint32_t> expected;
  for (uint32_t thread = 0; thread < 32; ++thread) {
    for (uint32_t reg = 0; reg < 8; ++reg) {
      const uint32_t row = thread / 4 + reg / 2 % 2 * 8;
      const uint32_t column = reg / 4 * 8 + thread % 4 * 2 + reg % 2;
      expected.push_back(word_of(column < 8 ? row : row + 1, column));
    }
  }
  const auto out = Output<uint32_t>(expected.size());
  Launch("CopyAndShift", {}, {32}, 0, Descriptor(0, 128, 256, 0), out, Buffer(words),
         static_cast<int32_t>(words.size()));
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

// Products of warp groups and copies of boxes of tensors, in running kernels.

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/interpreter/memory/tensor_map.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "tests/ptx/interpreter/ptx_kernel.h"

namespace ptxmir::ptx {
namespace {

// ---- Tensor maps.

TensorMap SmallMap() {
  TensorMap map;
  map.address = 4096;
  map.rank = 2;
  map.element_bytes = 4;
  map.sizes = {10, 6, 1, 1, 1};
  map.strides = {48, 0, 0, 0};
  map.box = {8, 2, 1, 1, 1};
  return map;
}

TEST(TensorMapTest, RoundTrip) {
  const TensorMap map = SmallMap();
  const auto decoded = TensorMap::Decode(map.Encode());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->Encode(), map.Encode());
  EXPECT_EQ(decoded->BoxBytes(), 64u);
  EXPECT_FALSE(TensorMap::Decode({}).has_value());
  TensorMap bad = map;
  bad.box[0] = 3;  // twelve bytes
  EXPECT_FALSE(TensorMap::Decode(bad.Encode()).has_value());
}

TEST(TensorMapTest, Addresses) {
  TensorMap map = SmallMap();
  EXPECT_EQ(map.ElementAddress({2, 1}, 9), 4096u + 2 * 48 + 3 * 4);
  EXPECT_EQ(map.ElementAddress({-1, 0}, 0), std::nullopt);
  EXPECT_EQ(map.ElementAddress({-1, 0}, 1), 4096u);
  EXPECT_EQ(map.ElementAddress({3, 0}, 7), std::nullopt);
  EXPECT_EQ(map.ElementAddress({0, 5}, 8), std::nullopt);
  map.element_strides[0] = 2;
  EXPECT_EQ(map.ElementAddress({1, 0}, 3), 4096u + 7 * 4);
  map.swizzle_bytes = 32;
  EXPECT_EQ(map.SharedAddress(1024, 32), 1024u + 128 + 16);
}

// ---- Copies of boxes. The map is at the beginning of the input, followed by the tensor.

std::vector<uint32_t> WithMap(TensorMap map, uint64_t in, uint32_t words) {
  map.address = in + 128;
  std::vector<uint32_t> all(32 + words);
  const TensorMap::Bytes bytes = map.Encode();
  std::memcpy(all.data(), bytes.data(), bytes.size());
  for (uint32_t i = 0; i < words; ++i) all[32 + i] = 100 + i;
  return all;
}
// Returns the address at which RunPtx puts its input. It does not depend on the contents.
uint64_t AddressOfInput(size_t words) {
  const PtxResult result = RunPtx("st.global.u64 [out], in;", {.threads = 1, .in = std::vector<uint32_t>(words)});
  return uint64_t{result[1]} << 32 | result[0];
}

constexpr std::string_view kLoadBox = R"(
    .reg .pred p, q; .reg .b32 r, mine, bar;
    add.u32 bar, shared, 4096;
    setp.ne.u32 p, tid, 0;
    @!p mbarrier.init.shared.b64 [bar], 1;
    @!p mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;
    bar.sync 0;)";

TEST(TensorCopyTest, LoadsABoxWithZerosAround) {
  const uint64_t in = AddressOfInput(32 + 90);
  const PtxResult result = RunPtx(StrCat(kLoadBox, R"(
    @!p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [shared], [in, {5, -1}], [bar];
  WAIT: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;
    @!q bra WAIT;
    mad.lo.u32 mine, tid, 4, shared;
    ld.shared.u32 r, [mine];
    st.global.u32 [pout], r;)"),
                                  {.threads = 16, .in = WithMap(SmallMap(), in, 90), .out_count = 16});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 16; ++i) {
    // The first row is above the tensor. In the second, columns 5 to 9 of row 0 are in it.
    EXPECT_EQ(result[i], i >= 8 && i < 13 ? 100 + 5 + (i - 8) : 0u) << i;
  }
}

TEST(TensorCopyTest, StoresWhatIsInTheTensor) {
  const uint64_t in = AddressOfInput(32 + 90);
  const PtxResult result = RunPtx(R"(
    .reg .b32 r, mine; .reg .b64 at;
    mad.lo.u32 mine, tid, 4, shared;
    st.shared.u32 [mine], tid;
    bar.sync 0;
    .reg .pred p; setp.ne.u32 p, tid, 0;
    @!p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [in, {8, 5}], [shared];
    @!p cp.async.bulk.commit_group;
    @!p cp.async.bulk.wait_group 0;
    bar.sync 0;
    mad.wide.u32 at, tid, 4, in;
    ld.global.u32 r, [at + 392];
    st.global.u32 [pout], r;)",
                                  {.threads = 16, .in = WithMap(SmallMap(), in, 90), .out_count = 16});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  // Row 5 begins at word 60, column 8 at byte 128 + 272. The output begins two words earlier.
  for (uint32_t i = 0; i < 6; ++i) {
    const uint32_t old = 100 + 66 + i;
    EXPECT_EQ(result[i], i == 2 ? 0u : i == 3 ? 1u : old) << i;
  }
}

TEST(TensorCopyTest, WhatIsNoMap) {
  const PtxResult result = RunPtx(StrCat(kLoadBox, R"(
    @!p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [shared], [in, {0, 0}], [bar];)"),
                                  {.threads = 16, .in = std::vector<uint32_t>(64), .out_count = 16});
  EXPECT_EQ(result.fault.kind, FaultKind::kNoTensorMap) << result.fault.ToString();
  EXPECT_NE(result.fault.message.find("no tensor map"), std::string::npos) << result.fault.ToString();
}

// ---- Products. A and B are stored without swizzling: eight lines of 16 bytes; the next 16 bytes of a line are 128
// bytes further, the next lines 256 bytes further.

int Value(uint32_t i, uint32_t seed) { return static_cast<int>((i * 2654435761u + seed * 40503u) >> 13 & 3) - 1; }

std::vector<uint32_t> Halves(uint32_t rows, uint32_t seed) {
  std::vector<uint32_t> words(rows * 8);
  for (uint32_t i = 0; i < rows * 16; ++i) {
    const uint32_t row = i / 16, byte = i % 16 * 2;
    const uint32_t at = row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
    words[at / 4] |= uint32_t{FloatToHalf(static_cast<float>(Value(i, seed)))} << (at % 4 * 8);
  }
  return words;
}

int Dot(uint32_t row, uint32_t column) {
  int sum = 0;
  for (uint32_t k = 0; k < 16; ++k) sum += Value(row * 16 + k, 1) * Value(column * 16 + k, 2);
  return sum;
}

constexpr std::string_view kFill = R"(
    .reg .b32 r<8>, i, v, at32; .reg .b64 at, a, b; .reg .pred p, q, yes, no;
    mov.u32 i, tid;
  FILL: mad.wide.u32 at, i, 4, in;
    ld.global.u32 v, [at];
    mad.lo.u32 at32, i, 4, shared;
    st.shared.u32 [at32], v;
    add.u32 i, i, 128;
    setp.lt.u32 q, i, 576;
    @q bra FILL;
    bar.sync 0;
    setp.eq.u32 yes, 0, 0; setp.ne.u32 no, 0, 0;
    cvt.u64.u32 a, shared; shr.u64 a, a, 4; or.b64 a, a, 0x0000001000080000;
    add.u64 b, a, 128;
    wgmma.fence.sync.aligned;)";

TEST(WgmmaTest, FromSharedMemory) {
  std::vector<uint32_t> in = Halves(64, 1);
  const std::vector<uint32_t> b = Halves(8, 2);
  in.insert(in.end(), b.begin(), b.end());
  const PtxResult result = RunPtx(StrCat(kFill, R"(
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r0, r1, r2, r3}, a, b, no, 1, 1, 0, 0;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r0, r1, r2, r3}, a, b, yes, -1, 1, 0, 0;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r0, r1, r2, r3}, a, b, yes, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    mad.wide.u32 at, tid, 16, out;
    st.global.v4.u32 [at], {r0, r1, r2, r3};)"),
                                  {.threads = 128, .in = in, .out_count = 512});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t thread = 0; thread < 128; ++thread) {
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + i / 2 * 8;
      const int expected = Dot(row, thread % 4 * 2 + i % 2);
      EXPECT_EQ(std::bit_cast<float>(result[thread * 4 + i]), static_cast<float>(expected)) << thread << " " << i;
    }
  }
}

TEST(WgmmaTest, FromRegistersToHalves) {
  // All elements of A are one, so D is the sum of a column of B.
  std::vector<uint32_t> in(512);
  const std::vector<uint32_t> b = Halves(8, 2);
  in.insert(in.end(), b.begin(), b.end());
  const PtxResult result = RunPtx(StrCat(kFill, R"(
    mov.u32 r4, 0x3c003c00;
    wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {r0, r1}, {r4, r4, r4, r4}, b, no, 1, 1, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    mad.wide.u32 at, tid, 8, out;
    st.global.v2.u32 [at], {r0, r1};)"),
                                  {.threads = 128, .in = in, .out_count = 256});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t thread = 0; thread < 128; ++thread) {
    for (uint32_t i = 0; i < 4; ++i) {
      int sum = 0;
      for (uint32_t k = 0; k < 16; ++k) sum += Value((thread % 4 * 2 + i % 2) * 16 + k, 2);
      EXPECT_EQ(result[thread * 2 + i / 2] >> (16 * (i % 2)) & 0xffff, FloatToHalf(static_cast<float>(sum)));
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx

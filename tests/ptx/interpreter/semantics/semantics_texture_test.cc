// SPDX-License-Identifier: Apache-2.0

// Textures and surfaces in running kernels.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/ptx/interpreter/ptx_kernel.h"

namespace ptxmir::ptx {
namespace {

// Makes 8x4 texels of four floats: 100 y + x, and then 1, 2, 3.
uint64_t MakeTexture(Device& device) {
  std::vector<float> texels;
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) texels.insert(texels.end(), {static_cast<float>(100 * y + x), 1, 2, 3});
  }
  Device::TextureDesc desc;
  desc.width = 8;
  desc.height = 4;
  return device.CreateTexture(desc, {reinterpret_cast<const uint8_t*>(texels.data()), texels.size() * sizeof(float)});
}

TEST(TextureKernelTest, FetchQueryAndGather) {
  const PtxResult result = RunPtx(R"(
    .reg .f32 x, y, r<4>, g<4>; .reg .b32 column, row, w, h;
    and.b32 column, tid, 7;
    shr.u32 row, tid, 3;
    cvt.rn.f32.u32 x, column;
    cvt.rn.f32.u32 y, row;
    tex.2d.v4.f32.f32 {r0, r1, r2, r3}, [extra, {x, y}];
    tld4.r.2d.v4.f32.f32 {g0, g1, g2, g3}, [extra, {x, y}];
    txq.width.b32 w, [extra];
    txq.height.b32 h, [extra];
    mad.wide.u32 out, tid, 16, out;
    st.global.f32 [out], r0;
    st.global.f32 [out + 4], r3;
    st.global.f32 [out + 8], g2;
    mad.lo.u32 w, w, 10, h;
    st.global.u32 [out + 12], w;)",
                                  {.out_count = 128, .extra = MakeTexture});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t x = lane % 8;
    const uint32_t y = lane / 8;
    EXPECT_EQ(std::bit_cast<float>(result[lane * 4]), static_cast<float>(100 * y + x)) << lane;
    EXPECT_EQ(std::bit_cast<float>(result[lane * 4 + 1]), 3.0f);
    // The upper right of the four texels around the corner (x, y).
    const uint32_t above = y == 0 ? 0 : y - 1;
    EXPECT_EQ(std::bit_cast<float>(result[lane * 4 + 2]), static_cast<float>(100 * above + x)) << lane;
    EXPECT_EQ(result[lane * 4 + 3], 84u);
  }
}

TEST(TextureKernelTest, IntegerCoordinatesThroughAVariable) {
  // The word at `in` holds the handle, as a .texref would.
  const PtxResult result = RunPtx(R"(
    .reg .f32 r<4>; .reg .b32 x;
    st.global.u64 [in], extra;
    add.u32 x, tid, 30;
    tex.1d.v4.f32.s32 {r0, r1, r2, r3}, [in, {tid}];
    st.global.f32 [pout], r0;)",
                                  {.threads = 10, .in = {0, 0}, .out_count = 10, .extra = MakeTexture});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(std::bit_cast<float>(result[i]), i < 8 ? static_cast<float>(i) : 0.0f) << i;
  }
}

TEST(SurfaceKernelTest, RawAndFormattedStores) {
  std::vector<float> texels(8 * 4 * 4);
  const PtxResult result =
      RunPtx(R"(
    .reg .b32 x, r, s; .reg .f32 f;
    mul.lo.u32 x, tid, 16;
    mov.b32 r, 0x40a00000;
    sust.b.2d.b32.trap [extra, {x, 1}], {r};
    mov.f32 f, 0f41200000;
    sust.p.2d.v2.b32.trap [extra, {tid, 2}], {f, r};
    suld.b.2d.b32.trap {s}, [extra, {x, 1}];
    suld.b.2d.b32.zero {r}, [extra, {x, 9}];
    st.global.u32 [pout], s;
    st.global.u32 [pout + 32], r;
    suld.b.2d.b32.clamp {r}, [extra, {1000, 1}];
    st.global.u32 [pout + 64], r;)",
             {.threads = 8, .out_count = 24, .extra = MakeTexture, .after = [&](Device& device, uint64_t handle) {
                EXPECT_TRUE(device.ReadTexture(handle, {reinterpret_cast<uint8_t*>(texels.data()), texels.size() * 4}));
              }});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (size_t x = 0; x < 8; ++x) {
    EXPECT_EQ(result[x], 0x40a00000u);
    EXPECT_EQ(result[8 + x], 0u);
    EXPECT_EQ(std::bit_cast<float>(result[16 + x]), 3.0f);
    EXPECT_EQ(texels[(8 + x) * 4], 5.0f);
    EXPECT_EQ(texels[(8 + x) * 4 + 1], 1.0f);
    EXPECT_EQ(texels[(16 + x) * 4], 10.0f);
    EXPECT_EQ(texels[(16 + x) * 4 + 1], 5.0f);
  }
}

TEST(SurfaceKernelTest, Faults) {
  const PtxLaunch one = {.threads = 1, .extra = MakeTexture};
  EXPECT_EQ(RunPtx(".reg .b32 r; suld.b.2d.b32.trap {r}, [extra, {128, 0}];", one).fault.kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(RunPtx(".reg .b32 r; suld.b.2d.b32.zero {r}, [extra, {2, 0}];", one).fault.kind, FaultKind::kMisaligned);
  for (const std::string_view no_handle : {"0x123450", "7", "out"}) {
    const std::string load = StrCat(".reg .b32 r; suld.b.2d.b32.zero {r}, [", no_handle, ", {0, 0}];");
    EXPECT_EQ(RunPtx(load, one).fault.kind, FaultKind::kNoTexture) << no_handle;
  }
}

TEST(SurfaceKernelTest, ThreadsThatStoreToOneTexelRace) {
  const PtxResult result = RunPtx("sust.b.2d.b32.trap [extra, {16, 0}], {tid};", {.threads = 2, .extra = MakeTexture});
  EXPECT_EQ(result.fault.kind, FaultKind::kDataRace);
  EXPECT_EQ(result.fault.message, "a store of 4 bytes at 0x10 of a texture races with a store by thread (0, 0, 0)");
}

TEST(SurfaceKernelTest, ThreadsThatStoreTheSameToOneTexelDoNotRace) {
  const PtxResult result =
      RunPtx(".reg .b32 r; mov.b32 r, 7; sust.b.2d.b32.trap [extra, {16, 0}], {r};", {.extra = MakeTexture});
  EXPECT_FALSE(result.fault.is_fault()) << result.fault.ToString();
}

TEST(SurfaceKernelTest, ABarrierOrdersAStoreAndALoadOfAnotherThread) {
  const auto run = [](std::string_view between) {
    return RunPtx(StrCat(".reg .b32 x, y, r; mul.lo.u32 x, tid, 4; xor.b32 y, x, 4; "
                         "sust.b.2d.b32.trap [extra, {x, 0}], {tid}; ",
                         between, " suld.b.2d.b32.trap {r}, [extra, {y, 0}]; st.global.u32 [pout], r;"),
                  {.extra = MakeTexture});
  };
  EXPECT_EQ(run("").fault.kind, FaultKind::kDataRace);
  const PtxResult ordered = run("bar.sync 0;");
  ASSERT_FALSE(ordered.fault.is_fault()) << ordered.fault.ToString();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(ordered[i], i ^ 1) << i;
}

}  // namespace
}  // namespace ptxmir::ptx

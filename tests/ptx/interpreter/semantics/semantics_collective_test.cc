// SPDX-License-Identifier: Apache-2.0

// Collectives in running kernels: groups, divergence, and absent lanes.

#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/ptx_kernel.h"

namespace ptxmir::ptx {
namespace {

std::vector<uint32_t> Iota(uint32_t count, uint32_t first = 0) {
  std::vector<uint32_t> values(count);
  for (uint32_t i = 0; i < count; ++i) values[i] = first + i;
  return values;
}

TEST(CollectiveKernelTest, ShuffleWithPredicate) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 v, r, f; .reg .pred p;
    ld.global.u32 v, [pin];
    shfl.sync.down.b32 r|p, v, 4, 31, -1;
    selp.u32 f, 1000, 0, p;
    add.u32 r, r, f;
    st.global.u32 [pout], r;)",
                                  {.in = Iota(32, 100)});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result[lane], lane < 28 ? 1100 + lane + 4 : 100 + lane) << lane;
  }
}

TEST(CollectiveKernelTest, ShuffleFromALaneOutsideTheMaskIsUndefined) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 v, r; .reg .pred p;
    ld.global.u32 v, [pin];
    mov.u32 r, 0;
    setp.lt.u32 p, tid, 16;
    @!p bra OTHERS;
    shfl.sync.idx.b32 r, v, tid, 31, 0xffff;
    bra DONE;
  OTHERS:
    shfl.sync.bfly.b32 r, v, 31, 31, 0xffff0000;
  DONE:
    st.global.u32 [pout], r;)",
                                  {.in = Iota(32, 100)});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t lane = 0; lane < 16; ++lane) EXPECT_EQ(result[lane], 100 + lane);
  // Their partners are in the lower half, which is not in the mask.
  for (uint32_t lane = 16; lane < 32; ++lane) EXPECT_EQ(result.undefined[lane], ~0u);
}

TEST(CollectiveKernelTest, VotesMatchesAndElection) {
  const PtxResult result =
      RunPtx(R"(
    .reg .b32 v, a, b, c, d, e; .reg .pred p, q;
    ld.global.u32 v, [pin];
    setp.gt.u32 p, v, 3;
    vote.sync.ballot.b32 a, p, -1;
    match.any.sync.b32 b, v, -1;
    match.all.sync.b32 c|q, v, -1;
    selp.u32 c, 1, 0, q;
    elect.sync _|q, -1;
    selp.u32 d, 1, 0, q;
    activemask.b32 e;
    mul.lo.u32 tid, tid, 16;
    mad.wide.u32 pout, tid, 1, pout;
    st.global.u32 [pout], a;
    st.global.u32 [pout + 4], b;
    st.global.u32 [pout + 8], c;
    st.global.u32 [pout + 12], d;
    st.global.u32 [pout + 16], e;)",
             {.in = {1, 5, 1, 5, 5, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
              .out_count = 32 * 5});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  EXPECT_EQ(result[0], 0x1au);
  EXPECT_EQ(result[1], 0xffffff05u);
  EXPECT_EQ(result[5 * 3 + 1], 0x1au);
  EXPECT_EQ(result[5 * 6 + 1], 0xe0u);
  EXPECT_EQ(result[2], 0u);
  EXPECT_EQ(result[3], 1u);
  EXPECT_EQ(result[5 + 3], 0u);
  EXPECT_EQ(result[4], 0xffffffffu);
}

TEST(CollectiveKernelTest, ReductionsOfDivergentHalves) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 v, r, mask; .reg .pred p;
    ld.global.u32 v, [pin];
    and.b32 mask, tid, 1;
    setp.eq.u32 p, mask, 0;
    selp.b32 mask, 0x55555555, 0xaaaaaaaa, p;
    redux.sync.add.u32 r, v, mask;
    st.global.u32 [pout], r;)",
                                  {.in = Iota(32)});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(result[lane], lane % 2 == 0 ? 240u : 256u);
}

TEST(CollectiveKernelTest, AMaskWithoutTheLaneItselfIsAFault) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 r;
    shfl.sync.idx.b32 r, tid, 0, 31, 0xfe;)",
                                  {.threads = 8});
  EXPECT_EQ(result.fault.kind, FaultKind::kDivergentBarrier);
}

TEST(CollectiveKernelTest, ANegatedPredicate) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 r; .reg .pred p;
    setp.lt.u32 p, tid, 4;
    vote.sync.ballot.b32 r, !p, -1;
    st.global.u32 [pout], r;)",
                                  {});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  EXPECT_EQ(result[0], 0xfffffff0u);
}

}  // namespace
}  // namespace ptxmir::ptx

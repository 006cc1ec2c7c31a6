// SPDX-License-Identifier: Apache-2.0

// Asynchronous copies and mbarriers in running kernels.

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

constexpr std::string_view kCopyTwo = R"(
    .reg .b32 mine, r, s;
    mad.lo.u32 mine, tid, 4, shared;
    cp.async.ca.shared.global [mine], [pin], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [mine + 256], [pin + 128], 4;
    cp.async.commit_group;)";
constexpr std::string_view kStoreTwo = R"(
    ld.shared.u32 r, [mine];
    ld.shared.u32 s, [mine + 256];
    st.global.u32 [pout], r;
    st.global.u32 [pout + 128], s;)";

PtxResult CopyTwo(const std::string& wait) {
  return RunPtx(std::string(kCopyTwo) + wait + std::string(kStoreTwo), {.in = Iota(64, 500), .out_count = 64});
}

TEST(AsyncCopyTest, ArrivesWithTheWait) {
  for (const char* wait : {"cp.async.wait_group 0;", "cp.async.wait_all;"}) {
    const PtxResult result = CopyTwo(wait);
    ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(result[i], 500 + i) << wait << i;
  }
}

TEST(AsyncCopyTest, NotBeforeTheWait) {
  const PtxResult one = CopyTwo("cp.async.wait_group 1;");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(one[i], 500 + i);
  for (uint32_t i = 32; i < 64; ++i) EXPECT_EQ(one.undefined[i], ~0u);
  const PtxResult none = CopyTwo("cp.async.wait_group 2;");
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(none.undefined[i], ~0u);
}

TEST(AsyncCopyTest, ShortSourceIsFilledWithZeros) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 mine, r; .reg .pred p;
    mad.lo.u32 mine, tid, 16, shared;
    mad.wide.u32 pin, tid, 12, pin;
    cp.async.cg.shared.global [mine], [pin], 16, 6;
    setp.eq.u32 p, tid, 0;
    cp.async.wait_all;
    bar.sync 0;
    mad.lo.u32 mine, tid, 4, shared;
    ld.shared.u32 r, [mine];
    st.global.u32 [pout], r;)",
                                  {.threads = 4, .in = Iota(16, 0x01010101), .out_count = 4});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  EXPECT_EQ(result[0], 0x01010101u);
  EXPECT_EQ(result[1], 0x0102u);
  EXPECT_EQ(result[2], 0u);
  EXPECT_EQ(result[3], 0u);
}

TEST(AsyncCopyTest, MisalignedAndOutOfBounds) {
  EXPECT_EQ(RunPtx("cp.async.ca.shared.global [shared], [in + 4], 8;", {.in = Iota(8)}).fault.kind,
            FaultKind::kMisaligned);
  EXPECT_EQ(RunPtx("cp.async.ca.shared.global [shared], [in + 32], 8;", {.in = Iota(8)}).fault.kind,
            FaultKind::kOutOfBounds);
}

// A producer warp copies data for a consumer warp, which waits at an mbarrier.
TEST(MbarrierKernelTest, TracksCopies) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 mine, r, n, lane; .reg .b64 state; .reg .pred p, q;
    setp.ne.u32 p, tid, 0;
    @p bra READY;
    mbarrier.init.shared.b64 [shared + 4096], 32;
  READY:
    bar.sync 0;
    and.b32 lane, tid, 31;
    mad.lo.u32 mine, lane, 4, shared;
    setp.lt.u32 p, tid, 32;
    @!p bra CONSUMER;
    cp.async.ca.shared.global [mine], [pin], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [shared + 4096];
    bra DONE;
  CONSUMER:
    mbarrier.try_wait.parity.shared.b64 q, [shared + 4096], 0;
    @!q bra CONSUMER;
    ld.shared.u32 r, [mine];
    mad.wide.u32 out, lane, 4, out;
    st.global.u32 [out], r;
  DONE:)",
                                  {.threads = 64, .in = Iota(64, 7)});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], 7 + i);
}

TEST(MbarrierKernelTest, BulkCopyCompletesTheTransaction) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 mine, r; .reg .pred p, q;
    setp.ne.u32 p, tid, 0;
    @p bra READY;
    mbarrier.init.shared.b64 [shared + 4096], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [shared + 4096], 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared], [in], 128, [shared + 4096];
  READY:
    bar.sync 0;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 q, [shared + 4096], 0;
    @!q bra WAIT;
    mad.lo.u32 mine, tid, 4, shared;
    ld.shared.u32 r, [mine];
    st.global.u32 [pout], r;)",
                                  {.in = Iota(32, 9)});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], 9 + i);
}

TEST(MbarrierKernelTest, ReadingBeforeTheWaitIsUndefined) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 r;
    mbarrier.init.shared.b64 [shared + 4096], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [shared + 4096], 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared], [in], 128, [shared + 4096];
    ld.shared.u32 r, [shared];
    st.global.u32 [pout], r;)",
                                  {.threads = 1, .in = Iota(32, 9), .out_count = 1});
  EXPECT_EQ(result.undefined[0], ~0u);
}

TEST(MbarrierKernelTest, BulkStoreReadsItsSourceAtTheWait) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 r;
    st.shared.v4.u32 [shared], {1, 2, 3, 4};
    cp.async.bulk.global.shared::cta.bulk_group [out], [shared], 16;
    cp.async.bulk.commit_group;
    st.shared.u32 [shared + 4], 77;
    cp.async.bulk.wait_group 0;)",
                                  {.threads = 1, .out_count = 4});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  EXPECT_EQ(result[0], 1u);
  EXPECT_EQ(result[1], 77u);
  EXPECT_EQ(result[3], 4u);
}

TEST(MbarrierKernelTest, BulkStoreWithoutAWaitHappensWhenTheThreadEnds) {
  const PtxResult result = RunPtx(R"(
    st.shared.v4.u32 [shared], {1, 2, 3, 4};
    cp.async.bulk.global.shared::cta.bulk_group [out], [shared], 16;
    cp.async.bulk.commit_group;)",
                                  {.threads = 1, .out_count = 4});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(result[i], i + 1);
}

TEST(MbarrierKernelTest, StatesAndPendingCounts) {
  const PtxResult result = RunPtx(R"(
    .reg .b64 first, second; .reg .b32 n; .reg .pred p;
    mbarrier.init.shared.b64 [shared], 2;
    mbarrier.arrive.shared.b64 first, [shared];
    mbarrier.pending_count.b64 n, first;
    st.global.u32 [out], n;
    mbarrier.test_wait.shared.b64 p, [shared], first;
    selp.u32 n, 1, 0, p;
    st.global.u32 [out + 4], n;
    mbarrier.arrive.shared.b64 second, [shared];
    mbarrier.pending_count.b64 n, second;
    st.global.u32 [out + 8], n;
    mbarrier.test_wait.shared.b64 p, [shared], first;
    selp.u32 n, 1, 0, p;
    st.global.u32 [out + 12], n;
    mbarrier.inval.shared.b64 [shared];)",
                                  {.threads = 1, .out_count = 4});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  EXPECT_EQ(result[0], 2u);
  EXPECT_EQ(result[1], 0u);
  EXPECT_EQ(result[2], 1u);
  EXPECT_EQ(result[3], 1u);
}

TEST(MbarrierKernelTest, AnArrivalWakesAWarpThatWaitsAlready) {
  // Each warp waits for the other, alternately, and neither ends in the meantime.
  const PtxResult result = RunPtx(R"(
    .reg .pred p, first, q; .reg .b32 phase, r, mine, others, i;
    setp.eq.u32 p, tid, 0;
    @p mbarrier.init.shared.b64 [shared], 32;
    @p mbarrier.init.shared.b64 [shared + 8], 32;
    bar.sync 0;
    setp.lt.u32 first, tid, 32;
    selp.u32 mine, 0, 8, first;
    add.u32 mine, mine, shared;
    xor.b32 others, mine, 8;
    mov.u32 phase, 0;
  AGAIN:
    @first mbarrier.arrive.shared.b64 _, [mine];
  WAIT:
    mbarrier.try_wait.parity.shared.b64 q, [others], phase;
    @!q bra WAIT;
    @!first mbarrier.arrive.shared.b64 _, [mine];
    xor.b32 phase, phase, 1;
    setp.ne.u32 q, phase, 0;
    @q bra AGAIN;
    st.global.u32 [pout], phase;)",
                                  {.threads = 64, .out_count = 64});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(result[i], 0u);
}

TEST(MbarrierKernelTest, AnArrivalWakesAnotherCta) {
  // The CTAs of a cluster arrive at each other's object alternately.
  const PtxResult result = RunPtx(R"(
    .reg .pred p, q; .reg .b32 phase, rank, others;
    mov.u32 rank, %cluster_ctarank;
    xor.b32 others, rank, 1;
    mapa.shared::cluster.u32 others, shared, others;
    mbarrier.init.shared.b64 [shared], 1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.ne.u32 p, rank, 0;
    mov.u32 phase, 0;
  AGAIN:
    @p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [others];
  WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 q, [shared], phase;
    @!q bra WAIT;
    @!p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [others];
    xor.b32 phase, phase, 1;
    setp.ne.u32 q, phase, 0;
    @q bra AGAIN;
    mad.wide.u32 out, rank, 4, out;
    st.global.u32 [out], phase;
    barrier.cluster.arrive;
    barrier.cluster.wait;)",
                                  {.threads = 1, .blocks = 2, .cluster = 2, .out_count = 2});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 2; ++i) EXPECT_EQ(result[i], 0u);
}

TEST(LaunchControlTest, OneBlockTakesTheWorkOfAll) {
  // Each block records which block does its work, and continues with the work of a block that has not been started.
  const PtxResult result = RunPtx(R"(
    .reg .pred q, more; .reg .b32 block, me, phase, n; .reg .b64 at; .reg .b128 response;
    mov.u32 me, %ctaid.x;
    mov.u32 block, me;
    mov.u32 phase, 0;
    mbarrier.init.shared.b64 [shared + 16], 1;
  WORK:
    mad.wide.u32 at, block, 4, out;
    add.u32 n, me, 1;
    st.global.u32 [at], n;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [shared + 16], 16;
    clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [shared], [shared + 16];
  WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 q, [shared + 16], phase;
    @!q bra WAIT;
    xor.b32 phase, phase, 1;
    ld.shared.b128 response, [shared];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 more, response;
    @!more bra DONE;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 block, response;
    bra WORK;
  DONE:)",
                                  {.threads = 1, .blocks = 5, .out_count = 5});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(result[i], 1u);
}

TEST(MbarrierKernelTest, Faults) {
  EXPECT_EQ(RunPtx(".reg .b64 s; mbarrier.arrive.shared.b64 s, [shared];", {.threads = 1}).fault.kind,
            FaultKind::kUndefinedOperand);
  EXPECT_EQ(RunPtx("mbarrier.init.shared.b64 [shared], 0;", {.threads = 1}).fault.kind, FaultKind::kTrap);
  // No thread arrives.
  EXPECT_EQ(RunPtx(R"(
    .reg .pred q;
    mbarrier.init.shared.b64 [shared], 1;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 q, [shared], 0;
    @!q bra WAIT;)",
                   {.threads = 1})
                .fault.kind,
            FaultKind::kDeadlock);
}

}  // namespace
}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

// Phases of the mbarrier object.

#include "ptx/interpreter/memory/mbarrier.h"

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

Mbarrier Init(int64_t count) {
  Mbarrier mbarrier;
  mbarrier.pending = mbarrier.expected = count;
  return mbarrier;
}

TEST(MbarrierTest, PhaseEndsWithTheLastArrival) {
  Mbarrier mbarrier = Init(3);
  EXPECT_TRUE(mbarrier.Arrive(2));
  EXPECT_FALSE(mbarrier.parity);
  EXPECT_TRUE(mbarrier.Arrive(1));
  EXPECT_TRUE(mbarrier.parity);
  EXPECT_EQ(mbarrier.pending, 3);
  EXPECT_FALSE(mbarrier.Arrive(4));
  EXPECT_EQ(mbarrier.pending, 3);
}

TEST(MbarrierTest, PhaseWaitsForBytes) {
  Mbarrier mbarrier = Init(1);
  EXPECT_TRUE(mbarrier.ExpectTransactions(64));
  EXPECT_TRUE(mbarrier.Arrive(1));
  EXPECT_FALSE(mbarrier.parity);
  EXPECT_TRUE(mbarrier.CompleteTransactions(32));
  EXPECT_FALSE(mbarrier.parity);
  EXPECT_TRUE(mbarrier.CompleteTransactions(32));
  EXPECT_TRUE(mbarrier.parity);
  EXPECT_EQ(mbarrier.pending, 1);
}

// Bytes may arrive before they are expected.
TEST(MbarrierTest, BytesBelowZero) {
  Mbarrier mbarrier = Init(1);
  EXPECT_TRUE(mbarrier.CompleteTransactions(16));
  EXPECT_EQ(mbarrier.transactions, -16);
  EXPECT_EQ(Mbarrier::Decode(mbarrier.Encode())->transactions, -16);
  EXPECT_TRUE(mbarrier.ExpectTransactions(16));
  EXPECT_FALSE(mbarrier.parity);
  EXPECT_TRUE(mbarrier.Arrive(1));
  EXPECT_TRUE(mbarrier.parity);
}

TEST(MbarrierTest, DroppingLowersTheNextPhase) {
  Mbarrier mbarrier = Init(2);
  EXPECT_TRUE(mbarrier.ArriveAndDrop(1));
  EXPECT_EQ(mbarrier.pending, 1);
  EXPECT_TRUE(mbarrier.Arrive(1));
  EXPECT_TRUE(mbarrier.parity);
  EXPECT_EQ(mbarrier.pending, 1);
  EXPECT_EQ(mbarrier.expected, 1);
}

TEST(MbarrierTest, EncodingKeepsEverything) {
  Mbarrier mbarrier = Init(Mbarrier::kMaxCount);
  mbarrier.pending = 12345;
  mbarrier.transactions = -Mbarrier::kMaxCount;
  mbarrier.parity = true;
  const auto decoded = Mbarrier::Decode(mbarrier.Encode());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->pending, mbarrier.pending);
  EXPECT_EQ(decoded->expected, mbarrier.expected);
  EXPECT_EQ(decoded->transactions, mbarrier.transactions);
  EXPECT_TRUE(decoded->parity);
  EXPECT_FALSE(Mbarrier::Decode(0).has_value());
  EXPECT_FALSE(Mbarrier::Decode(~uint64_t{0}).has_value());
}

TEST(MbarrierTest, CountsStayInRange) {
  Mbarrier mbarrier = Init(Mbarrier::kMaxCount);
  EXPECT_FALSE(mbarrier.ExpectArrivals(1));
  EXPECT_TRUE(mbarrier.ExpectTransactions(Mbarrier::kMaxCount));
  EXPECT_FALSE(mbarrier.ExpectTransactions(1));
  EXPECT_FALSE(mbarrier.CompleteTransactions(2 * Mbarrier::kMaxCount + 1));
}

}  // namespace
}  // namespace ptxmir::ptx

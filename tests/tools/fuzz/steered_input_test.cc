// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/steered_input.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "gtest/gtest.h"
#include "mir/text/mir_writer.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::fuzz {
namespace {

const OpcodeCatalog& Catalog() {
  static const OpcodeCatalog* catalog = new OpcodeCatalog(ptx::PtxTargetInfo());
  return *catalog;
}

std::string TextOf(const std::vector<uint8_t>& bytes) {
  std::string text;
  WriteMir(*SteeredInput(bytes).Generate(Catalog()), {}, text);
  return text;
}

std::vector<uint8_t> RandomBytes(uint64_t seed, size_t count) {
  SplitMix64 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Next());
  return bytes;
}

TEST(FuzzRandomTest, ReadsDecisionsFromBytesAndIsRandomAfterThem) {
  const uint8_t data[] = {7, 1, 2, 0xff};
  FuzzBytes bytes(data);
  FuzzRandom steered(1, &bytes);
  EXPECT_EQ(steered.Below(0), 0u);
  EXPECT_EQ(steered.Below(5), 2u);
  EXPECT_EQ(steered.Below(1000), 0x102u);
  EXPECT_FALSE(steered.Percent(50));
  FuzzRandom random(1);
  EXPECT_EQ(steered.Next(), random.Next());
}

TEST(SteeredInputTest, FollowsFromItsBytes) {
  const std::vector<uint8_t> bytes = RandomBytes(1, 600);
  EXPECT_EQ(TextOf(bytes), TextOf(bytes));
  EXPECT_EQ(SteeredInput(bytes).Pipeline().ToString(), SteeredInput(bytes).Pipeline().ToString());
  std::vector<uint8_t> others = bytes;
  others.back() ^= 0x55;
  EXPECT_EQ(SteeredInput(bytes).Pipeline().ToString(), SteeredInput(others).Pipeline().ToString());
}

TEST(SteeredInputTest, FindsNothingWhateverTheBytesAre) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<uint8_t> bytes = RandomBytes(seed, seed * 20);
    EXPECT_EQ(SteeredInput(bytes).Check(Catalog()), "") << "seed " << seed;
  }
  EXPECT_EQ(SteeredInput(std::vector<uint8_t>(2000)).Check(Catalog()), "");
  EXPECT_EQ(SteeredInput(std::vector<uint8_t>(2000, 0xff)).Check(Catalog()), "");
}

}  // namespace
}  // namespace ptxmir::fuzz

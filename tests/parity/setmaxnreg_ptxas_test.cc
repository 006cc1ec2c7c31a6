// SPDX-License-Identifier: Apache-2.0

// ptxas compiles what follows a setmaxnreg into as many registers as ReconfiguredRegisters says: it spills there what
// exceeds them, and only if the count at the entry is given.

#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/parity/external_tools.h"
#include "tests/parity/live_loop.h"

namespace ptxmir {
namespace {

// Returns a loop through which as many values are live. `number` keeps its names apart.
std::string Loop(int number, int values) {
  const std::string reg = StrCat("%r", number, "_");
  return StrCat("{\n.reg .b32 ", reg, "<", values, ">;\n", testing::LiveLoop(reg, StrCat("L", number), values), "}\n");
}

// Returns true if ptxas spills in a kernel with this body.
bool Spills(const std::string& directives, const std::string& body) {
  const std::string path = testing::TemporaryPath("setmaxnreg.ptx");
  testing::WriteFile(
      path, StrCat(".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n", directives,
                   "\n{\n.reg .b64 %rd<2>;\n.reg .b32 %t;\n.reg .pred %p<3>;\n",
                   "ld.param.u64 %rd1, [p];\nmov.u32 %t, %tid.x;\nsetp.lt.u32 %p2, %t, 128;\n", body, "ret;\n}\n"));
  std::string output;
  EXPECT_TRUE(testing::RunCommand({testing::FindPtxas(), "-v", "-arch=sm_90a", path, "-o", "/dev/null"}, output))
      << output;
  EXPECT_NE(output.find("bytes spill stores"), output.npos) << output;
  return output.find(" 0 bytes spill stores") == output.npos;
}

constexpr const char* kGiven = ".maxntid 384\n.minnctapersm 1";
constexpr const char* kDec = "setmaxnreg.dec.sync.aligned.u32 40;\n";
constexpr const char* kInc = "setmaxnreg.inc.sync.aligned.u32 232;\n";
// More than 40 registers, and fewer than 168.
constexpr int kMany = 80;
// More than 168 registers, and fewer than 232.
constexpr int kMost = 190;

class SetmaxnregPtxasTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::FindPtxas().empty()) GTEST_SKIP() << "ptxas is not installed";
  }
};

TEST_F(SetmaxnregPtxasTest, WhatFollowsHasTheCount) {
  EXPECT_FALSE(Spills(kGiven, Loop(0, kMany)));
  EXPECT_TRUE(Spills(kGiven, kDec + Loop(0, kMany)));
  EXPECT_FALSE(Spills(kGiven, Loop(0, kMany) + kDec));
  EXPECT_TRUE(Spills(kGiven, Loop(0, kMost)));
  EXPECT_FALSE(Spills(kGiven, kInc + Loop(0, kMost)));
}

TEST_F(SetmaxnregPtxasTest, TheLowestCountHoldsWherePathsMeet) {
  const std::string branches = StrCat("@%p2 bra DEC;\n", kInc, "bra JOIN;\nDEC:\n", kDec, "JOIN:\n");
  EXPECT_TRUE(Spills(kGiven, branches + Loop(0, kMany)));
  EXPECT_TRUE(Spills(kGiven, StrCat("@!%p2 bra JOIN;\n", kDec, "JOIN:\n") + Loop(0, kMany)));
  EXPECT_FALSE(Spills(kGiven, StrCat("@%p2 bra DEC;\n", kInc, Loop(0, kMost), "bra JOIN;\nDEC:\n", kDec, "JOIN:\n")));
}

TEST_F(SetmaxnregPtxasTest, TheCountAtTheEntryMustBeGiven) {
  EXPECT_TRUE(Spills(".maxnreg 168", kDec + Loop(0, kMany)));
  EXPECT_FALSE(Spills("", kDec + Loop(0, kMany)));
  EXPECT_FALSE(Spills(".maxntid 384", kDec + Loop(0, kMany)));
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/subtarget.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/parity/external_tools.h"

namespace ptxmir::ptx {
namespace {

std::string Version(std::string_view cpu, std::string_view features) {
  absl::StatusOr<Subtarget> subtarget = Subtarget::Create(cpu, features);
  if (!subtarget.ok()) return std::string(subtarget.status().message());
  return StrCat(subtarget->sm().name, " ", subtarget->ptx_version_text());
}

TEST(SubtargetTest, VersionsAsLlcChoosesThem) {
  EXPECT_EQ(Version("", ""), "sm_30 3.2");
  EXPECT_EQ(Version("sm_80", ""), "sm_80 7.0");
  EXPECT_EQ(Version("sm_80", "+ptx73"), "sm_80 7.3");
  EXPECT_EQ(Version("sm_80", "+ptx83,+sm_80"), "sm_80 8.3");
  EXPECT_EQ(Version("sm_70", "+ptx83,+ptx70"), "sm_70 8.3");
  EXPECT_EQ(Version("sm_80", "-ptx70"), "sm_80 7.0");
  EXPECT_EQ(Version("", "+ptx70,-ptx70"), "sm_30 3.2");
  EXPECT_EQ(Version("sm_80", "+sm_90"), "sm_80 7.8");
  EXPECT_EQ(Version("sm_100f", "+ptx88"), "sm_100f 8.8");
}

TEST(SubtargetTest, Errors) {
  EXPECT_EQ(Version("sm_81", ""), "unknown target 'sm_81'; did you mean 'sm_21'?");
  EXPECT_EQ(Version("sm_80", "+ptx833"), "unknown feature 'ptx833'; did you mean 'ptx83'?");
  EXPECT_EQ(Version("sm_80", "+"), "unknown feature ''");
  EXPECT_EQ(Version("sm_90a", "+ptx78"),
            "PTX version 7.8 does not support target 'sm_90a'; minimum required PTX version is 8.0");
}

TEST(SubtargetTest, AgreesWithLlcForEverySm) {
  if (testing::FindLlc().empty()) GTEST_SKIP() << "llc-22 is not on PATH";
  const char* tmp = std::getenv("TEST_TMPDIR");
  const std::string base = StrCat(tmp == nullptr ? "/tmp" : tmp, "/subtarget");
  std::ofstream(base + ".ll") << "define void @f() { ret void }\n";
  for (const SmInfo& sm : AllSms()) {
    ASSERT_EQ(
        std::system(StrCat("llc-22 -mtriple=nvptx64 -mcpu=", sm.name, " ", base, ".ll -o ", base, ".ptx").c_str()), 0);
    std::ifstream in(base + ".ptx");
    std::string version, target;
    for (std::string line; std::getline(in, line);) {
      if (line.rfind(".version ", 0) == 0) version = line.substr(9);
      if (line.rfind(".target ", 0) == 0) target = line.substr(8);
    }
    EXPECT_EQ(Version(sm.name, ""), StrCat(target, " ", version));
  }
}

TEST(SmLimitsTest, OccupancyByRegisters) {
  const SmLimits& limits = FindSm("sm_80")->limits;
  EXPECT_EQ(limits.RoundUpRegisters(70), 72u);
  EXPECT_EQ(limits.WarpsForRegisters(32), 64u);
  EXPECT_EQ(limits.WarpsForRegisters(64), 32u);
  EXPECT_EQ(limits.WarpsForRegisters(72), 28u);
  EXPECT_EQ(limits.WarpsForRegisters(255), 8u);
  EXPECT_EQ(limits.RegistersForWarps(64), 32u);
  EXPECT_EQ(limits.RegistersForWarps(32), 64u);
  EXPECT_EQ(limits.RegistersForWarps(28), 72u);
  EXPECT_EQ(limits.RegistersForWarps(8), 255u);
  EXPECT_EQ(limits.RegistersForWarps(1), 255u);
}

// The two functions are inverse to each other.
TEST(SmLimitsTest, LimitsAgree) {
  for (const SmInfo& sm : AllSms()) {
    for (unsigned warps = 1; warps <= sm.limits.max_warps; ++warps) {
      EXPECT_GE(sm.limits.WarpsForRegisters(sm.limits.RegistersForWarps(warps)), warps) << sm.name;
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx

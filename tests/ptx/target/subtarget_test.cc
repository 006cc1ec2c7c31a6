// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/subtarget.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"
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
  const std::string unknown = Version("sm_81", "");
  EXPECT_EQ(unknown.substr(0, unknown.find(", sm_30")),
            "unknown target 'sm_81'; did you mean 'sm_80'?\nknown targets: sm_20, sm_21");
  for (const SmInfo& sm : AllSms()) EXPECT_NE(unknown.find(sm.name), std::string::npos) << sm.name;
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

bool Supports(std::string_view cpu, std::string_view features, Opcode opcode) {
  return Subtarget::Create(cpu, features)->Supports(opcode);
}

std::string WhyUnsupported(std::string_view cpu, std::string_view features, Opcode opcode) {
  const Subtarget subtarget = *Subtarget::Create(cpu, features);
  EXPECT_FALSE(subtarget.Supports(opcode));
  return subtarget.WhyUnsupported(opcode);
}

TEST(SubtargetTest, InstructionsOfSmsAndVersions) {
  EXPECT_TRUE(Supports("sm_20", "", op::ADD32rr));
  EXPECT_TRUE(Supports("sm_90", "+ptx80", op::ADD16x2));
  EXPECT_TRUE(Supports("sm_100", "", op::ADD16x2));
  EXPECT_EQ(WhyUnsupported("sm_90", "", op::ADD16x2), "needs sm_90 and PTX 8.0; the target is sm_90 with PTX 7.8");
  EXPECT_EQ(WhyUnsupported("sm_89", "+ptx80", op::ADD16x2),
            "needs sm_90 and PTX 8.0; the target is sm_89 with PTX 8.0");
  EXPECT_EQ(WhyUnsupported("sm_20", "", op::BARRIER_CTA_SYNC_ALL_r), "needs PTX 6.0; the target is sm_20 with PTX 3.2");
  EXPECT_EQ(WhyUnsupported("sm_50", "", op::INT_PTX_ATOM_ADD_F64_Gr), "needs sm_60; the target is sm_50 with PTX 4.0");
}

TEST(SubtargetTest, RemovedInstructions) {
  EXPECT_TRUE(Supports("sm_30", "", op::SHFL_UP_I32_rrr));
  EXPECT_TRUE(Supports("sm_70", "+ptx63", op::SHFL_UP_I32_rrr));
  EXPECT_TRUE(Supports("sm_61", "+ptx80", op::SHFL_UP_I32_rrr));
  EXPECT_EQ(WhyUnsupported("sm_70", "+ptx64", op::SHFL_UP_I32_rrr),
            "does not exist from sm_70 and PTX 6.4 on; the target is sm_70 with PTX 6.4");
}

TEST(SubtargetTest, InstructionsOfVariants) {
  EXPECT_TRUE(Supports("sm_90a", "", op::WGMMA_FENCE_SYNC_ALIGNED));
  EXPECT_FALSE(Supports("sm_100a", "", op::WGMMA_FENCE_SYNC_ALIGNED));
  EXPECT_EQ(WhyUnsupported("sm_90", "+ptx80", op::WGMMA_FENCE_SYNC_ALIGNED),
            "needs sm_90a with PTX 8.0; the target is sm_90 with PTX 8.0");

  const Opcode alloc = op::TCGEN05_ALLOC_CG1;
  EXPECT_TRUE(Supports("sm_100a", "", alloc));
  EXPECT_TRUE(Supports("sm_100f", "", alloc));
  EXPECT_FALSE(Supports("sm_100", "+ptx90", alloc));
  // A later member of the family, in PTX 8.8 and later.
  EXPECT_TRUE(Supports("sm_103a", "", alloc));
  EXPECT_TRUE(Supports("sm_103f", "", alloc));
  EXPECT_FALSE(Supports("sm_120a", "+ptx90", alloc));
  // sm_101 is called sm_110 in PTX 9.0.
  EXPECT_TRUE(Supports("sm_101a", "+ptx88", alloc));
  EXPECT_FALSE(Supports("sm_101a", "+ptx90", alloc));
  EXPECT_TRUE(Supports("sm_110f", "", alloc));
  EXPECT_EQ(WhyUnsupported("sm_100", "", alloc),
            "needs sm_100a or sm_101a with PTX 8.6, or sm_100f or sm_101f with PTX 8.8, or sm_110f with PTX 9.0; the "
            "target is sm_100 with PTX 8.6");
  // Only variants a, and not of later SMs.
  EXPECT_FALSE(Supports("sm_100a", "", op::CVT_bf16x2_f32_rs));
  EXPECT_TRUE(Supports("sm_100a", "+ptx87", op::CVT_bf16x2_f32_rs));
  EXPECT_FALSE(Supports("sm_100f", "", op::CVT_bf16x2_f32_rs));
}

// The conditions name SMs and PTX versions that exist, so every instruction exists somewhere.
TEST(SubtargetTest, ValuesOfOperandsNeedMore) {
  const auto why = [](std::string_view cpu, std::string_view features, Opcode opcode, unsigned operand, int64_t value) {
    return Subtarget::Create(cpu, features)->WhyUnsupported(opcode, operand, value);
  };
  // %0 = LD_i32 order, scope, space, sign, width ...
  EXPECT_EQ(why("sm_80", "", op::LD_i32, 2, 2),
            "with .cluster needs sm_90 and PTX 7.8; the target is sm_80 with PTX 7.0");
  EXPECT_EQ(why("sm_80", "", op::LD_i32, 2, 3), "");
  EXPECT_EQ(why("sm_90", "", op::LD_i32, 2, 2), "");
  EXPECT_EQ(why("sm_80", "", op::LD_i32, 3, 7),
            "with .shared::cluster needs sm_90 and PTX 7.8; the target is sm_80 with PTX 7.0");
  EXPECT_EQ(why("sm_60", "", op::LD_i32, 1, 4),
            "with .acquire needs sm_70 and PTX 6.0; the target is sm_60 with PTX 5.0");
  EXPECT_EQ(why("sm_70", "", op::LD_i32, 1, 4), "");
  EXPECT_EQ(why("sm_70", "", op::LD_i32, 1, 9),
            "with .mmio.relaxed needs sm_70 and PTX 8.2; the target is sm_70 with PTX 6.0");
  // The sign is not one of the limited operands, and an opcode without any has no such values.
  EXPECT_EQ(why("sm_60", "", op::LD_i32, 4, 2), "");
  EXPECT_EQ(why("sm_60", "", op::ADD32ri, 2, 2), "");
  // relu is a bit of the mode, which conversions to integers do not print.
  EXPECT_EQ(why("sm_75", "", op::CVT_f16_f32, 2, 69),
            "with .relu needs sm_80 and PTX 7.0; the target is sm_75 with PTX 6.3");
  EXPECT_EQ(why("sm_75", "", op::CVT_f16_f32, 2, 5), "");
}

TEST(SubtargetTest, EveryInstructionExistsSomewhere) {
  std::vector<bool> exists(kNumOpcodes);
  for (const SmInfo& sm : AllSms()) {
    for (std::string_view features : {"", "+ptx88", "+ptx90"}) {
      const absl::StatusOr<Subtarget> subtarget = Subtarget::Create(sm.name, features);
      if (!subtarget.ok()) continue;
      for (int i = 0; i < kNumOpcodes; ++i) exists[i] = exists[i] || subtarget->Supports(static_cast<Opcode>(i));
    }
  }
  for (int i = 0; i < kNumOpcodes; ++i) EXPECT_TRUE(exists[i]) << PtxTargetInfo().StableName(static_cast<Opcode>(i));
}

TEST(SmLimitsTest, OccupancyByRegisters) {
  const SmLimits& limits = FindSm("sm_80")->limits;
  EXPECT_EQ(limits.RoundUpRegisters(70), 72u);
  EXPECT_EQ(limits.RegistersForWarps(64), 32u);
  EXPECT_EQ(limits.RegistersForWarps(32), 64u);
  EXPECT_EQ(limits.RegistersForWarps(28), 72u);
  EXPECT_EQ(limits.RegistersForWarps(8), 255u);
  EXPECT_EQ(limits.RegistersForWarps(1), 255u);
}

TEST(SmLimitsTest, WarpsFitWithTheirRegisters) {
  for (const SmInfo& sm : AllSms()) {
    const SmLimits& limits = sm.limits;
    for (unsigned warps = 1; warps <= limits.max_warps; ++warps) {
      const unsigned warp_registers = 32 * limits.RoundUpRegisters(limits.RegistersForWarps(warps));
      EXPECT_GE(limits.registers / limits.partitions / warp_registers * limits.partitions, warps) << sm.name;
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx

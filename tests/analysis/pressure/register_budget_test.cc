// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/register_budget.h"

#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using Origin = RegisterBudget::Origin;

Knobs WithKnobs(std::initializer_list<std::string_view> flags) {
  Knobs knobs;
  for (const std::string_view flag : flags) {
    const absl::StatusOr<bool> parsed = knobs.ParseFlag(flag);
    EXPECT_TRUE(parsed.ok() && *parsed) << flag;
  }
  return knobs;
}

RegisterBudget Budget(const NvvmFunctionInfo& info, std::initializer_list<std::string_view> flags = {},
                      std::string_view sm = "sm_80") {
  return ComputeRegisterBudget(info, WithKnobs(flags), *ptx::FindSm(sm));
}

NvvmFunctionInfo Kernel() {
  NvvmFunctionInfo info;
  info.is_kernel = true;
  return info;
}

NvvmFunctionInfo Bounds(std::vector<uint32_t> max_ntid, uint32_t min_ctas) {
  NvvmFunctionInfo info = Kernel();
  info.max_ntid = std::move(max_ntid);
  if (min_ctas > 0) info.min_cta_per_sm = min_ctas;
  return info;
}

TEST(RegisterBudgetTest, WithoutAnyLimit) {
  const RegisterBudget budget = Budget(Kernel());
  EXPECT_EQ(budget.text, "72 registers: default of 70 on sm_80, soft");
  EXPECT_EQ(budget.registers, 72u);
  EXPECT_EQ(budget.allocated, 72u);
  EXPECT_EQ(budget.predicates, 7u);
  EXPECT_FALSE(budget.is_hard);
  EXPECT_EQ(budget.limit, 255u);
  EXPECT_EQ(budget.origin, Origin::kDefault);
  EXPECT_EQ(budget.cta_threads, 0u);
  EXPECT_EQ(Budget(Kernel(), {"nv-remat-default-max-reg=250"}).registers, 255u);
}

TEST(RegisterBudgetTest, FullOccupancy) {
  EXPECT_EQ(Budget(Kernel(), {}, "sm_75").full, 64u);  // 32 warps share 65,536 registers
  EXPECT_EQ(Budget(Kernel(), {}, "sm_80").full, 32u);  // 64 warps
  EXPECT_EQ(Budget(Kernel(), {}, "sm_86").full, 40u);  // 48 warps
  EXPECT_EQ(Budget(Kernel(), {}, "sm_90").full, 32u);
}

TEST(RegisterBudgetTest, FullOccupancyWithCtasOfAKnownSize) {
  const auto full = [](uint32_t threads) {
    NvvmFunctionInfo info = Kernel();
    info.max_ntid = {threads};
    return Budget(info).full;
  };
  EXPECT_EQ(full(256), 32u);
  EXPECT_EQ(full(1024), 32u);
  EXPECT_EQ(full(768), 40u);  // two CTAs with 48 warps
  EXPECT_EQ(full(32), 64u);   // an SM holds 32 CTAs
}

TEST(RegisterBudgetTest, GivenByNumber) {
  NvvmFunctionInfo info = Kernel();
  info.max_nreg = 70;
  RegisterBudget budget = Budget(info);
  EXPECT_EQ(budget.text, "70 registers: .maxnreg 70; sm_80 sets 72 aside");
  EXPECT_EQ(budget.registers, 70u);
  EXPECT_EQ(budget.allocated, 72u);
  EXPECT_TRUE(budget.is_hard);
  EXPECT_EQ(budget.origin, Origin::kMaxNReg);
  budget = Budget(info, {"maxreg=48"});
  EXPECT_EQ(budget.text, "48 registers: -maxreg 48");
  EXPECT_EQ(budget.origin, Origin::kMaxReg);
  EXPECT_EQ(Budget(info, {"maxreg=8"}).text, "24 registers: -maxreg 8; ptxas takes no fewer than 24");
}

TEST(RegisterBudgetTest, ByOccupancy) {
  RegisterBudget budget = Budget(Bounds({256}, 4));
  EXPECT_EQ(budget.text, "64 registers: .maxntid 256 with .minnctapersm 4 on sm_80");
  EXPECT_TRUE(budget.is_hard);
  EXPECT_EQ(budget.origin, Origin::kMinCtas);
  EXPECT_EQ(budget.cta_threads, 256u);
  EXPECT_EQ(Budget(Bounds({16, 16}, 3)).text, "80 registers: .maxntid 16x16 with .minnctapersm 3 on sm_80");
  NvvmFunctionInfo required = Bounds({1024}, 2);
  required.req_ntid = {384};
  EXPECT_EQ(Budget(required).text, "80 registers: .reqntid 384 with .minnctapersm 2 on sm_80");
  EXPECT_EQ(Budget(Bounds({1024}, 0)).text, "64 registers: .maxntid 1024 on sm_80");
  EXPECT_EQ(Budget(Bounds({1024}, 0)).origin, Origin::kCtaSize);
  EXPECT_EQ(Budget(Bounds({512}, 0)).text, "72 registers: default of 70 on sm_80, soft");
  EXPECT_EQ(Budget(Bounds({512}, 0)).limit, 128u);
}

TEST(RegisterBudgetTest, TheStricterOfTwo) {
  NvvmFunctionInfo info = Bounds({256}, 4);
  info.max_nreg = 80;
  EXPECT_EQ(Budget(info).text,
            "64 registers: .maxntid 256 with .minnctapersm 4 on sm_80, which is less than .maxnreg 80");
  info.max_nreg = 40;
  EXPECT_EQ(Budget(info).text, "40 registers: .maxnreg 40");
  EXPECT_EQ(Budget(info, {"maxreg=96"}).registers, 64u);
}

TEST(RegisterBudgetTest, WhatPtxasIgnores) {
  EXPECT_EQ(Budget(Bounds({}, 4)).text,
            "72 registers: default of 70 on sm_80, soft; .minnctapersm 4 without .maxntid or .reqntid is ignored");
  EXPECT_EQ(Budget(Bounds({256}, 16)).text,
            "72 registers: default of 70 on sm_80, soft; sm_80 cannot hold 16 CTAs of .maxntid 256: .minnctapersm is "
            "ignored");
}

// The registers that ptxas 13.0 gave a kernel that could use 254, by -arch and directives.
TEST(RegisterBudgetTest, AsPtxasEnforces) {
  for (const std::string_view sm :
       {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120"}) {
    EXPECT_EQ(Budget(Bounds({256}, 4), {}, sm).registers, 64u) << sm;
    EXPECT_EQ(Budget(Bounds({192}, 5), {}, sm).registers, 64u) << sm;
    EXPECT_EQ(Budget(Bounds({1024}, 1), {}, sm).registers, 64u) << sm;
    EXPECT_EQ(Budget(Bounds({64}, 14), {}, sm).registers, 72u) << sm;
  }
  EXPECT_EQ(Budget(Bounds({96}, 7)).registers, 80u);
  EXPECT_EQ(Budget(Bounds({160}, 5)).registers, 72u);
  EXPECT_EQ(Budget(Bounds({32}, 32)).registers, 64u);
  EXPECT_EQ(Budget(Bounds({2048}, 0)).registers, 32u);
}

TEST(RegisterBudgetTest, Adjustments) {
  const RegisterBudget budget = Budget(Bounds({256}, 4), {"reg-target-adjust=-3", "pred-target-adjust=-2"});
  EXPECT_EQ(budget.text,
            "61 registers: .maxntid 256 with .minnctapersm 4 on sm_80; adjusted by -3; sm_80 sets 64 aside");
  EXPECT_EQ(budget.limit, 64u);
  EXPECT_EQ(budget.predicates, 5u);
  EXPECT_EQ(Budget(Kernel(), {"pred-target-adjust=-10"}).predicates, 1u);
}

TEST(RegisterBudgetTest, OfAFunctionInAModule) {
  const auto module = testing::ReadModule(R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define ptx_kernel void @k() #0 { ret void }
  define void @f() #0 { ret void }
  attributes #0 = { "nvvm.maxntid"="128" "nvvm.minctasm"="8" }
...
---
name: k
body: |
  bb.0:
    Return
...
---
name: f
body: |
  bb.0:
    Return
...
)");
  const ptx::SmInfo& sm = *ptx::FindSm("sm_90");
  EXPECT_EQ(ComputeRegisterBudget(*module->machine_functions()[0], Knobs(), sm).text,
            "64 registers: .maxntid 128 with .minnctapersm 8 on sm_90");
  EXPECT_EQ(ComputeRegisterBudget(*module->machine_functions()[1], Knobs(), sm).text,
            "72 registers: default of 70 on sm_90, soft");
  EXPECT_EQ(
      ComputeRegisterBudget(testing::OnlyFunction(*testing::ReadBody("  bb.0:\n    Return\n")), Knobs(), sm).origin,
      Origin::kDefault);
}

}  // namespace
}  // namespace ptxmir

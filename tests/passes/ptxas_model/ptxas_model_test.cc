// SPDX-License-Identifier: Apache-2.0

#include "passes/ptxas_model/ptxas_model.h"

#include <memory>
#include <string>

#include "analysis/analysis_manager.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "options/knobs.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

// Returns a kernel that loads `count` values and stores them after a barrier, which ptxas moves no access across.
std::unique_ptr<Module> KernelWithLoads(int count, const std::string& attributes = "") {
  std::string text = StrCat("--- |\n  target triple = \"nvptx64-nvidia-cuda\"\n  define ptx_kernel void @k(ptr %p) ",
                            attributes, " { ret void }\n...\n---\nname: k\nbody: |\n  bb.0:\n",
                            "    %0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (load (s64), addrspace 101)\n");
  for (int i = 1; i <= count; ++i) {
    StrAppend(&text, "    %", i, ":b32 = LD_i32 0, 0, 1, 3, 32, -1, %0, ", 4 * i, " :: (load (s32), addrspace 1)\n");
  }
  StrAppend(&text, "    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0\n");
  for (int i = 1; i <= count; ++i) {
    StrAppend(&text, "    ST_i32 %", i, ", 0, 0, 1, 32, %0, ", 4 * (i * 7 % (count + 1)),
              " :: (store (s32), addrspace 1)\n");
  }
  return testing::ReadModule(text + "    Return\n...\n");
}

PtxasFeatures FeaturesOf(const Module& module) {
  static const Knobs kKnobs;
  AnalysisInputs inputs;
  inputs.knobs = &kKnobs;
  MachineFunction& function = testing::OnlyFunction(module);
  AnalysisManager analyses(function, inputs);
  return ComputePtxasFeatures(function, analyses);
}

TEST(FixedLog2Test, IsExactAtPowersOfTwoAndLinearBetween) {
  EXPECT_EQ(FixedLog2(0), 0);
  EXPECT_EQ(FixedLog2(1), 0);
  EXPECT_EQ(FixedLog2(2), 256);
  EXPECT_EQ(FixedLog2(3), 256 + 128);
  EXPECT_EQ(FixedLog2(1024 + 256), 10 * 256 + 64);
  EXPECT_EQ(FixedLog2(~uint64_t{0}), 64 * 256 - 1);
}

TEST(PtxasFeaturesTest, CountsWhatIsLiveInEachOrder) {
  const PtxasFeatures features = FeaturesOf(*KernelWithLoads(20));
  // The address is a parameter, which takes no register.
  EXPECT_EQ(features[PtxasFeature::kPeak], 20);
  EXPECT_EQ(features[PtxasFeature::kPeakFree], 2);
  EXPECT_EQ(features[PtxasFeature::kPeakAll], 22);
  EXPECT_EQ(features[PtxasFeature::kLoads], 20);
  EXPECT_EQ(features[PtxasFeature::kStores], 20);
  EXPECT_EQ(features[PtxasFeature::kParameters], 1);
  EXPECT_EQ(features[PtxasFeature::kLimit], 255);
}

TEST(PtxasModelTest, ExpectsMoreRegistersWhereMoreIsLive) {
  const uint32_t few = PredictRegisters(FeaturesOf(*KernelWithLoads(8)));
  const uint32_t many = PredictRegisters(FeaturesOf(*KernelWithLoads(100)));
  EXPECT_LT(few, 32u);
  EXPECT_GT(many, 72u);
}

TEST(PtxasModelTest, ExpectsNoMoreThanTheLimit) {
  EXPECT_EQ(PredictRegisters(FeaturesOf(*KernelWithLoads(100, "\"nvvm.maxnreg\"=\"40\""))), 40u);
}

TEST(PtxasModelTest, ExpectsNoChangeWhereNothingChanges) {
  const PtxasFeatures features = FeaturesOf(*KernelWithLoads(60));
  EXPECT_EQ(PredictChange(features, features), 0);
}

TEST(PtxasModelTest, ExpectsAChangeInTheDirectionOfWhatIsLive) {
  const PtxasFeatures few = FeaturesOf(*KernelWithLoads(60));
  const PtxasFeatures many = FeaturesOf(*KernelWithLoads(90));
  EXPECT_GT(PredictChange(few, many), 0);
  EXPECT_LT(PredictChange(many, few), 0);
}

TEST(PtxasModelTest, WorkThatRisesTwiceAsMuchAsRegistersFallIsNoGain) {
  const PtxasFeatures many = FeaturesOf(*KernelWithLoads(90));
  PtxasFeatures few = FeaturesOf(*KernelWithLoads(60));
  few[PtxasFeature::kWork] = many[PtxasFeature::kWork];
  EXPECT_GT(PredictGain(many, few), 0);
  EXPECT_EQ(PredictGain(few, many), 0);
  EXPECT_EQ(PredictGain(many, many), 0);
  few[PtxasFeature::kWork] += 2 * 256;  // four times as many instructions
  EXPECT_EQ(PredictGain(many, few), 0);
}

}  // namespace
}  // namespace ptxmir

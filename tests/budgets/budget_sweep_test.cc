// SPDX-License-Identifier: Apache-2.0

// A sample of the sweep over all budgets (check_budgets): some budgets, kernels and launches.

#include "tests/budgets/budget_sweep.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/corpus.h"
#include "tests/support/sanitized.h"

namespace ptxmir::testing {
namespace {

// Returns the settings whose name is `name` or begins with "name-".
std::vector<SweepSetting> SettingsOf(std::string_view name) {
  std::vector<SweepSetting> settings;
  for (const SweepSetting& setting : SweepSettings()) {
    if (setting.name == name || setting.name.starts_with(StrCat(name, "-"))) settings.push_back(setting);
  }
  return settings;
}

// Returns the files; under sanitizers, every sixteenth.
std::vector<std::string> SomeFiles() { return Sampled(CorpusMirFiles(), CaseStride(16)); }

SweepCounts ExpectNoFindings(const SweepOptions& options) {
  const SweepResult result = SweepBudgets(SomeFiles(), options);
  for (const SweepFinding& finding : result.findings) ADD_FAILURE() << finding.ToString().substr(0, 2000);
  return result.counts;
}

TEST(BudgetSweepTest, AllocationIsProved) {
  SweepOptions options = {.settings = SettingsOf("RA"), .budgets = {4, 24, 64}, .launches = 0, .verify_each = true};
  if (kIsSanitized) options.max_instructions = 100;
  const SweepCounts counts = ExpectNoFindings(options);
  const auto reloads = [&](std::string_view setting, int budget) { return counts.reloads.at({setting, budget}); };
  EXPECT_GT(reloads("RA", 4), reloads("RA", 24));
  EXPECT_EQ(reloads("RA-remat", 4), 0u);
  EXPECT_GT(reloads("RA-fast", 4), kIsSanitized ? 100u : 1000u);
  EXPECT_GT(reloads("RA-spill-all", 0), kIsSanitized ? 100u : 10000u);
  EXPECT_GT(reloads("RA-split-compact", 0), kIsSanitized ? 100u : 10000u);
  if (kIsSanitized) return;
  EXPECT_GT(reloads("RA", 24), reloads("RA", 64));
  EXPECT_GT(reloads("RA", 64), 0u);
}

TEST(BudgetSweepTest, KernelsComputeTheSame) {
  const SweepOptions options = {
      .budgets = {4, 32}, .launches = 1, .max_instructions = kIsSanitized ? size_t{40} : size_t{120}};
  const SweepCounts counts = ExpectNoFindings(options);
  EXPECT_GT(counts.runs, kIsSanitized ? 20u : 1000u);
  EXPECT_LT(counts.undecided, counts.runs);
  EXPECT_LT(counts.codes, counts.compilations);
}

// This function stores the address of an object in its frame, which depends on the layout of the frame.
constexpr std::string_view kStoresAddress = R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define ptx_kernel void @k(ptr %out) {
    ret void
  }
...
---
name: k
tracksRegLiveness: true
stack:
  - { id: 0, size: 4, alignment: 4 }
  - { id: 1, size: 8, alignment: 8 }
body: |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_0, 0
    %1:b64 = LEA_ADDRi64 %stack.0, 0
    %2:b64 = LEA_ADDRi64 %stack.1, 0
    ST_i64 %1, 0, 0, 1, 64, %0, 0
    ST_i64 %2, 0, 0, 1, 64, %0, 8
    Return
...
)";

TEST(BudgetSweepTest, DifferencesAreFound) {
  const std::string path = StrCat(::testing::TempDir(), "/stores_address.mir");
  std::ofstream(path) << kStoresAddress;
  const SweepResult result = SweepBudgets({path}, {.budgets = {4}, .launches = 1});
  ASSERT_FALSE(result.findings.empty());
  for (const SweepFinding& finding : result.findings) {
    EXPECT_EQ(finding.function, "k");
    EXPECT_NE(finding.what.find(" of buffer 0 is "), std::string::npos) << finding.ToString();
  }
}

TEST(BudgetSweepTest, WhatCannotBeDoneIsAFinding) {
  EXPECT_EQ(SweepBudgets({"tests/corpus/no_such_file.mir"}, {.budgets = {4}}).findings.size(), 1u);
  const std::vector<std::string> files = {CorpusMirFiles().front()};
  EXPECT_EQ(SweepBudgets(files, {.settings = {{.name = "wrong", .flags = "-no-such-knob"}}}).findings.size(), 1u);
}

TEST(BudgetSweepTest, ThreadsChangeNothing) {
  std::vector<std::string> files = SomeFiles();
  files.resize(5);
  SweepOptions options = {.settings = SettingsOf("O2"), .budgets = {16}, .launches = 1, .max_instructions = 60};
  const SweepCounts one = SweepBudgets(files, options).counts;
  options.threads = 3;
  const SweepCounts three = SweepBudgets(files, options).counts;
  EXPECT_EQ(one.codes, three.codes);
  EXPECT_EQ(one.runs, three.runs);
  EXPECT_EQ(one.undecided, three.undecided);
  EXPECT_EQ(one.reloads, three.reloads);
}

}  // namespace
}  // namespace ptxmir::testing

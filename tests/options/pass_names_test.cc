// SPDX-License-Identifier: Apache-2.0

// The tables of knobs and pass options name passes. These must be passes of the pass table.

#include <algorithm>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "options/knobs.h"
#include "options/pass_option_table.h"
#include "passes/pipeline/analysis_table.h"
#include "passes/pipeline/pass_table.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir {
namespace {

bool Exists(std::string_view pass) { return FindPass(pass) != nullptr || FindAnalysis(pass) != nullptr; }

std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    out.push_back(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(list.size(), out.back().size() + 1));
  }
  return out;
}

TEST(PassNamesTest, KnobsNamePassesOfTheTable) {
  for (const KnobInfo& knob : KnobTable()) {
    if (knob.name == "fca-size") continue;  // struct-splitting works on IR and has no place in machine code
    for (const std::string_view pass : Split(knob.pass)) EXPECT_TRUE(Exists(pass)) << knob.name << ": " << pass;
  }
}

TEST(PassNamesTest, PassOptionsNamePassesOfTheTable) {
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    if (slot.machine_passes == "driver") continue;
    if (slot.machine_passes.starts_with('-')) {
      EXPECT_NE(FindKnob(slot.machine_passes.substr(1)), nullptr) << slot.number;
      continue;
    }
    for (const std::string_view pass : Split(slot.machine_passes)) EXPECT_TRUE(Exists(pass)) << slot.number << pass;
  }
  for (const NamedPassOption& option : NamedPassOptions()) {
    if (option.output() != PassOutput::kNone) {
      EXPECT_TRUE(Exists(option.PrintedPass())) << option.name;
    }
    if (option.machine_passes == "driver") continue;
    for (const std::string_view pass : Split(option.machine_passes)) EXPECT_TRUE(Exists(pass)) << option.name << pass;
  }
}

// Conversely, every option that controls a step of the pipeline is a knob that names that pass.
TEST(PassNamesTest, PipelineStepsNameKnobsOfTheTable) {
  int num_steered = 0;
  for (const PipelineStep& step : StandardPipeline()) {
    if (step.action != PipelineStep::Action::kPass) continue;
    for (const std::string_view name : {step.gate.enabled_by, step.gate.disabled_by}) {
      if (name.empty()) continue;
      const KnobInfo* knob = FindKnob(name);
      ASSERT_NE(knob, nullptr) << name;
      EXPECT_TRUE(ListsName(knob->pass, step.pass->name)) << name << " and " << step.pass->name;
      ++num_steered;
    }
  }
  EXPECT_GT(num_steered, 10);
}

}  // namespace
}  // namespace ptxmir

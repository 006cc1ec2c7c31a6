// SPDX-License-Identifier: Apache-2.0

// -ra-stress: functions grow only in proportion to their size.

#include <memory>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/text/mir_reader.h"
#include "options/knobs.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/pipeline_parser.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// Returns a function with values that are live through blocks in which nothing happens.
std::string ManyLiveThrough(int num_values, int num_blocks) {
  std::string code = "---\nname: f\ntracksRegLiveness: true\nbody: |\n";
  for (int block = 0; block < num_blocks; ++block) {
    StrAppend(&code, "  bb.", block, ":\n");
    if (block + 1 < num_blocks) StrAppend(&code, "    successors: %bb.", block + 1, "\n\n");
    if (block == 0) {
      StrAppend(&code, "    %0:b64 = MOV_B64_i 4096\n");
      for (int i = 0; i < num_values; ++i) {
        StrAppend(&code, "    %", 1 + i, ":b32 = LD_i32 0, 0, 1, 3, 32, -1, %0, ", 4 * i, "\n");
      }
    }
  }
  for (int i = 0; i < num_values; ++i) StrAppend(&code, "    ST_i32 %", 1 + i, ", 0, 0, 1, 32, %0, ", 4 * i, "\n");
  return code + "    Return\n...\n";
}

size_t SizeAfterRandomSplits(int num_values, int num_blocks, size_t& size_before) {
  DiagnosticEngine diagnostics;
  const auto buffer = std::make_shared<SourceBuffer>("test.mir", ManyLiveThrough(num_values, num_blocks));
  const std::unique_ptr<Module> module = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  if (module == nullptr) return 0;
  const MachineFunction& function = *module->machine_functions().front();
  size_before = function.CountInstrs();
  Knobs knobs;
  EXPECT_TRUE(knobs.Set("ra-stress", "split", KnobOrigin::kApi).ok());
  RunOptions options;
  options.inputs.knobs = &knobs;
  RunReport report;
  const auto pipeline = ParsePipeline(
      "phi-node-elimination,twoaddressinstruction,register-checker-begin,greedy,virtregrewriter,register-checker",
      "test", diagnostics);
  EXPECT_TRUE(pipeline.has_value()) << diagnostics.ToString();
  if (!pipeline.has_value()) return 0;
  EXPECT_TRUE(RunPipeline(*module, *pipeline, options, diagnostics, report)) << diagnostics.ToString();
  return function.CountInstrs();
}

// Found by ptxmir-fuzz: splitting each of thousands of values in each of a hundred blocks.
TEST(GreedyStressTest, RandomSplitsGrowWithTheFunction) {
  constexpr size_t kMostGrowth = 8;
  for (const int size : {20, 200}) {
    size_t before = 0;
    const size_t after = SizeAfterRandomSplits(size, size, before);
    EXPECT_GT(after, before);
    EXPECT_LT(after, kMostGrowth * before) << size;
  }
}

}  // namespace
}  // namespace ptxmir

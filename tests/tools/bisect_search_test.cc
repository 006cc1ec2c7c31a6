// SPDX-License-Identifier: Apache-2.0

#include "tools/bisect_search.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "passes/pass_context.h"
#include "passes/pipeline/pipeline.h"

namespace ptxmir {
namespace {

constexpr char kKernel[] = R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) { ret void }
...
---
name: k
tracksRegLiveness: true
body: |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
    %1:b32 = LD_i32 0, 0, 101, 3, 32, -1, &k_param_1, 0 :: (dereferenceable invariant load (s32), addrspace 101)
    %2:b32 = ADD32ri %1, 7
    ST_i32 %2, 0, 0, 1, 32, %0, 0 :: (store (s32), addrspace 1)
    Return
...
)";

TEST(FindFirstBad, FindsEveryPositionInLogarithmicallyManySteps) {
  for (int last = 1; last <= 70; ++last) {
    for (int first_bad = 1; first_bad <= last; ++first_bad) {
      int questions = 0;
      const absl::StatusOr<int> found = FindFirstBad(0, last, [&](int limit) -> absl::StatusOr<bool> {
        ++questions;
        return limit >= first_bad;
      });
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(*found, first_bad);
      EXPECT_LE(questions, 7);
    }
  }
}

TEST(FindFirstBad, FindsAStepFromGoodToBadWhereThereAreSeveral) {
  const auto is_bad = [](int limit) { return limit == 3 || limit == 9 || limit >= 20; };
  const absl::StatusOr<int> found =
      FindFirstBad(0, 32, [&](int limit) -> absl::StatusOr<bool> { return is_bad(limit); });
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(is_bad(*found));
  EXPECT_FALSE(is_bad(*found - 1));
}

TEST(FindFirstBad, PassesOnErrors) {
  EXPECT_FALSE(FindFirstBad(0, 8, [](int) -> absl::StatusOr<bool> { return absl::InternalError("no"); }).ok());
}

// Runs the search over the kernel with a pass of a client, which always runs, in front of the pipeline.
std::string SearchWith(MachineFunctionPass run) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR") == nullptr ? "/tmp" : std::getenv("TEST_TMPDIR")) +
                           "/bisect_search_test.mir";
  std::ofstream(path) << kKernel;
  DriverOptions options;
  options.input = path;
  options.bisect_goal = BisectGoal::kExec;
  auto pass = std::make_shared<ClientPass>();
  pass->name = "client";
  pass->info.name = pass->name;
  pass->run = run;
  options.pipeline.client_passes.push_back({.position = "finalize-isel", .pass = pass});
  DiagnosticEngine diagnostics;
  const std::optional<Pipeline> pipeline = BuildPipeline(options.pipeline, diagnostics);
  EXPECT_TRUE(pipeline.has_value());
  BisectSearch search(options, *pipeline);
  const absl::StatusOr<std::string> report = search.Run(diagnostics);
  return report.ok() ? *report : std::string(report.status().message());
}

TEST(BisectSearch, FindsNothingWherePassesKeepResults) {
  const std::string report = SearchWith([](MachineFunction&, PassContext&) -> PassResult { return {}; });
  EXPECT_NE(report.find("kernel 'k': the same results with all; no run to blame"), report.npos) << report;
}

TEST(BisectSearch, ReportsPassesThatAlwaysRunAndChangeResults) {
  const std::string report = SearchWith([](MachineFunction& function, PassContext&) -> PassResult {
    for (MachineInstr& instr : *function.front()) {
      if (function.target().Name(instr.opcode()) == "ADD32ri") instr.operand(2).set_imm(8);
    }
    return {.changed = true};
  });
  EXPECT_NE(report.find("passes that always run change its results: on input 0"), report.npos) << report;
}

}  // namespace
}  // namespace ptxmir

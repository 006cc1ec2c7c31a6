// SPDX-License-Identifier: Apache-2.0

// The passes over stack objects and spill slots, on the corpus with registers spilled at random. In the
// interpreter, kernels must compute the same before and after each pass.

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/instr_info.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/passes/allocate/reference_allocator.h"
#include "tests/support/corpus.h"

namespace ptxmir {
namespace {

bool Prepare(Module& module) {
  DiagnosticEngine diagnostics;
  PipelineOptions options;
  options.stop_before = PassPosition{"register-coalescer"};
  const auto pipeline = BuildPipeline(options, diagnostics);
  RunReport report;
  const bool ok = pipeline.has_value() && RunPipeline(module, *pipeline, {}, diagnostics, report);
  EXPECT_TRUE(ok) << diagnostics.ToString();
  return ok;
}

// The allocator accesses slots in local space. In machine code, a frame index is a generic address.
void MakeGeneric(MachineFunction& function) {
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
      if (info.address < instr.num_operands() && instr.operand(info.address).is_frame_index() &&
          info.address_space < instr.num_operands()) {
        instr.operand(info.address_space).set_imm(0);
      }
    }
  }
}

struct Totals {
  uint64_t compared = 0;
  uint64_t shared = 0;
  uint64_t dead_stores = 0;
  uint64_t promoted = 0;
};

void RunPasses(const std::string& text, const Knobs& knobs, Totals& totals) {
  const std::unique_ptr<Module> module = testing::ReadModule(text);
  ASSERT_NE(module, nullptr);
  ExecutionChecker checker(testing::ReadModule(text), 2);
  for (const auto& function : module->machine_functions()) {
    if (testing::ReadsTimers(*function)) continue;
    StandalonePassContext standalone(*function, {.knobs = &knobs});
    checker.Begin(*function);
    for (const std::string_view name : {"stack-slot-coloring", "nvptx-mem2reg", "nvptx-prolog-epilog"}) {
      const PassInfo& pass = *FindPass(name);
      const PassResult result = pass.run(*function, standalone.context);
      standalone.analyses.Invalidate(result.changed ? result.preserved : PreservedAnalyses::All());
      std::string report;
      ASSERT_TRUE(VerifyMachineFunction(*function, report)) << name << "\n" << report;
      DiagnosticEngine diagnostics;
      ASSERT_TRUE(checker.Check(*function, pass, diagnostics)) << function->name() << "\n" << diagnostics.ToString();
      EXPECT_EQ(standalone.analyses.CheckCached(), "") << name;
    }
    totals.shared += testing::CounterOf(standalone.statistics, "spill slots that share another");
    totals.dead_stores += testing::CounterOf(standalone.statistics, "stores to spill slots removed");
    totals.promoted += testing::CounterOf(standalone.statistics, "stack values kept in registers");
  }
  totals.compared += checker.num_compared();
}

TEST(StackPassesCorpusTest, SpilledKernelsComputeTheSame) {
  // Once with spilling forced, so that slots stay, and once with the maximum number of registers.
  Knobs tight;
  ASSERT_TRUE(tight.Set("ra-spill", "always").ok());
  Knobs ample;
  ASSERT_TRUE(ample.Set("maxreg", "255").ok());
  Totals totals;
  uint64_t seed = 1;
  for (const std::string& path : testing::CorpusSample()) {
    if (path.find("frame-layout") != std::string::npos) continue;
    const auto buffer = SourceBuffer::FromFile(path);
    ASSERT_TRUE(buffer.ok());
    if ((*buffer)->text().size() > 150000) continue;
    const std::unique_ptr<Module> module = testing::ReadModule((*buffer)->text());
    ASSERT_NE(module, nullptr);
    ASSERT_TRUE(Prepare(*module)) << path;
    for (const auto& function : module->machine_functions()) {
      if (function->CountInstrs() > 1500) continue;
      testing::AllocateForTest(*function, {.spill = 50, .split = 20, .rematerialize = 20}, ++seed);
      MakeGeneric(*function);
    }
    std::string text;
    WriteMir(*module, {}, text);
    RunPasses(text, seed % 2 == 0 ? tight : ample, totals);
    if (HasFatalFailure()) FAIL() << path;
  }
  EXPECT_GT(totals.compared, 100 / testing::kCorpusSampleStride);
  EXPECT_GT(totals.shared, 1000 / testing::kCorpusSampleStride);
  EXPECT_GT(totals.dead_stores, 20 / testing::kCorpusSampleStride);
  // A few files promote most slots. A sample need not have one of them.
  EXPECT_GT(totals.promoted, testing::kCorpusSampleStride == 1 ? 1000u : 0u);
}

}  // namespace
}  // namespace ptxmir

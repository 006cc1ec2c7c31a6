// SPDX-License-Identifier: Apache-2.0

// The register checker proves the work of a correct allocator on the corpus and on generated functions.

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "bench/mir_generator.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "options/knobs.h"
#include "passes/out_of_ssa/late_updates.h"
#include "passes/pipeline/pipeline.h"
#include "passes/register_check/register_checker.h"
#include "passes/run/pipeline_runner.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/passes/allocate/reference_allocator.h"
#include "tests/support/corpus.h"

namespace ptxmir {
namespace {

using testing::AllocateForTest;
using testing::AllocationCounts;
using testing::AllocationPolicy;

// Runs the pipeline up to the point of allocation.
bool Prepare(Module& module) {
  DiagnosticEngine diagnostics;
  PipelineOptions options;
  options.stop_before = PassPosition{"register-coalescer"};
  const auto pipeline = BuildPipeline(options, diagnostics);
  RunReport report;
  // Keep the copies that a coalescer would find.
  Knobs knobs;
  EXPECT_TRUE(knobs.Set("usedessa", "1").ok());
  RunOptions run_options;
  run_options.inputs.knobs = &knobs;
  const bool ok = pipeline.has_value() && RunPipeline(module, *pipeline, run_options, diagnostics, report);
  EXPECT_TRUE(ok) << diagnostics.ToString();
  return ok;
}

class Corpus : public ::testing::TestWithParam<int> {};

std::vector<std::string> CorpusFiles() {
  std::vector<std::string> paths = testing::CorpusSample();
  // The files made after PHI elimination and frame layout contain the same functions at a later stage.
  std::erase_if(paths, [](const std::string& path) { return path.find("frame-layout") != std::string::npos; });
  return paths;
}

void Add(AllocationCounts& total, const AllocationCounts& counts) {
  total.spills += counts.spills;
  total.reloads += counts.reloads;
  total.rematerializations += counts.rematerializations;
  total.coalesced += counts.coalesced;
  total.splits += counts.splits;
  total.edge_blocks += counts.edge_blocks;
}

void Prove(MachineFunction& function, const AllocationPolicy& policy, uint64_t seed, AllocationCounts& total) {
  std::string before;
  WriteMirFunction(function, {}, before);
  const RegisterCheckerSnapshot snapshot(function);
  Add(total, AllocateForTest(function, policy, seed));
  std::string report;
  ASSERT_TRUE(VerifyMachineFunction(function, report)) << report;
  const std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot);
  if (findings.empty()) return;
  std::string after;
  WriteMirFunction(function, {}, after);
  if (after.size() > 20000) before.clear(), after.clear();
  FAIL() << "seed " << seed << ": " << findings.front().message << "\n(" << findings.size() << ")\n" << before << after;
}

TEST(RegisterCheckerCorpusTest, CorrectAllocationsAreProved) {
  constexpr AllocationPolicy kPolicies[] = {
      {0, 0, 0, 0, 0}, {0, 0, 0, 100, 0}, {20, 10, 50, 70, 10}, {100, 30, 0, 0, 0}, {60, 0, 100, 50, 50},
  };
  AllocationCounts total;
  uint64_t seed = 1;
  for (const std::string& path : CorpusFiles()) {
    const auto buffer = SourceBuffer::FromFile(path);
    ASSERT_TRUE(buffer.ok());
    // The reference allocator is quadratic and takes long for large files.
    if ((*buffer)->text().size() > 400000) continue;
    for (size_t p = 0; p < std::size(kPolicies); ++p) {
      if ((seed + p) % 2 != 0 && p != 2) continue;
      const std::unique_ptr<Module> module = testing::ReadModule((*buffer)->text());
      ASSERT_NE(module, nullptr);
      ASSERT_TRUE(Prepare(*module)) << path;
      for (const auto& function : module->machine_functions()) {
        if (function->CountInstrs() > 3000) continue;
        Prove(*function, kPolicies[p], ++seed, total);
        if (HasFatalFailure()) FAIL() << path << " " << function->name();
      }
    }
  }
  std::printf("%zu spills, %zu reloads, %zu rematerialized, %zu coalesced, %zu split, %zu blocks on edges\n",
              total.spills, total.reloads, total.rematerializations, total.coalesced, total.splits, total.edge_blocks);
  EXPECT_GT(total.spills, 1000 / testing::kCorpusSampleStride);
  EXPECT_GT(total.rematerializations, 1000 / testing::kCorpusSampleStride);
  EXPECT_GT(total.coalesced, 1000 / testing::kCorpusSampleStride);
  EXPECT_GT(total.splits, 1000 / testing::kCorpusSampleStride);
  EXPECT_GT(total.edge_blocks, 100 / testing::kCorpusSampleStride);
}

// Visits the functions of the corpus that are not too large, one by one.
template <typename Visit>
void ForEachSmallFunction(Visit visit) {
  for (const std::string& path : CorpusFiles()) {
    if (path.find("phi-node-elimination") != std::string::npos) continue;
    const auto buffer = SourceBuffer::FromFile(path);
    ASSERT_TRUE(buffer.ok());
    if ((*buffer)->text().size() > 200000) continue;
    const std::unique_ptr<Module> module = testing::ReadModule((*buffer)->text());
    ASSERT_NE(module, nullptr);
    for (const auto& function : module->machine_functions()) {
      if (function->CountInstrs() <= 3000) visit(path, *function);
    }
  }
}

Knobs WithMethod(const char* usedessa) {
  Knobs knobs;
  EXPECT_TRUE(knobs.Set("usedessa", usedessa).ok());
  return knobs;
}

// The snapshot may be in SSA form. PHIs are then deleted and copies inserted in between.
TEST(RegisterCheckerCorpusTest, PhiEliminationIsProved) {
  for (const char* const method : {"1", "2"}) {
    const Knobs knobs = WithMethod(method);
    AllocationCounts total;
    uint64_t seed = 1;
    ForEachSmallFunction([&](const std::string& path, MachineFunction& function) {
      MoveUpdatesDown(function);  // the checker wants instructions to keep their order
      const RegisterCheckerSnapshot snapshot(function);
      StandalonePassContext standalone(function, {.knobs = &knobs});
      FindPass("phi-node-elimination")->run(function, standalone.context);
      FindPass("twoaddressinstruction")->run(function, standalone.context);
      std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot);
      ASSERT_TRUE(findings.empty()) << path << ": " << findings.front().message;
      // Rematerialization is off. If a value is computed from registers and rematerialized across the copies that
      // replaced PHIs, the checker cannot always prove it.
      Add(total, AllocateForTest(function, {20, 10, 0, 70, 10}, ++seed));
      findings = CheckRegisters(snapshot);
      ASSERT_TRUE(findings.empty()) << path << ": " << findings.front().message;
    });
    EXPECT_GT(total.coalesced, *method == '1' ? 1000 / testing::kCorpusSampleStride : 0);
  }
}

TEST(RegisterCheckerCorpusTest, CoalescingIsProved) {
  uint64_t num_erased = 0;
  for (const char* const method : {"0", "2"}) {
    const Knobs knobs = WithMethod(method);
    ForEachSmallFunction([&](const std::string& path, MachineFunction& function) {
      StandalonePassContext standalone(function, {.knobs = &knobs});
      for (const char* const pass : {"phi-node-elimination", "twoaddressinstruction"}) {
        standalone.analyses.Invalidate(FindPass(pass)->run(function, standalone.context).preserved);
      }
      const RegisterCheckerSnapshot snapshot(function);
      FindPass("register-coalescer")->run(function, standalone.context);
      const std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot);
      ASSERT_TRUE(findings.empty()) << path << ": " << findings.front().message;
      EXPECT_EQ(standalone.analyses.CheckCached(), "") << path << " " << function.name();
      num_erased += testing::CounterOf(standalone.statistics, "copies erased");
    });
  }
  EXPECT_GT(num_erased, 2000 / testing::kCorpusSampleStride);
}

TEST(RegisterCheckerCorpusTest, GeneratedFunctionsAreProved) {
  AllocationCounts total;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    bench::GeneratorOptions options;
    options.instructions = 1500;
    options.functions = 2;
    options.seed = seed;
    const std::unique_ptr<Module> module = testing::ReadModule(bench::GenerateMir(options));
    ASSERT_NE(module, nullptr);
    ASSERT_TRUE(Prepare(*module));
    for (const auto& function : module->machine_functions()) {
      Prove(*function, {seed * 5, seed % 7 * 5, 50, 60, 20}, seed, total);
      if (HasFatalFailure()) return;
    }
  }
}

// If a use reads a register that is never written, the checker finds it, wherever it is.
TEST(RegisterCheckerCorpusTest, EveryStrayUseIsFound) {
  bench::GeneratorOptions options;
  options.instructions = 400;
  const std::unique_ptr<Module> module = testing::ReadModule(bench::GenerateMir(options));
  ASSERT_NE(module, nullptr);
  ASSERT_TRUE(Prepare(*module));
  MachineFunction& function = *module->machine_functions().front();
  const RegisterCheckerSnapshot snapshot(function);
  AllocateForTest(function, {20, 10, 50, 70, 10}, 3);
  size_t planted = 0;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      for (unsigned i = 0; i < instr.num_operands(); ++i) {
        MachineOperand& operand = instr.operand(i);
        if (!operand.reads_reg() || !operand.reg().is_virtual()) continue;
        const Register right = operand.reg();
        operand.SetReg(function.reg_info().CreateVirtualRegister(function.reg_info().reg_class(right)));
        const bool is_copy_kept = snapshot.FindInstr(instr.id()) != RegisterCheckerSnapshot::kNone;
        const bool is_found = !CheckRegisters(snapshot).empty();
        // An inserted instruction may be redundant; an instruction that was there before may not.
        if (is_copy_kept) {
          EXPECT_TRUE(is_found) << function.target().Name(instr.opcode()) << " " << i;
        }
        planted += is_found;
        operand.SetReg(right);
      }
    }
  }
  EXPECT_GT(planted, 300u);
  EXPECT_TRUE(CheckRegisters(snapshot).empty());
}

}  // namespace
}  // namespace ptxmir

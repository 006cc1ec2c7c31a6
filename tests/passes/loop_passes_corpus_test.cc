// induction-merge and pressure-sink on the corpus, in every loop whatever its pressure and whether or not it gains:
// what kernels compute stays, in the interpreter, and the analyses that are said to be kept are right.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "mir/diagnostics.h"
#include "mir/mir_reader.h"
#include "mir/module.h"
#include "mir/verifier.h"
#include "passes/execution_check.h"
#include "passes/pass_table.h"
#include "ptx/ptx_target.h"

namespace ptxmir {
namespace {

std::unique_ptr<Module> Read(std::string_view text) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("test.mir", text), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  return module;
}

// What is read there depends on how many instructions are executed.
bool ReadsTimers(const MachineFunction& function) {
  for (SymbolId i = 0; i < function.num_symbols(); ++i) {
    if (function.symbol(i).find("timer") != std::string_view::npos) return true;
    if (function.symbol(i).find("clock") != std::string_view::npos) return true;
  }
  return function.MayContainAny([&](Opcode opcode) {
    const std::string_view name = function.target().Name(opcode);
    return name.find("CLOCK") != std::string_view::npos || name.find("GLOBALTIMER") != std::string_view::npos;
  });
}

struct Totals {
  uint64_t compared = 0;
  uint64_t accesses = 0;
  uint64_t folded = 0;
  uint64_t sunk = 0;
};

uint64_t CounterOf(const Statistics& statistics, std::string_view description) {
  uint64_t value = 0;
  for (const Statistics::Counter& counter : statistics.counters()) {
    if (counter.description == description) value += counter.value;
  }
  return value;
}

void RunPasses(std::string_view text, const AnalysisInputs& inputs, Totals& totals) {
  const std::unique_ptr<Module> module = Read(text);
  ASSERT_NE(module, nullptr);
  ExecutionChecker checker(Read(text), 2);
  for (const auto& function : module->machine_functions()) {
    if (ReadsTimers(*function)) continue;
    StandalonePassContext standalone(*function, inputs);
    checker.Begin(*function);
    for (const std::string_view name : {"induction-merge", "pressure-sink"}) {
      const PassInfo& pass = *FindPass(name);
      const PassResult result = pass.run(*function, standalone.context);
      standalone.analyses.Invalidate(result.changed ? result.preserved : PreservedAnalyses::All());
      std::string report;
      ASSERT_TRUE(VerifyMachineFunction(*function, report)) << name << "\n" << report;
      EXPECT_EQ(standalone.analyses.CheckCached(), "") << name;
      DiagnosticEngine diagnostics;
      if (!result.changed) continue;
      ASSERT_TRUE(checker.Check(*function, pass, diagnostics)) << function->name() << "\n" << diagnostics.ToString();
    }
    totals.accesses += CounterOf(standalone.statistics, "accesses with a new address");
    totals.folded += CounterOf(standalone.statistics, "additions folded into offsets");
    totals.sunk += CounterOf(standalone.statistics, "computations sunk");
  }
  totals.compared += checker.num_compared();
}

TEST(LoopPassesCorpusTest, KernelsComputeTheSame) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".mir") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  Knobs knobs;
  for (const auto& [knob, value] : {std::pair("induction-merge-min-pressure", "0"),
                                    std::pair("induction-merge-min-gain", "-1000"),
                                    std::pair("induction-merge-growth", "1000"),
                                    std::pair("pressure-sink-min-pressure", "0")}) {
    ASSERT_TRUE(knobs.Set(knob, value).ok()) << knob;
  }
  Totals totals;
  for (const std::string& path : paths) {
    const auto buffer = SourceBuffer::FromFile(path);
    ASSERT_TRUE(buffer.ok());
    RunPasses((*buffer)->text(), {.knobs = &knobs}, totals);
    if (HasFatalFailure()) FAIL() << path;
  }
  EXPECT_GT(totals.compared, 100u);
  EXPECT_GT(totals.accesses, 100u);
  EXPECT_GT(totals.folded, 10u);
  EXPECT_GT(totals.sunk, 100u);
}

}  // namespace
}  // namespace ptxmir

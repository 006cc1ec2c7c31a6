// How long the analyses of the control flow, uniformity and reaching definitions take for a function of N
// instructions, per instruction.

#include <benchmark/benchmark.h>

#include <memory>
#include <type_traits>

#include "analysis/analysis_manager.h"
#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_cycles.h"
#include "analysis/machine_dominators.h"
#include "analysis/machine_loops.h"
#include "analysis/machine_trace_metrics.h"
#include "analysis/reaching_definitions.h"
#include "analysis/slot_indexes.h"
#include "analysis/uniformity.h"
#include "bench/mir_generator.h"
#include "mir/diagnostics.h"
#include "mir/mir_reader.h"
#include "mir/module.h"
#include "passes/phi_elimination.h"
#include "ptx/ptx_target.h"

namespace ptxmir {
namespace {

std::unique_ptr<Module> ReadGenerated(size_t instructions) {
  bench::GeneratorOptions options;
  options.instructions = instructions;
  DiagnosticEngine diagnostics;
  return ReadMir(std::make_shared<const SourceBuffer>("generated.mir", bench::GenerateMir(options)),
                 ptx::PtxTargetInfo(), diagnostics);
}

void Report(benchmark::State& state, const MachineFunction& function) {
  const double instrs = static_cast<double>(function.CountInstrs());
  state.counters["blocks"] = static_cast<double>(function.num_blocks());
  state.counters["ns_per_instr"] =
      benchmark::Counter(instrs * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Traces are computed when somebody asks.
void AskAboutAllTraces(MachineTraceMetrics& metrics, const MachineFunction& function) {
  for (const MachineBasicBlock& block : function) {
    benchmark::DoNotOptimize(metrics.ensemble().CriticalPath(block));
    benchmark::DoNotOptimize(metrics.ensemble().ResourceLength(block));
  }
}

// The analysis alone: what it is computed from is at hand.
template <typename T, typename... Inputs>
void BM_Analysis(benchmark::State& state) {
  const std::unique_ptr<Module> module = ReadGenerated(static_cast<size_t>(state.range(0)));
  if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
  MachineFunction& function = *module->machine_functions().front();
  if constexpr (std::is_same_v<T, ReachingDefinitions>) {
    StandalonePassContext standalone(function);
    RunPhiElimination(function, standalone.context);
  }
  AnalysisManager analyses(function);
  (analyses.Get<Inputs>(), ...);
  for (auto _ : state) {
    T& analysis = analyses.Get<T>();
    if constexpr (std::is_same_v<T, MachineTraceMetrics>) AskAboutAllTraces(analysis, function);
    benchmark::DoNotOptimize(&analysis);
    analyses.Invalidate(PreservedAnalyses::All().Abandon(T::kKind));
  }
  Report(state, function);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_Analysis<MachineDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachinePostDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineLoops, MachineDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineCycles>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineBlockFrequencies, MachineLoops>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineTraceMetrics, MachineLoops>)->Apply(Sizes);
BENCHMARK(BM_Analysis<Uniformity, MachineCycles, MachinePostDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<ReachingDefinitions, SlotIndexes, MachineDominatorTree>)->Apply(Sizes);

// A pass over the blocks in layout order that changes each and asks about its trace before and after: the price of an
// edit.
void BM_TraceMetricsUpdate(benchmark::State& state) {
  const std::unique_ptr<Module> module = ReadGenerated(static_cast<size_t>(state.range(0)));
  if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
  MachineFunction& function = *module->machine_functions().front();
  AnalysisManager analyses(function);
  MachineTraceMetrics& metrics = analyses.Get<MachineTraceMetrics>();
  for (auto _ : state) {
    for (const MachineBasicBlock& block : function) {
      benchmark::DoNotOptimize(metrics.ensemble().CriticalPath(block));
      metrics.Invalidate(block);
      benchmark::DoNotOptimize(metrics.ensemble().CriticalPath(block));
    }
  }
  Report(state, function);
}
BENCHMARK(BM_TraceMetricsUpdate)->Apply(Sizes);

// An edge that comes and goes in the middle of the function: the price of an update.
void BM_DominatorTreeUpdate(benchmark::State& state) {
  const std::unique_ptr<Module> module = ReadGenerated(static_cast<size_t>(state.range(0)));
  if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
  MachineFunction& function = *module->machine_functions().front();
  MachineDominatorTree tree(function);
  MachineBasicBlock* from = function.block(static_cast<BlockNumber>(function.num_blocks() / 2));
  MachineBasicBlock* to = function.block(from->number() + 5);
  if (to == nullptr || from->IsSuccessor(to)) return state.SkipWithError("no place for an edge");
  for (auto _ : state) {
    from->AddSuccessor(to);
    tree.InsertEdge(*from, *to);
    from->RemoveSuccessor(to);
    tree.DeleteEdge(*from, *to);
  }
  Report(state, function);
}
BENCHMARK(BM_DominatorTreeUpdate)->Apply(Sizes);

}  // namespace
}  // namespace ptxmir

BENCHMARK_MAIN();

// SPDX-License-Identifier: Apache-2.0

// Times the analyses per instruction, for functions of N instructions. Live intervals, machine-rpa and the
// analyses based on them have separate benchmarks. Ends with the slopes of the log-log fits (near 1: linear).

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/analysis_names.h"
#include "analysis/control_flow/edge_bundles.h"
#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "analysis/frequency/machine_trace_metrics.h"
#include "analysis/frequency/spill_placement.h"
#include "analysis/liveness/reaching_definitions.h"
#include "analysis/liveness/slot_indexes.h"
#include "analysis/values/memory_dependence.h"
#include "analysis/values/uniformity.h"
#include "base/diagnostics.h"
#include "bench/measuring.h"
#include "bench/mir_generator.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "passes/out_of_ssa/phi_elimination.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::unique_ptr<Module> ReadGenerated(size_t instructions) {
  bench::GeneratorOptions options;
  options.instructions = instructions;
  DiagnosticEngine diagnostics;
  return ReadMir(std::make_shared<const SourceBuffer>("generated.mir", bench::GenerateMir(options)),
                 ptx::PtxTargetInfo(), diagnostics);
}

// Seconds by benchmark and size.
std::map<std::string, std::map<int64_t, double>>& Times() {
  static auto* const kTimes = new std::map<std::string, std::map<int64_t, double>>;
  return *kTimes;
}

// Runs `work` for as long as the benchmark asks, and records its best time on this thread. `clean_up`, after each
// run, is not timed.
template <typename Work, typename CleanUp>
void Measure(benchmark::State& state, const std::string& name, const MachineFunction& function, Work work,
             CleanUp clean_up) {
  double best = 1e9;
  for (auto _ : state) {
    const double start = bench::ThreadSeconds();
    work();
    const double seconds = bench::ThreadSeconds() - start;
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    clean_up();
  }
  Times()[name][state.range(0)] = best;
  state.counters["blocks"] = static_cast<double>(function.num_blocks());
  state.counters["ns/instr"] = best * 1e9 / static_cast<double>(function.CountInstrs());
}

// Computes all traces; they are computed only on request.
void AskAboutAllTraces(MachineTraceMetrics& metrics, const MachineFunction& function) {
  for (const MachineBasicBlock& block : function) {
    benchmark::DoNotOptimize(metrics.ensemble().CriticalPath(block));
    benchmark::DoNotOptimize(metrics.ensemble().ResourceLength(block));
  }
}

void AskAboutAllEdges(const MachineBranchProbabilities& probabilities, const MachineFunction& function) {
  std::vector<BranchProbability> of_block;
  for (const MachineBasicBlock& block : function) {
    probabilities.GetProbabilities(block, of_block);
    benchmark::DoNotOptimize(of_block.data());
  }
}

void AskAboutAllLoads(const MemoryDependence& memory, const MachineFunction& function) {
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      if (instr.is_debug() || !ptx::InstrInfo(instr.opcode()).reads_memory()) continue;
      benchmark::DoNotOptimize(memory.Dependences(instr).size());
    }
  }
}

// For every 16 consecutive blocks, places a value that the first and the last of them hold in a register, and that
// every fifth block in between holds on the stack.
void PlaceManyRegions(SpillPlacement& placement, const MachineFunction& function) {
  using Constraint = SpillPlacement::Constraint;
  constexpr BlockNumber kBlocks = 16;
  for (BlockNumber first = 0; first + kBlocks <= function.block_number_bound(); first += kBlocks) {
    const BlockNumber last = first + kBlocks - 1;
    placement.Begin();
    placement.AddConstraints({{first, Constraint::kDontCare, Constraint::kPrefReg}});
    placement.AddConstraints({{last, Constraint::kPrefReg, Constraint::kDontCare}});
    for (BlockNumber block = first + 1; block < last; ++block) {
      if (block % 5 == 0) {
        placement.AddConstraints({{block, Constraint::kPrefSpill, Constraint::kPrefSpill}});
      } else {
        placement.AddLinks({block});
      }
    }
    placement.ScanActiveBundles();
    placement.Iterate();
    benchmark::DoNotOptimize(placement.Finish());
  }
}

// Times only the analysis. Its inputs are already computed.
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
  Measure(
      state, std::string(AnalysisName(T::kKind)), function,
      [&] {
        T& analysis = analyses.Get<T>();
        if constexpr (std::is_same_v<T, MachineTraceMetrics>) AskAboutAllTraces(analysis, function);
        if constexpr (std::is_same_v<T, MachineBranchProbabilities>) AskAboutAllEdges(analysis, function);
        if constexpr (std::is_same_v<T, MemoryDependence>) AskAboutAllLoads(analysis, function);
        if constexpr (std::is_same_v<T, SpillPlacement>) PlaceManyRegions(analysis, function);
        benchmark::DoNotOptimize(&analysis);
      },
      [&] { analyses.Invalidate(PreservedAnalyses::All().Abandon(T::kKind)); });
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMicrosecond)->UseManualTime();
}
BENCHMARK(BM_Analysis<MachineDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachinePostDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineLoops, MachineDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineCycles>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineBranchProbabilities, MachineLoops>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineBlockFrequencies, MachineBranchProbabilities, MachineLoops>)->Apply(Sizes);
BENCHMARK(BM_Analysis<EdgeBundles>)->Apply(Sizes);
BENCHMARK(BM_Analysis<SpillPlacement, EdgeBundles, MachineBlockFrequencies>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MemoryDependence, MachineCycles>)->Apply(Sizes);
BENCHMARK(BM_Analysis<MachineTraceMetrics, MachineLoops>)->Apply(Sizes);
BENCHMARK(BM_Analysis<Uniformity, MachineCycles, MachinePostDominatorTree>)->Apply(Sizes);
BENCHMARK(BM_Analysis<ReachingDefinitions, SlotIndexes, MachineDominatorTree>)->Apply(Sizes);

// Visits the blocks in layout order, changes each, and queries its trace before and after: the cost of an edit.
void BM_TraceMetricsUpdate(benchmark::State& state) {
  const std::unique_ptr<Module> module = ReadGenerated(static_cast<size_t>(state.range(0)));
  if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
  MachineFunction& function = *module->machine_functions().front();
  AnalysisManager analyses(function);
  MachineTraceMetrics& metrics = analyses.Get<MachineTraceMetrics>();
  Measure(
      state, "machine-trace-metrics with edits", function,
      [&] {
        for (const MachineBasicBlock& block : function) {
          benchmark::DoNotOptimize(metrics.ensemble().CriticalPath(block));
          metrics.Invalidate(block);
          benchmark::DoNotOptimize(metrics.ensemble().CriticalPath(block));
        }
      },
      [] {});
}
BENCHMARK(BM_TraceMetricsUpdate)->Apply(Sizes);

// Inserts and deletes an edge in the middle of the function: the cost of an update.
void BM_DominatorTreeUpdate(benchmark::State& state) {
  const std::unique_ptr<Module> module = ReadGenerated(static_cast<size_t>(state.range(0)));
  if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
  MachineFunction& function = *module->machine_functions().front();
  MachineDominatorTree tree(function);
  MachineBasicBlock* from = function.block(static_cast<BlockNumber>(function.num_blocks() / 2));
  MachineBasicBlock* to = function.block(from->number() + 5);
  if (to == nullptr || from->IsSuccessor(to)) return state.SkipWithError("no place for an edge");
  Measure(
      state, "an edge more in machine-dom-tree", function,
      [&] {
        from->AddSuccessor(to);
        tree.InsertEdge(*from, *to);
        from->RemoveSuccessor(to);
        tree.DeleteEdge(*from, *to);
      },
      [] {});
}
BENCHMARK(BM_DominatorTreeUpdate)->Apply(Sizes);

void PrintSlopes() {
  std::printf("\n%8s  %5s\n", "ns/instr", "slope");
  for (const auto& [name, seconds_by_size] : Times()) {
    const auto [size, seconds] = *seconds_by_size.rbegin();
    std::printf("%8.1f  %5.2f  %s\n", seconds * 1e9 / static_cast<double>(size), bench::LogLogSlope(seconds_by_size),
                name.c_str());
  }
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  ptxmir::PrintSlopes();
  return 0;
}

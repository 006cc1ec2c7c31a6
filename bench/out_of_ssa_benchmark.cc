// SPDX-License-Identifier: Apache-2.0

// Times leaving SSA form and coalescing, for one function of N instructions, by -usedessa, in CPU time per
// instruction. `lower_ns` is phi-node-elimination and `coalesce_ns` is register-coalescer, both without the live
// intervals that they need: `intervals_ns` is their time before the first, `again_ns` before the second.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/liveness/live_intervals.h"
#include "base/diagnostics.h"
#include "bench/measuring.h"
#include "bench/mir_generator.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "options/knobs.h"
#include "passes/out_of_ssa/phi_elimination.h"
#include "passes/out_of_ssa/register_coalescer.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using bench::ThreadSeconds;

template <typename Work>
void Measure(double& best, Work work) {
  const double start = ThreadSeconds();
  work();
  best = std::min(best, ThreadSeconds() - start);
}

void BM_OutOfSsa(benchmark::State& state, const char* method) {
  bench::GeneratorOptions options;
  options.instructions = static_cast<size_t>(state.range(0));
  const auto buffer = std::make_shared<const SourceBuffer>("generated.mir", bench::GenerateMir(options));
  Knobs knobs;
  if (!knobs.Set("usedessa", method, KnobOrigin::kCommandLine).ok()) return state.SkipWithError("no such method");
  double intervals = 1e9;
  double lower = 1e9;
  double again = 1e9;
  double coalesce = 1e9;
  double instructions = 0;
  for (auto _ : state) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
    if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
    MachineFunction& function = *module->machine_functions().front();
    instructions = static_cast<double>(function.CountInstrs());
    StandalonePassContext standalone(function, {.knobs = &knobs});
    AnalysisManager& analyses = standalone.analyses;
    analyses.Get<MachineBlockFrequencies>();
    const double start = ThreadSeconds();
    Measure(intervals, [&] { analyses.Get<LiveIntervals>(); });
    Measure(lower, [&] { RunPhiElimination(function, standalone.context); });
    analyses.Invalidate(PreservedAnalyses::ControlFlow());
    Measure(again, [&] { analyses.Get<LiveIntervals>(); });
    Measure(coalesce, [&] { RunRegisterCoalescer(function, standalone.context); });
    state.SetIterationTime(ThreadSeconds() - start);
  }
  state.counters["intervals_ns"] = intervals * 1e9 / instructions;
  state.counters["lower_ns"] = lower * 1e9 / instructions;
  state.counters["again_ns"] = again * 1e9 / instructions;
  state.counters["coalesce_ns"] = coalesce * 1e9 / instructions;
}

#define SIZES ->Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000)->UseManualTime()->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(BM_OutOfSsa, naive, "0") SIZES;
BENCHMARK_CAPTURE(BM_OutOfSsa, direct, "1") SIZES;
BENCHMARK_CAPTURE(BM_OutOfSsa, webs, "2") SIZES;
#undef SIZES

}  // namespace
}  // namespace ptxmir

BENCHMARK_MAIN();

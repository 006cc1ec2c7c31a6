// SPDX-License-Identifier: Apache-2.0

// Times slot-indexes, live-variables and live-intervals for one function of N instructions, in SSA form and out of
// it, relative to the time to read the same function: `ratio` is that of live-intervals, including the indexes
// that it needs, to reading. Also times live-reg-matrix: to assign all intervals, and to check for each if it
// would fit.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>

#include "analysis/liveness/live_intervals.h"
#include "analysis/liveness/live_variables.h"
#include "analysis/liveness/slot_indexes.h"
#include "base/diagnostics.h"
#include "bench/measuring.h"
#include "bench/mir_generator.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "passes/allocate/assignment/live_reg_matrix.h"
#include "passes/out_of_ssa/phi_elimination.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using bench::ThreadSeconds;

double SecondsSince(double start) { return ThreadSeconds() - start; }

void UseMatrix(AnalysisManager& analyses) {
  const LiveIntervals& intervals = analyses.Get<LiveIntervals>();
  LiveRegMatrix& matrix = analyses.Get<LiveRegMatrix>();
  matrix.SetLimit(PressureKind::Total(), 64);
  size_t interferences = 0;
  for (uint32_t i = 0; i < intervals.num_intervals(); ++i) {
    const LiveInterval& interval = intervals.Interval(Register::Virtual(i));
    interferences += matrix.FindInterference(interval).has_value();
    matrix.Assign(interval);
  }
  benchmark::DoNotOptimize(interferences);
}

void BM_LiveIntervals(benchmark::State& state, bool leave_ssa) {
  bench::GeneratorOptions options;
  options.instructions = static_cast<size_t>(state.range(0));
  const auto buffer = std::make_shared<const SourceBuffer>("generated.mir", bench::GenerateMir(options));
  double read = 1e9;
  double index = 1e9;
  double intervals = 1e9;
  double variables = 1e9;
  double matrix = 1e9;
  double instructions = 0;
  size_t interval_bytes = 0;
  size_t entries = 0;
  for (auto _ : state) {
    DiagnosticEngine diagnostics;
    double start = ThreadSeconds();
    const std::unique_ptr<Module> module = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
    read = std::min(read, SecondsSince(start));
    if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
    MachineFunction& function = *module->machine_functions().front();
    if (leave_ssa) {
      StandalonePassContext standalone(function);
      RunPhiElimination(function, standalone.context);
    }
    instructions = static_cast<double>(function.CountInstrs());
    AnalysisManager analyses(function);
    start = ThreadSeconds();
    analyses.Get<SlotIndexes>();
    const double index_seconds = SecondsSince(start);
    interval_bytes = analyses.Get<LiveIntervals>().bytes_reserved();
    const double seconds = SecondsSince(start);
    index = std::min(index, index_seconds);
    intervals = std::min(intervals, seconds);
    start = ThreadSeconds();
    entries = analyses.Get<LiveVariables>().num_entries();
    variables = std::min(variables, SecondsSince(start));
    start = ThreadSeconds();
    UseMatrix(analyses);
    matrix = std::min(matrix, SecondsSince(start));
    state.SetIterationTime(seconds);
  }
  state.counters["ratio"] = intervals / read;
  state.counters["read_ns"] = read * 1e9 / instructions;
  state.counters["indexes_ns"] = index * 1e9 / instructions;
  state.counters["intervals_ns"] = intervals * 1e9 / instructions;
  state.counters["variables_ns"] = variables * 1e9 / instructions;
  state.counters["matrix_ns"] = matrix * 1e9 / instructions;
  state.counters["interval_B"] = static_cast<double>(interval_bytes) / instructions;
  state.counters["entries"] = static_cast<double>(entries);
}

#define SIZES ->Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000)->UseManualTime()->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(BM_LiveIntervals, ssa, false) SIZES;
BENCHMARK_CAPTURE(BM_LiveIntervals, no_phis, true) SIZES;
#undef SIZES

}  // namespace
}  // namespace ptxmir

BENCHMARK_MAIN();

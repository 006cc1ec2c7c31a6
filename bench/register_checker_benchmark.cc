// SPDX-License-Identifier: Apache-2.0

// Times the register checker, for a function of N instructions whose PHIs were eliminated after the snapshot.

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "bench/mir_generator.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "passes/out_of_ssa/phi_elimination.h"
#include "passes/register_check/register_checker.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void BM_CheckPhiElimination(benchmark::State& state) {
  bench::GeneratorOptions options;
  options.instructions = static_cast<size_t>(state.range(0));
  const auto buffer = std::make_shared<const SourceBuffer>("generated.mir", bench::GenerateMir(options));
  double snapshot_seconds = 0;
  double check_seconds = 0;
  size_t instructions = 0;
  for (auto _ : state) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
    if (module == nullptr) return state.SkipWithError("the generated file cannot be read");
    MachineFunction& function = *module->machine_functions().front();
    Clock::time_point start = Clock::now();
    const RegisterCheckerSnapshot snapshot(function);
    snapshot_seconds += SecondsSince(start);
    StandalonePassContext standalone(function);
    RunPhiElimination(function, standalone.context);
    start = Clock::now();
    if (!CheckRegisters(snapshot).empty()) return state.SkipWithError("not proved");
    const double seconds = SecondsSince(start);
    check_seconds += seconds;
    instructions += function.CountInstrs();
    state.SetIterationTime(seconds);
  }
  const double per_instruction = 1e9 / static_cast<double>(instructions);
  state.counters["snapshot_ns_per_instr"] = snapshot_seconds * per_instruction;
  state.counters["check_ns_per_instr"] = check_seconds * per_instruction;
}
BENCHMARK(BM_CheckPhiElimination)
    ->Arg(10000)
    ->Arg(100000)
    ->Arg(1000000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ptxmir

BENCHMARK_MAIN();

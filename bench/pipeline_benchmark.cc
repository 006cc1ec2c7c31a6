// SPDX-License-Identifier: Apache-2.0

// Times each pass of the standard pipeline, including the analyses that it is the first to request, for one
// function of N instructions, from 100 to 1,000,000: `ns/instr` of the input. Ends with a table of all passes:
// their share of the time at the largest size, and the slope of the log-log fit (near 1: linear).
//
//   O2            the default
//   O2-maxreg24   under a hard budget that most functions exceed: scheduling and rematerialization for it
//   O2-spilling   spills what exceeds 16 registers: greedy, spill slots, frames
//   O0
//
// Files named after `--` are compiled as well, unchanged.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "bench/measuring.h"
#include "bench/mir_generator.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "options/knobs.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

struct Configuration {
  const char* name;
  int opt_level;
  std::vector<std::pair<const char*, const char*>> knobs;
};

const std::vector<Configuration>& Configurations() {
  static const auto* const kConfigurations = new std::vector<Configuration>{
      {"O2", 2, {}},
      {"O2-maxreg24", 2, {{"maxreg", "24"}}},
      {"O2-spilling", 2, {{"ra-limit", "16"}, {"ra-spill", "always"}}},
      {"O0", 0, {}},
  };
  return *kConfigurations;
}

// The best time by configuration, pass and size. Passes are in pipeline order.
struct PassTimes {
  std::string pass;
  std::map<int64_t, double> seconds;
};
std::map<std::string, std::vector<PassTimes>>& Times() {
  static auto* const kTimes = new std::map<std::string, std::vector<PassTimes>>;
  return *kTimes;
}

void Note(std::vector<PassTimes>& times, const RunReport& report, int64_t size) {
  times.resize(report.timings.size());
  for (size_t i = 0; i < report.timings.size(); ++i) {
    times[i].pass = report.timings[i].name;
    double& best = times[i].seconds.emplace(size, 1e9).first->second;
    best = std::min(best, report.timings[i].seconds);
  }
}

void Compile(benchmark::State& state, const Configuration& configuration,
             const std::shared_ptr<const SourceBuffer>& buffer, bool is_generated) {
  const absl::StatusOr<ptx::Subtarget> subtarget = ptx::Subtarget::Create("sm_80", "");
  Knobs knobs;
  for (const auto& [name, value] : configuration.knobs) {
    if (!knobs.Set(name, value, KnobOrigin::kCommandLine).ok()) return state.SkipWithError("no such knob");
  }
  const Pipeline pipeline = BuildStandardPipeline(configuration.opt_level);
  RunOptions options;
  options.opt_level = configuration.opt_level;
  options.inputs.subtarget = &*subtarget;
  options.inputs.knobs = &knobs;
  options.time_passes = true;
  double best = 1e9;
  double instructions = 0;
  std::vector<PassTimes> times;
  for (auto _ : state) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
    if (module == nullptr) return state.SkipWithError("the file cannot be read");
    instructions = 0;
    for (const auto& function : module->machine_functions()) instructions += double(function->CountInstrs());
    RunReport report;
    const double start = bench::ThreadSeconds();
    if (!RunPipeline(*module, pipeline, options, diagnostics, report)) return state.SkipWithError("not compiled");
    const double seconds = bench::ThreadSeconds() - start;
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    if (is_generated) Note(Times()[configuration.name], report, state.range(0));
  }
  state.counters["ns/instr"] = best * 1e9 / instructions;
}

void RegisterAll(const std::vector<std::shared_ptr<const SourceBuffer>>& files) {
  for (const Configuration& configuration : Configurations()) {
    const auto run_generated = [&configuration](benchmark::State& state) {
      bench::GeneratorOptions options;
      options.instructions = static_cast<size_t>(state.range(0));
      const auto buffer = std::make_shared<const SourceBuffer>("generated.mir", bench::GenerateMir(options));
      Compile(state, configuration, buffer, /*is_generated=*/true);
    };
    benchmark::RegisterBenchmark(configuration.name, run_generated)
        ->RangeMultiplier(10)
        ->Range(100, 1000000)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(3)
        ->UseManualTime();
    for (const auto& file : files) {
      benchmark::RegisterBenchmark(StrCat(configuration.name, "/", file->name()).c_str(),
                                   [&configuration, file](benchmark::State& state) {
                                     Compile(state, configuration, file, /*is_generated=*/false);
                                   })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(3)
          ->UseManualTime();
    }
  }
}

// Omits passes that take almost no time: their slope is noise.
void PrintTable() {
  constexpr double kLeastShare = 0.002;
  for (const auto& [name, passes] : Times()) {
    double total = 0;
    for (const PassTimes& pass : passes) total += pass.seconds.rbegin()->second;
    std::printf("\n%s: %.3f s in passes at the largest size\n%8s  %10s  %5s  pass\n", name.c_str(), total, "share",
                "ns/instr", "slope");
    for (const PassTimes& pass : passes) {
      const auto [size, seconds] = *pass.seconds.rbegin();
      if (seconds < total * kLeastShare) continue;
      std::map<int64_t, double> fitted = pass.seconds;
      fitted.erase(fitted.begin(), fitted.lower_bound(1000));
      std::printf("%7.1f%%  %10.1f  %5.2f  %s\n", 100 * seconds / total, seconds * 1e9 / static_cast<double>(size),
                  bench::LogLogSlope(fitted), pass.pass.c_str());
    }
  }
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::shared_ptr<const ptxmir::SourceBuffer>> files;
  for (int i = 1; i < argc; ++i) {
    auto buffer = ptxmir::SourceBuffer::FromFile(argv[i]);
    if (!buffer.ok()) {
      std::fprintf(stderr, "pipeline_benchmark: cannot read '%s'\n", argv[i]);
      return 1;
    }
    files.push_back(*std::move(buffer));
  }
  ptxmir::RegisterAll(files);
  benchmark::RunSpecifiedBenchmarks();
  ptxmir::PrintTable();
  return 0;
}

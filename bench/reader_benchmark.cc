// SPDX-License-Identifier: Apache-2.0

// Measures how fast MIR is read, relative to a loop that only counts the lines of the same text.
//
//     reader_benchmark [benchmark flags] [FILE.mir ...]
//
// Without files, it reads a generated file of 300,000 instructions in one function, and one of the same size in
// 300 functions. The figures to watch are `ratio`, the time of the reader over the time of the loop, and
// `memchr_ratio`, the same with a loop that uses the C library's vectorized search.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/diagnostics.h"
#include "bench/mir_generator.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Clock = std::chrono::steady_clock;

// Looks at one character after the other, as a reader must.
size_t CountLines(const std::string& text) {
  size_t lines = 0;
  for (const char c : text) lines += c == '\n';
  return lines;
}

// Uses the C library's search, which looks at a vector of characters at a time.
size_t FindLines(const std::string& text) {
  size_t lines = 0;
  const char* p = text.data();
  const char* end = p + text.size();
  while ((p = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)))) != nullptr) {
    ++lines;
    ++p;
  }
  return lines;
}

double SecondsPerCount(size_t (*count)(const std::string&), const std::string& text) {
  constexpr int kRounds = 10;
  double best = 1e9;
  for (int i = 0; i < kRounds; ++i) {
    const Clock::time_point begin = Clock::now();
    size_t lines = count(text);
    benchmark::DoNotOptimize(lines);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

void ReadFile(benchmark::State& state, const std::shared_ptr<const SourceBuffer>& buffer) {
  const std::string text(buffer->text());
  size_t instrs = 0;
  double best = 1e9;
  for (auto _ : state) {
    DiagnosticEngine diagnostics;
    const Clock::time_point begin = Clock::now();
    std::unique_ptr<Module> module = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    if (module == nullptr) {
      state.SkipWithError(diagnostics.ToString().c_str());
      return;
    }
    instrs = 0;
    for (const auto& function : module->machine_functions()) instrs += function->CountInstrs();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
  state.counters["instrs"] = static_cast<double>(instrs);
  state.counters["instrs/s"] = static_cast<double>(instrs) / best;
  state.counters["ratio"] = best / SecondsPerCount(CountLines, text);
  state.counters["memchr_ratio"] = best / SecondsPerCount(FindLines, text);
}

void Lines(benchmark::State& state, const std::shared_ptr<const SourceBuffer>& buffer) {
  const std::string text(buffer->text());
  for (auto _ : state) benchmark::DoNotOptimize(CountLines(text));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void Register(const std::string& name, std::shared_ptr<const SourceBuffer> buffer) {
  benchmark::RegisterBenchmark(("read/" + name).c_str(), ReadFile, buffer)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("lines/" + name).c_str(), Lines, std::move(buffer))->Unit(benchmark::kMillisecond);
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    auto buffer = SourceBuffer::FromFile(argv[i]);
    if (!buffer.ok()) {
      std::fprintf(stderr, "%s\n", std::string(buffer.status().message()).c_str());
      return 1;
    }
    Register(argv[i], *std::move(buffer));
  }
  if (argc == 1) {
    for (const size_t functions : {1, 300}) {
      const std::string name = std::to_string(functions) + "_functions";
      Register(name, std::make_shared<const SourceBuffer>(
                         name, bench::GenerateMir({.instructions = 300000, .functions = functions})));
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) { return ptxmir::Main(argc, argv); }

// SPDX-License-Identifier: Apache-2.0

// Measures the stages of reading LLVM IR text: the module level, the bodies, upgrading, verifying, releasing the
// memory; with --write also writing it again.
//
//     ir_reader_benchmark [--runs=N] [--write] FILE.ll ...
//
// It prints the minimum and the median of each stage in milliseconds. With --runs=1 it is what compare_with_llvm_as.py
// compares with llvm-as.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "ir/ir_reader.h"
#include "ir/module.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"
#include "ir/upgrade/upgrade.h"
#include "ir/verify/verifier.h"

namespace ptxmir {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<const char*, 7> kStages = {"module", "bodies", "upgrade", "verify", "write", "release", "all"};

// Reads the file once and adds the time of each stage. Returns false after an error.
bool Measure(const std::shared_ptr<const SourceBuffer>& buffer, bool writes,
             std::array<std::vector<double>, kStages.size()>& times) {
  DiagnosticEngine diagnostics;
  size_t stage = 0;
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  const auto lap = [&] {
    const Clock::time_point now = Clock::now();
    times[stage++].push_back(std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
  };
  auto module = std::make_unique<Module>();
  module->KeepSource(buffer);
  ReadIrModule(*buffer, buffer->text(), *module, diagnostics);
  lap();
  auto program = std::make_unique<ir::Program>(*module);
  ir::ReadBodies(*program, diagnostics);
  lap();
  ir::UpgradeProgram(*program);
  lap();
  ir::VerifyProgram(*program, diagnostics);
  lap();
  std::string text;
  if (writes && !diagnostics.has_errors()) ir::WriteProgram(*program, &text);
  lap();
  program.reset();
  module.reset();
  lap();
  last = begin;
  lap();
  if (diagnostics.has_errors()) std::fputs(diagnostics.ToString().c_str(), stderr);
  return !diagnostics.has_errors();
}

int Main(int argc, char** argv) {
  int runs = 21;
  bool writes = false;
  for (int i = 1; i < argc; ++i) {
    constexpr std::string_view kRuns = "--runs=";
    if (std::string_view(argv[i]).substr(0, kRuns.size()) == kRuns) {
      runs = std::atoi(argv[i] + kRuns.size());
      continue;
    }
    if (std::string_view(argv[i]) == "--write") {
      writes = true;
      continue;
    }
    auto buffer = SourceBuffer::FromFile(argv[i]);
    if (!buffer.ok()) {
      std::fprintf(stderr, "%s\n", std::string(buffer.status().message()).c_str());
      return 1;
    }
    const std::shared_ptr<const SourceBuffer> source = *std::move(buffer);
    std::array<std::vector<double>, kStages.size()> times;
    for (int run = 0; run < runs; ++run) {
      if (!Measure(source, writes, times)) return 1;
    }
    std::printf("%s, %.1f MB, %d runs\n", argv[i], static_cast<double>(source->text().size()) / 1e6, runs);
    for (size_t stage = 0; stage < kStages.size(); ++stage) {
      std::vector<double>& samples = times[stage];
      std::sort(samples.begin(), samples.end());
      std::printf("  %-8s min %7.2f ms, median %7.2f ms\n", kStages[stage], samples.front(),
                  samples[samples.size() / 2]);
    }
  }
  return 0;
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) { return ptxmir::Main(argc, argv); }

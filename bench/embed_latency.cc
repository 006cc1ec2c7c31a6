// SPDX-License-Identifier: Apache-2.0

// Measures how long a program waits for PTX if it compiles one kernel in its own process, from MIR files and from
// calls to the kernel builder. For the files, it also measures LLVM if it is built with LLVM
// (embed_latency_with_llvm).
//
//     bazel run -c opt //bench:embed_latency -- $PWD/examples/saxpy.mir $PWD/examples/sgemm.mir
//     bazel run -c opt //bench:embed_latency_with_llvm -- ...
//
// Contenders run alternately, so that other load affects all of them alike. All run at -O2 for sm_80 on one
// thread, and the figures are that thread's processor time. Objects that can be created once (options and
// pipeline, LLVM's TargetMachine) are created once.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "bench/embed_latency_kernels.h"
#include "bench/embed_latency_llvm.h"
#include "bench/measuring.h"
#include "ptxmir/compiler.h"
#include "ptxmir/kernel_builder.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Contender {
  std::string name;
  std::function<size_t()> run;     // returns the size of the PTX; 0: an error
  std::vector<double> times = {};  // in microseconds
};

// Returns the value that the fraction `part` of the times does not exceed.
double Quantile(std::vector<double> times, double part) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

bool Measure(std::vector<Contender>& contenders, std::chrono::milliseconds duration) {
  const Clock::time_point end = Clock::now() + duration;
  for (int round = 0; Clock::now() < end || round < 20; ++round) {
    for (Contender& contender : contenders) {
      const double start = ptxmir::bench::ThreadSeconds();
      if (contender.run() == 0) {
        std::fprintf(stderr, "embed_latency: %s failed\n", contender.name.c_str());
        return false;
      }
      const double time = (ptxmir::bench::ThreadSeconds() - start) * 1e6;
      // The first rounds warm up caches and allocators.
      if (round >= 5) contender.times.push_back(time);
    }
  }
  return true;
}

void Report(const std::vector<Contender>& contenders) {
  const double ours = Quantile(contenders[0].times, 0.5);
  for (const Contender& contender : contenders) {
    const double median = Quantile(contender.times, 0.5);
    std::printf("  %-24s median %9.1f us, best %9.1f us, 95%% within %9.1f us, %6.1f times ptxmir's, %zu runs\n",
                contender.name.c_str(), median, Quantile(contender.times, 0), Quantile(contender.times, 0.95),
                median / ours, contender.times.size());
  }
}

bool MeasureFile(const char* path, const ptxmir::Compiler& compiler, std::chrono::milliseconds duration) {
  std::ifstream file(path, std::ios::binary);
  const std::string mir{std::istreambuf_iterator<char>(file), {}};
  std::vector<Contender> contenders;
  contenders.push_back({"ptxmir, MIR to PTX", [&] {
                          const ptxmir::CompileResult result = compiler.Compile(mir, path);
                          if (!result.ok) std::fputs(result.MessageText().c_str(), stderr);
                          return result.output.size();
                        }});
  const std::unique_ptr<ptxmir::LlvmCompiler> llvm = ptxmir::CreateLlvmCompiler("sm_80", "+ptx88");
  std::string ir;
  if (llvm != nullptr) {
    ir = llvm->IrOfMir(mir);
    contenders.push_back({"LLVM, MIR to PTX", [&] { return llvm->CompileMir(mir).size(); }});
    contenders.push_back({"LLVM, IR to PTX", [&] { return llvm->CompileIr(ir).size(); }});
    contenders.push_back({"  of that, reading MIR", [&] { return llvm->ReadMir(mir); }});
  }
  if (!Measure(contenders, duration)) return false;
  std::printf("%s: %zu bytes of MIR\n", path, mir.size());
  Report(contenders);
  return true;
}

// Times everything from the first call of the builder on.
bool MeasureBuilding(const char* name, void (*build)(ptxmir::builder::KernelModule&), const ptxmir::Compiler& compiler,
                     std::chrono::milliseconds duration) {
  std::vector<Contender> contenders;
  contenders.push_back({"ptxmir, calls to PTX", [&] {
                          ptxmir::builder::KernelModule module({.sm = "sm_80"});
                          build(module);
                          const ptxmir::CompileResult result = ptxmir::builder::Compile(module, compiler);
                          if (!result.ok) std::fputs(result.MessageText().c_str(), stderr);
                          return result.output.size();
                        }});
  contenders.push_back({"  of that, the calls", [&] {
                          ptxmir::builder::KernelModule module({.sm = "sm_80"});
                          build(module);
                          return size_t{module.status().ok()};
                        }});
  if (!Measure(contenders, duration)) return false;
  std::printf("%s, built by calls\n", name);
  Report(contenders);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: embed_latency FILE.mir...\n");
    return 2;
  }
  ptxmir::CompileOptions options;
  options.flags = {"-O2", "-mcpu=sm_80"};
  const double start = ptxmir::bench::ThreadSeconds();
  const ptxmir::Compiler compiler(options);
  std::printf("making a ptxmir::Compiler, once: %.1f us\n", (ptxmir::bench::ThreadSeconds() - start) * 1e6);
  for (int i = 1; i < argc; ++i) {
    if (!MeasureFile(argv[i], compiler, std::chrono::seconds(5))) return 1;
  }
  const bool ok = MeasureBuilding("saxpy", ptxmir::BuildSaxpy, compiler, std::chrono::seconds(2)) &&
                  MeasureBuilding("tiled GEMM", ptxmir::BuildTiledGemm, compiler, std::chrono::seconds(2));
  return ok ? 0 : 1;
}

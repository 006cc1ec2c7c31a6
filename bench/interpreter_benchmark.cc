// SPDX-License-Identifier: Apache-2.0

// Measures how many thread instructions per second the interpreter executes. The inputs are kernels of
// tests/corpus, each with options of ptxmir-run. To be run from the root of the repository, built with -c opt.
//
//     bazel build -c opt //bench:interpreter_benchmark && bazel-bin/bench/interpreter_benchmark
//
// The figure to watch is `thread_instrs`: at least 20 million per second for each kernel. `lanes` is the average
// number of lanes per warp instruction.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "tools/run/kernel_run.h"
#include "tools/run/kernel_run_options.h"

namespace ptxmir {
namespace {

struct KernelCase {
  std::string_view name;
  std::string_view unit;     // tests/corpus/unit.mir
  std::string_view options;  // options of ptxmir-run, without --arg=
  std::vector<std::string_view> arguments;
};

const KernelCase kCases[] = {
    // Computation: integers, floats, doubles, matrix products.
    {"compute/sha256",
     "sha256",
     "--kernel=HashBlocks --grid=4 --block=128",
     {"buffer:u32:16384:random:1", "i32:2", "buffer:u32:4096:undef"}},
    {"compute/nbody_f32",
     "nbody",
     "--kernel=AllPairsPK6float4 --grid=2 --block=256",
     {"buffer:f32:2048:random:1:0:1", "buffer:f32:1536:undef", "i32:512", "f32:0.01"}},
    {"compute/nbody_f64",
     "nbody",
     "--kernel=AllPairsDouble --grid=4 --block=32 --shared=1024",
     {"buffer:f64:128:random:1:0:1", "buffer:f64:128:random:2:0:1", "buffer:f64:128:random:3:0:1",
      "buffer:f64:128:random:4:0:1", "buffer:f64:384:undef", "i32:128"}},
    {"compute/hgemm_mma",
     "hgemm_mma",
     "--kernel=HgemmTensor --grid=1 --block=256 --shared=65536",
     {"i32:128", "i32:128", "i32:64", "buffer:f16:8192:random:1:-1:1", "buffer:f16:8192:random:2:-1:1",
      "buffer:f32:16384:undef"}},
    // Data movement in global memory.
    {"memory/heat",
     "stencil_2d",
     "--kernel=Heat --grid=4,8 --block=32,16",
     {"buffer:f32:16384:random:1:0:1", "buffer:f32:16384:undef", "i32:128", "i32:128", "f32:0.2"}},
    {"memory/layer_norm",
     "norms",
     "--kernel=LayerNormIfE --grid=16 --block=128",
     {"buffer:f32:16384:random:1:-1:1", "buffer:f32:1024:random:2:-1:1", "buffer:f32:1024:random:3:-1:1",
      "buffer:f32:16384:undef", "i32:1024", "f32:0.001"}},
    {"memory/rms_norm_bf16",
     "norms",
     "--kernel=RmsNormBf16 --grid=16 --block=128",
     {"buffer:u16:16384:fill:16256", "buffer:u16:1024:fill:16256", "buffer:u16:16384:undef", "i32:128", "f32:0.001"}},
    // Shared memory and barriers.
    {"shared/sgemm_128",
     "sgemm_f32",
     "--kernel=Sgemm128 --grid=1 --block=256",
     {"i32:128", "i32:128", "i32:64", "f32:1", "buffer:f32:8192:random:1:-1:1", "buffer:f32:8192:random:2:-1:1",
      "f32:0", "buffer:f32:16384:undef"}},
    {"shared/sgemm_guarded",
     "sgemm_f32",
     "--kernel=SgemmGuarded --grid=4,4 --block=16,16",
     {"i32:64", "i32:64", "i32:64", "buffer:f32:4096:random:1:-1:1", "buffer:f32:4096:random:2:-1:1",
      "buffer:f32:4096:undef"}},
    {"shared/bitonic_sort",
     "bitonic_sort",
     "--kernel=SortShared --grid=2 --block=512",
     {"buffer:f32:2048:random:1:0:1"}},
    {"shared/transpose",
     "shared_memory",
     "--kernel=TransposeSwizzled --grid=4,4 --block=256",
     {"buffer:f32:65536:random:1:0:1", "buffer:f32:65536:undef", "i32:64"}},
    // Divergence.
    {"divergent/mandelbrot",
     "fractals",
     "--kernel=MandelbrotIfE --grid=2,64 --block=64",
     {"buffer:u32:8192:undef", "i32:128", "i32:64", "f32:-2", "f32:-1.2", "f32:0.025", "i32:200"}},
    {"divergent/buddhabrot",
     "fractals",
     "--kernel=Buddhabrot --grid=8 --block=64",
     {"buffer:u32:4096:zero", "i32:64", "u32:99", "i32:200"}},
    {"divergent/newton",
     "fractals",
     "--kernel=Newton --grid=1,64 --block=64",
     {"buffer:u8:4096:undef", "i32:64", "f64:0.05"}},
    // Collectives of warps, atomics, halves.
    {"warp/sort", "bitonic_sort", "--kernel=SortWarp --grid=32 --block=128", {"buffer:i32:4096:random:1"}},
    {"atomic/byte_histogram",
     "histogram",
     "--kernel=ByteHistogram --grid=4 --block=256",
     {"buffer:u8:65536:random:1", "i32:4096", "buffer:u32:256:zero"}},
    {"half/julia",
     "fractals",
     "--kernel=JuliaHalf --grid=1,64 --block=32",
     {"buffer:u8:4096:undef", "i32:64", "hex:003400b8", "i32:100"}},
};

absl::StatusOr<std::unique_ptr<KernelRun>> Prepare(const KernelCase& kernel) {
  std::vector<std::string> words = {StrCat("tests/corpus/", kernel.unit, ".mir")};
  for (const absl::string_view option : absl::StrSplit(ToAbsl(kernel.options), ' ')) words.emplace_back(option);
  for (const std::string_view argument : kernel.arguments) words.push_back(StrCat("--arg=", argument));
  KernelRunOptions options;
  const std::vector<std::string_view> views(words.begin(), words.end());
  if (const absl::Status status = ParseRunCommandLine(RunTool::kInterpreter, views, options); !status.ok())
    return status;
  DiagnosticEngine diagnostics;
  return KernelRun::Prepare(options, diagnostics);
}

void BM_Kernel(benchmark::State& state, const KernelCase& kernel) {
  const absl::StatusOr<std::unique_ptr<KernelRun>> run = Prepare(kernel);
  if (!run.ok()) return state.SkipWithError(std::string(run.status().message()).c_str());
  uint64_t threads = 0;
  uint64_t warps = 0;
  for (auto _ : state) {
    const absl::StatusOr<ptx::LaunchResult> result = (*run)->Launch();
    if (!result.ok()) return state.SkipWithError(std::string(result.status().message()).c_str());
    if (result->fault.is_fault()) return state.SkipWithError(result->fault.ToString().c_str());
    threads += result->counts.thread_instructions;
    warps += result->counts.warp_instructions;
  }
  state.counters["thread_instrs"] = benchmark::Counter(static_cast<double>(threads), benchmark::Counter::kIsRate);
  state.counters["lanes"] = static_cast<double>(threads) / static_cast<double>(warps);
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const ptxmir::KernelCase& kernel : ptxmir::kCases) {
    benchmark::RegisterBenchmark(std::string(kernel.name).c_str(), [&kernel](benchmark::State& state) {
      ptxmir::BM_Kernel(state, kernel);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

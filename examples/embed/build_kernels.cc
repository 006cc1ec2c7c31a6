// SPDX-License-Identifier: Apache-2.0

// Builds kernels from C++, without machine IR or LLVM, and compiles them to PTX:
//
//     build_kernels [OPTION...] > kernels.ptx
//
// The kernels are saxpy, a tiled matrix product, and a sum over blocks by shuffles. The options are ptxmir's.

#include <cstdio>
#include <span>
#include <vector>

#include "ptxmir/kernel_builder.h"

namespace {

using namespace ptxmir::builder;  // NOLINT: an example

// Builds y[i] = a * x[i] + y[i] for i < n.
void BuildSaxpy(KernelModule& module) {
  KernelBuilder& k = module.CreateKernel("saxpy", {kI32, kF32, kGlobalPointer, kGlobalPointer});
  const Value i = k.GlobalThreadIdX();
  k.If(k.Less(i, k.Argument(0)), [&] {
    const Value x = k.Load(kF32, k.ElementAddress(kF32, k.Argument(2), i));
    const Value y = k.ElementAddress(kF32, k.Argument(3), i);
    k.Store(k.Fma(k.Argument(1), x, k.Load(kF32, y)), y);
  });
  k.Return();
}

// Builds c = a * b for row-major n x n matrices, n a multiple of 16. A block of 16 x 16 threads computes a tile of
// c.
void BuildGemm(KernelModule& module) {
  constexpr int kTile = 16;
  KernelBuilder& k = module.CreateKernel("gemm", {kI32, kGlobalPointer, kGlobalPointer, kGlobalPointer},
                                         {.required_threads = {kTile, kTile, 1}});
  const Value n = k.Argument(0);
  const Value x = k.ThreadIdX();
  const Value y = k.ThreadIdY();
  const Value a_tile = k.SharedArray("a_tile", kF32, kTile * kTile);
  const Value b_tile = k.SharedArray("b_tile", kF32, kTile * kTile);
  const Value row = k.Add(k.Mul(k.BlockIdY(), k.I32(kTile)), y);
  const Value column = k.Add(k.Mul(k.BlockIdX(), k.I32(kTile)), x);
  const Value a_row = k.Add(k.Mul(row, n), x);  // the row of a from which the thread loads, at its column
  const Value in_tile = k.Add(k.Mul(y, k.I32(kTile)), x);
  const std::vector<Value> sums = k.ForRange(
      k.I32(0), n, k.I32(kTile), {k.F32(0)}, [&](Value begin, std::span<const Value> carried) -> std::vector<Value> {
        const Value from_a = k.ElementAddress(kF32, k.Argument(1), k.Add(a_row, begin));
        const Value from_b = k.ElementAddress(kF32, k.Argument(2), k.Add(k.Mul(k.Add(begin, y), n), column));
        k.Store(k.Load(kF32, from_a), k.ElementAddress(kF32, a_tile, in_tile));
        k.Store(k.Load(kF32, from_b), k.ElementAddress(kF32, b_tile, in_tile));
        k.Barrier();
        Value sum = carried[0];
        for (int i = 0; i < kTile; ++i) {
          const Value a = k.Load(kF32, k.ElementAddress(kF32, a_tile, k.Add(k.Mul(y, k.I32(kTile)), k.I32(i))));
          const Value b = k.Load(kF32, k.ElementAddress(kF32, b_tile, k.Add(x, k.I32(i * kTile))));
          sum = k.Fma(a, b, sum);
        }
        k.Barrier();
        return {sum};
      });
  k.Store(sums[0], k.ElementAddress(kF32, k.Argument(3), k.Add(k.Mul(row, n), column)));
  k.Return();
}

// Builds out[block] = the sum of the block's 256 values of `in`.
void BuildReduction(KernelModule& module) {
  constexpr int kThreads = 256;
  constexpr int kWarps = kThreads / 32;
  KernelBuilder& k =
      module.CreateKernel("block_sums", {kGlobalPointer, kGlobalPointer}, {.required_threads = {kThreads, 1, 1}});
  // Returns the sum over the lanes of a warp, in lane 0.
  const auto warp_sum = [&](Value value) {
    for (int distance = 16; distance > 0; distance /= 2) {
      value = k.Add(value, k.Shuffle(ShuffleKind::kDown, value, k.I32(distance)));
    }
    return value;
  };
  const Value thread = k.ThreadIdX();
  const Value sums = k.SharedArray("sums", kF32, kWarps);
  const Value lane = k.And(thread, k.I32(31));
  const Value warp = k.LShr(thread, k.I32(5));
  const Value of_warp = warp_sum(k.Load(kF32, k.ElementAddress(kF32, k.Argument(0), k.GlobalThreadIdX())));
  k.If(k.Equal(lane, k.I32(0)), [&] { k.Store(of_warp, k.ElementAddress(kF32, sums, warp)); });
  k.Barrier();
  k.If(k.Equal(warp, k.I32(0)), [&] {
    const Value is_partial = k.Less(lane, k.I32(kWarps));
    const Value at = k.ElementAddress(kF32, sums, k.Select(is_partial, lane, k.I32(0)));
    const Value of_block = warp_sum(k.Select(is_partial, k.Load(kF32, at), k.F32(0)));
    k.If(k.Equal(lane, k.I32(0)), [&] { k.Store(of_block, k.ElementAddress(kF32, k.Argument(1), k.BlockIdX())); });
  });
  k.Return();
}

}  // namespace

int main(int argc, char** argv) {
  KernelModule module({.sm = "sm_80"});
  BuildSaxpy(module);
  BuildGemm(module);
  BuildReduction(module);

  ptxmir::CompileOptions options;
  options.flags.assign(argv + 1, argv + argc);
  const ptxmir::CompileResult result = Compile(module, options);
  std::fputs(result.MessageText().c_str(), stderr);
  if (!result.ok) return 1;
  std::fwrite(result.output.data(), 1, result.output.size(), stdout);
  return 0;
}

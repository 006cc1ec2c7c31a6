// SPDX-License-Identifier: Apache-2.0

#include "bench/embed_latency_kernels.h"

#include <span>
#include <vector>

namespace ptxmir {

using namespace builder;  // the whole file uses its names

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

void BuildTiledGemm(KernelModule& module) {
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

}  // namespace ptxmir

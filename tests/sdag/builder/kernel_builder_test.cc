// SPDX-License-Identifier: Apache-2.0

// DAGs that KernelBuilder builds: they verify, and every mistake gives an error that names the call.

#include "ptxmir/kernel_builder.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir::builder {
namespace {

void BuildSaxpy(KernelModule& module) {
  KernelBuilder& k = module.CreateKernel("saxpy", {kI32, kF32, kGlobalPointer, kGlobalPointer});
  Value i = k.GlobalThreadIdX();
  k.If(k.Less(i, k.Argument(0)), [&] {
    Value x = k.Load(kF32, k.ElementAddress(kF32, k.Argument(2), i));
    Value at = k.ElementAddress(kF32, k.Argument(3), i);
    k.Store(k.Fma(k.Argument(1), x, k.Load(kF32, at)), at);
  });
  k.Return();
}

std::string DagTextOf(KernelModule& module) {
  const Result<std::string> text = module.DagText();
  EXPECT_TRUE(text.ok()) << text.status().message();
  return *text;
}

TEST(KernelBuilderTest, Saxpy) {
  KernelModule module;
  BuildSaxpy(module);
  const std::string text = DagTextOf(module);
  EXPECT_NE(text.find("define ptx_kernel void @saxpy(i32 %0, float %1, ptr addrspace(1) %2, ptr addrspace(1) %3)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("f32 = fma"), std::string::npos) << text;
  EXPECT_NE(text.find("brcond"), std::string::npos) << text;
}

TEST(KernelBuilderTest, CallsInlineAssemblyAndWhatThreadsDoTogether) {
  KernelModule module({.sm = "sm_90"});
  KernelBuilder& f = module.CreateFunction("f", kI8, {kI8, kI128, kF32x4, kI1, kF16, kGlobalPointer});
  f.Return(f.Select(f.Argument(3), f.Argument(0), f.Trunc(f.Argument(1), kI8)));
  KernelBuilder& k = module.CreateKernel("k", {kI8, kI128, kF32x4, kI1, kF16, kGlobalPointer}, {.max_threads = {256}});
  Value r = k.Call(f, {k.Argument(0), k.Argument(1), k.Argument(2), k.Argument(3), k.Argument(4), k.Argument(5)});
  k.Store(r, k.Argument(5));
  k.Barrier();
  const Type results[] = {kI32, kF32};
  const Value arguments[] = {k.ThreadIdX(), k.F32(1)};
  const std::vector<Value> asm_values = k.InlineAsm("{ mov.b32 $0, $2; mov.b32 $1, $3; }", results, arguments, "rfrf");
  Value sum = k.Shuffle(ShuffleKind::kButterfly, k.Argument(1), k.I32(1));
  k.If(k.Vote(VoteKind::kAny, k.Argument(3)), [&] {
    k.Store(sum, k.Argument(5));
    k.Store(k.Argument(2), k.Argument(5), {.align = 16});
    k.Store(r, k.Argument(5));
    k.Store(asm_values[0], k.Argument(5));
    k.Fence();
    k.AtomicRmw(AtomicOp::kAdd, k.Argument(5), asm_values[0], Order::kAcquireRelease, Scope::kBlock);
  });
  k.Return();
  const std::string text = DagTextOf(module);
  EXPECT_NE(text.find("NVPTXISD::DeclareArrayParam"), std::string::npos) << text;
  EXPECT_NE(text.find("\"nvvm.maxntid\"=\"256\""), std::string::npos) << text;
}

TEST(KernelBuilderTest, LoopsCarryValues) {
  KernelModule module;
  KernelBuilder& k = module.CreateKernel("sum", {kGlobalPointer, kI32});
  const std::vector<Value> sums = k.ForRange(k.I32(0), k.Argument(1), k.I32(1), {k.F32(0), k.Constant(kI128, 0)},
                                             [&](Value i, std::span<const Value> carried) -> std::vector<Value> {
                                               Value x = k.Load(kF32, k.ElementAddress(kF32, k.Argument(0), i));
                                               Value wide = k.Add(carried[1], k.SExt(i, kI128));
                                               return {k.Add(carried[0], x), wide};
                                             });
  k.Store(sums[0], k.Argument(0));
  k.Store(sums[1], k.Argument(0));
  k.Return();
  const std::string text = DagTextOf(module);
  EXPECT_NE(text.find("PHI"), std::string::npos) << text;
}

}  // namespace
}  // namespace ptxmir::builder

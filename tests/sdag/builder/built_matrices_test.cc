// SPDX-License-Identifier: Apache-2.0

// Every form of mma, and tensor core instructions that have no call of their own, in kernels made with the builder.

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "tests/sdag/builder/kernel_runner.h"
#include "tests/support/sanitized.h"

namespace ptxmir::builder {
namespace {

using Buffers = std::vector<std::vector<uint8_t>>;
using E = MatrixElement;

struct FormCase {
  MmaForm form;
  std::string sm = "sm_80";
};

// Returns a register full of elements that are 1 or, for kB1, full of set bits.
Value Ones(KernelBuilder& k, E element) {
  switch (element) {
    case E::kF16:
      return k.ConstantFloat(kF16x2, 1);
    case E::kBF16:
      return k.ConstantFloat(kBF16x2, 1);
    case E::kTF32:
    case E::kF32:
      return k.F32(1);
    case E::kF64:
      return k.F64(1);
    case E::kS8:
    case E::kU8:
      return k.I32(0x01010101);
    case E::kS4:
    case E::kU4:
      return k.I32(0x11111111);
    case E::kB1:
      return k.I32(-1);
    case E::kE4M3:
      return k.I32(0x38383838);
    case E::kE5M2:
      return k.I32(0x3c3c3c3c);
    case E::kE3M2:
      return k.I32(0x0c0c0c0c);
    case E::kE2M3:
      return k.I32(0x08080808);
    case E::kE2M1:
      // The element is in the middle of a byte.
      return k.I32(0x08080808);
    case E::kS32:
      return k.I32(1);
  }
  return {};
}

// Builds a form with given numbers of registers. The right numbers are found by trying, because too few and too
// many are errors.
std::vector<Value> BuildForm(KernelBuilder& k, const MmaForm& form, unsigned a, unsigned b, unsigned c) {
  // With xor, differing bits are counted.
  const Value in_b = form.b == E::kB1 && !form.combines_with_and ? k.I32(0) : Ones(k, form.b);
  return k.Mma(form, std::vector<Value>(a, Ones(k, form.a)), std::vector<Value>(b, in_b),
               std::vector<Value>(c, Ones(k, form.result)));
}

struct Counts {
  unsigned a, b, c;
};
Counts CountsOf(const MmaForm& form) {
  const auto bits = [](E element) -> unsigned {
    if (element == E::kF16 || element == E::kBF16) return 16;
    if (element == E::kTF32 || element == E::kF32 || element == E::kS32) return 32;
    if (element == E::kF64) return 64;
    if (element == E::kS4 || element == E::kU4) return 4;
    return element == E::kB1 ? 1 : 8;
  };
  const unsigned matrices = form.a == E::kF16 && form.m == 8 ? 4 : 1;
  const auto count = [&](E element, unsigned elements) {
    return elements * bits(element) * matrices / 32 / (element == E::kF64 ? 64 : 32);
  };
  return {count(form.a, form.m * form.k), count(form.b, form.k * form.n), count(form.result, form.m * form.n)};
}

// Checks that each element of the result is k + 1.
void RunForm(const FormCase& test) {
  const MmaForm& form = test.form;
  SCOPED_TRACE(::testing::Message() << "m" << form.m << "n" << form.n << "k" << form.k << ", element "
                                    << static_cast<int>(form.a) << " and " << static_cast<int>(form.b) << ", "
                                    << static_cast<int>(form.result));
  const Counts counts = CountsOf(form);
  Launch launch;
  launch.block = {32};
  launch.Buffer(std::vector<double>(32 * 8));
  RunEverywhere(
      [&](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer});
        std::vector<Value> results = BuildForm(k, form, counts.a, counts.b, counts.c);
        const Value base = k.ElementAddress(kF64, k.Argument(0), k.Mul(k.ThreadIdX(), k.I32(8)));
        for (size_t i = 0; i < results.size(); ++i) {
          Value element = results[i];
          if (form.result == E::kF16) element = k.ExtractElement(element, i % 2);
          if (form.result == E::kS32) element = k.SIntToFP(element, kF64);
          if (form.result == E::kF16 || form.result == E::kF32) element = k.FPExt(element, kF64);
          k.Store(element, k.PointerAdd(base, static_cast<int64_t>(8 * i)));
        }
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<double> results = ElementsOf<double>(buffers[0]);
        for (unsigned i = 0; i < 32 * 8; ++i) EXPECT_EQ(results[i], i % 8 < counts.c ? form.k + 1.0 : 0) << i;
      },
      {test.sm});
}

TEST(BuiltMatricesTest, FloatingPointForms) {
  for (const E result : {E::kF16, E::kF32}) {
    RunForm({{8, 8, 4, E::kF16, E::kF16, result}});
    RunForm({{16, 8, 8, E::kF16, E::kF16, result}});
    RunForm({{16, 8, 16, E::kF16, E::kF16, result}});
  }
  RunForm({{.m = 8, .n = 8, .k = 4, .a = E::kF16, .b = E::kF16, .result = E::kF32, .a_is_by_columns = true}});
  RunForm({{.m = 8, .n = 8, .k = 4, .a = E::kF16, .b = E::kF16, .result = E::kF32, .b_is_by_rows = true}});
  for (const unsigned k : {8, 16}) RunForm({{16, 8, k, E::kBF16, E::kBF16, E::kF32}});
  for (const unsigned k : {4, 8}) RunForm({{16, 8, k, E::kTF32, E::kTF32, E::kF32}});
  RunForm({{8, 8, 4, E::kF64, E::kF64, E::kF64}});
  for (const unsigned k : {4, 8, 16}) RunForm({{16, 8, k, E::kF64, E::kF64, E::kF64}, "sm_90"});
}

TEST(BuiltMatricesTest, IntegerForms) {
  for (const E a : {E::kS8, E::kU8}) {
    for (const E b : {E::kS8, E::kU8}) {
      if (testing::kIsSanitized && a == b) continue;  // these differ only in the signs of their elements
      RunForm({{8, 8, 16, a, b, E::kS32}});
      RunForm({{16, 8, 16, a, b, E::kS32}});
      RunForm({{16, 8, 32, a, b, E::kS32, true}});
    }
  }
  for (const E b : {E::kS4, E::kU4}) {
    RunForm({{8, 8, 32, E::kS4, b, E::kS32}});
    RunForm({{16, 8, 32, E::kU4, b, E::kS32, true}});
    RunForm({{16, 8, 64, E::kS4, b, E::kS32}});
  }
}

TEST(BuiltMatricesTest, BitForms) {
  for (const bool with_and : {false, true}) {
    const std::string target = with_and ? "sm_80+ptx71" : "sm_80";
    RunForm({{8, 8, 128, E::kB1, E::kB1, E::kS32, false, with_and}, target});
    RunForm({{16, 8, 128, E::kB1, E::kB1, E::kS32, false, with_and}, target});
    RunForm({{16, 8, 256, E::kB1, E::kB1, E::kS32, false, with_and}, target});
  }
}

TEST(BuiltMatricesTest, SmallFloatingPointForms) {
  for (const E a : {E::kE4M3, E::kE5M2}) {
    for (const E b : {E::kE4M3, E::kE5M2}) {
      if (testing::kIsSanitized && a == b) continue;  // these differ only in the signs of their elements
      RunForm({{16, 8, 32, a, b, E::kF32}, "sm_89+ptx84"});
      RunForm({{16, 8, 16, a, b, E::kF16}, "sm_89+ptx87"});
    }
  }
  for (const E a : {E::kE3M2, E::kE2M3, E::kE2M1}) {
    RunForm({{16, 8, 32, a, E::kE4M3, E::kF32}, "sm_120a+ptx87"});
    RunForm({{16, 8, 32, a, E::kE2M3, E::kF16}, "sm_120a+ptx87"});
  }
}

std::string MessageOf(const MmaForm& form, unsigned a, unsigned b, unsigned c) {
  KernelModule module;
  KernelBuilder& k = module.CreateKernel("k", {});
  BuildForm(k, form, a, b, c);
  return module.status().message();
}

TEST(BuiltMatricesTest, FormsThatThereAreNot) {
  EXPECT_EQ(MessageOf({16, 8, 4, E::kF16, E::kF16, E::kF32}, 1, 1, 4),
            "kernel 'k': Mma(form, a, b, c): PTX has no m16n8k4 of f16 and f16 with f32");
  EXPECT_EQ(MessageOf({16, 8, 16, E::kF16, E::kBF16, E::kF32}, 4, 2, 4),
            "kernel 'k': Mma(form, a, b, c): PTX has no m16n8k16 of f16 and bf16 with f32");
  EXPECT_EQ(MessageOf({16, 8, 16, E::kBF16, E::kBF16, E::kF16}, 4, 2, 2),
            "kernel 'k': Mma(form, a, b, c): PTX has no m16n8k16 of bf16 and bf16 with f16");
  EXPECT_EQ(MessageOf({16, 8, 16, E::kF16, E::kF16, E::kF32, true}, 4, 2, 4),
            "kernel 'k': Mma(form, a, b, c): nothing saturates in m16n8k16 of f16 and f16 with f32");
  EXPECT_EQ(MessageOf({16, 8, 16, E::kF16, E::kF16, E::kF32}, 3, 2, 4),
            "kernel 'k': Mma(form, a, b, c): a is 4 of <2 x f16>");
  EXPECT_EQ(MessageOf({16, 8, 16, E::kF16, E::kF16, E::kF32}, 4, 2, 5),
            "kernel 'k': Mma(form, a, b, c): c is 4 of f32");
  EXPECT_EQ(MessageOf({16, 8, 32, E::kE4M3, E::kE5M2, E::kF32}, 4, 2, 4),
            "kernel 'k': Mma(form, a, b, c): m16n8k32 of e4m3 and e5m2 with f32 needs sm_89");
  EXPECT_EQ(
      MessageOf({16, 8, 256, E::kB1, E::kB1, E::kS32, false, true}, 4, 2, 4),
      "kernel 'k': Mma(form, a, b, c): m16n8k256 of b1 and b1 with s32 needs PTX 7.1 (ModuleTarget::ptx_version)");
}

// Tensor memory through its intrinsics: allocated, written, read and freed.
TEST(BuiltMatricesTest, TensorMemoryByIntrinsics) {
  Launch launch;
  launch.block = {32};
  launch.Buffer(std::vector<int32_t>(32));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer});
        const auto call = [&](std::string_view name, std::vector<Type> results, std::vector<Value> arguments) {
          return k.Intrinsic(std::string("llvm.nvvm.tcgen05.") + std::string(name), results, arguments, false);
        };
        const Value place = k.SharedArray("place", kI32, 1);
        call("alloc.shared.cg1", {}, {place, k.I32(32)});
        k.Barrier();
        const Value address = k.Load(kI32, place);
        const Value lane = k.LaneId();
        call("st.32x32b.x1", {}, {address, k.Mul(lane, k.I32(3)), k.Bool(false)});
        call("wait.st", {}, {});
        const std::vector<Value> read = call("ld.32x32b.x1", {kI32}, {address, k.Bool(false)});
        call("wait.ld", {}, {});
        if (!read.empty()) k.Store(read[0], k.ElementAddress(kI32, k.Argument(0), lane));
        k.Barrier();
        call("dealloc.cg1", {}, {address, k.I32(32)});
        k.Return();
      },
      launch,
      [](const Buffers& buffers) {
        const std::vector<int32_t> results = ElementsOf<int32_t>(buffers[0]);
        for (int i = 0; i < 32; ++i) EXPECT_EQ(results[i], 3 * i);
      },
      {"sm_100a"});
}

// wgmma: LLVM's intrinsics for it, and the product itself as inline assembly.
TEST(BuiltMatricesTest, WarpgroupProductByIntrinsicsAndAssembly) {
  constexpr int kColumns = 8, kDepth = 16;
  Launch launch;
  launch.block = {128};
  launch.Buffer(std::vector<float>(64 * kColumns));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer}, {.required_threads = {128, 1, 1}});
        // Both matrices consist of ones, so their layout does not matter.
        const Value a = k.SharedArray("a", kF16, 64 * kDepth, 128),
                    b = k.SharedArray("b", kF16, kColumns * kDepth, 128);
        const Value thread = k.ThreadIdX(), one = k.ConstantFloat(kF16, 1);
        for (int i = 0; i < 64 * kDepth / 128; ++i) {
          k.Store(one, k.ElementAddress(kF16, a, k.Add(thread, k.I32(128 * i))));
        }
        k.Store(one, k.ElementAddress(kF16, b, thread));
        k.Intrinsic("llvm.nvvm.fence.proxy.async.shared_cta", {}, {}, false);
        k.Barrier();
        // No swizzle: 8 x 8 cores of 128 bytes, one after another.
        const auto descriptor = [&](Value matrix) {
          const Value address = k.And(k.PointerToInt(matrix), k.I64(0x3ffff));
          const int64_t strides = (int64_t{128 >> 4} << 16) | (int64_t{256 >> 4} << 32);
          return k.Or(k.LShr(address, k.I32(4)), k.I64(strides));
        };
        const Value in_a = descriptor(a), in_b = descriptor(b);
        k.Intrinsic("llvm.nvvm.wgmma.fence.sync.aligned", {}, {}, false);
        const Type results[] = {kF32, kF32, kF32, kF32};
        const Value arguments[] = {in_a, in_b};
        const std::vector<Value> d =
            k.InlineAsm("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 0;",
                        results, arguments, "ffffll");
        k.Intrinsic("llvm.nvvm.wgmma.commit_group.sync.aligned", {}, {}, false);
        const Value none_left[] = {k.I64(0)};
        k.Intrinsic("llvm.nvvm.wgmma.wait_group.sync.aligned", {}, none_left, false);
        for (size_t i = 0; i < d.size(); ++i) {
          k.Store(d[i], k.ElementAddress(kF32, k.Argument(0), k.Add(k.Mul(thread, k.I32(4)), k.I32(i))));
        }
        k.Return();
      },
      launch,
      [](const Buffers& buffers) {
        for (const float value : ElementsOf<float>(buffers[0])) EXPECT_EQ(value, float{kDepth});
      },
      {"sm_90a"});
}

}  // namespace
}  // namespace ptxmir::builder

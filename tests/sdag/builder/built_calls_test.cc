// SPDX-License-Identifier: Apache-2.0

// Jump tables, calls through pointers, structures by value, and source lines in kernels made with the builder.

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/sdag/builder/kernel_runner.h"

namespace ptxmir::builder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Buffers = std::vector<std::vector<uint8_t>>;

// Builds a kernel that stores, for each value of a buffer, the number of the matching case, or -1 if there is none.
void BuildSwitch(KernelModule& module, Type type, const std::vector<int64_t>& cases) {
  KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer});
  const Value thread = k.ThreadIdX();
  const Value value = k.Load(type, k.ElementAddress(type, k.Argument(0), thread));
  const Block join = k.CreateBlock(), other = k.CreateBlock();
  std::vector<KernelBuilder::Case> blocks;
  for (const int64_t c : cases) blocks.push_back({c, k.CreateBlock()});
  k.Switch(value, other, blocks);
  k.SetInsertPoint(join);
  const Value result = k.Phi(kI32);
  k.AddIncoming(result, k.I32(-1), other);
  for (size_t i = 0; i < blocks.size(); ++i) {
    k.SetInsertPoint(blocks[i].block);
    k.AddIncoming(result, k.I32(static_cast<int64_t>(i)), blocks[i].block);
    k.Branch(join);
  }
  k.SetInsertPoint(other);
  k.Branch(join);
  k.SetInsertPoint(join);
  k.Store(result, k.ElementAddress(kI32, k.Argument(1), thread));
  k.Return();
}

template <typename T>
void RunSwitch(Type type, const std::vector<int64_t>& cases, const std::vector<T>& values) {
  Launch launch;
  launch.block = {static_cast<uint32_t>(values.size())};
  launch.Buffer(values).Buffer(std::vector<int32_t>(values.size()));
  RunEverywhere([&](KernelModule& module) { BuildSwitch(module, type, cases); }, launch,
                [&](const Buffers& buffers) {
                  const std::vector<int32_t> results = ElementsOf<int32_t>(buffers[1]);
                  for (size_t i = 0; i < values.size(); ++i) {
                    int32_t expected = -1;
                    for (size_t c = 0; c < cases.size(); ++c) {
                      if (cases[c] == static_cast<int64_t>(values[i])) expected = static_cast<int32_t>(c);
                    }
                    EXPECT_EQ(results[i], expected) << static_cast<int64_t>(values[i]);
                  }
                });
}

TEST(BuiltCallsTest, SwitchOverDenseCasesIsAJumpTable) {
  std::vector<int32_t> values;
  for (int i = -8; i < 56; ++i) values.push_back(i);
  values[0] = INT32_MIN;
  values[1] = 5000;
  RunSwitch(kI32, {0, 1, 2, 3, 5, 7, 20, 21}, values);
  const std::string ptx = CompileTo(
      [](KernelModule& m) {
        BuildSwitch(m, kI32, {0, 1, 2, 3, 5, 7, 20, 21});
      },
      "sm_80", {});
  EXPECT_THAT(ptx, HasSubstr("brx.idx"));
}

TEST(BuiltCallsTest, SwitchMixesTablesAndSingleCases) {
  std::vector<int64_t> cases = {INT64_MIN, -100000, INT64_MAX};
  for (int i = 0; i < 6; ++i) cases.push_back(-3 + i);
  for (int i = 0; i < 5; ++i) cases.push_back(1000000000000 + 3 * i);
  std::vector<int64_t> values = cases;
  for (const int64_t c : cases) values.push_back(static_cast<int64_t>(static_cast<uint64_t>(c) + 1));
  values.push_back(4);
  RunSwitch(kI64, cases, values);
}

TEST(BuiltCallsTest, SwitchOverBytes) {
  std::vector<int64_t> cases;
  for (int i = -128; i < 128; i += 2) cases.push_back(i);
  std::vector<int8_t> values;
  for (int i = -128; i < 128; i += 3) values.push_back(static_cast<int8_t>(i));
  RunSwitch(kI8, cases, values);
}

TEST(BuiltCallsTest, SwitchOverSparseCasesIsNoJumpTable) {
  const std::string ptx = CompileTo(
      [](KernelModule& m) {
        BuildSwitch(m, kI32, {0, 100, 200, 300, 400});
      },
      "sm_80", {});
  EXPECT_THAT(ptx, Not(HasSubstr("brx.idx")));
  // Three cases are too few for a table.
  const std::string few = CompileTo([](KernelModule& m) { BuildSwitch(m, kI32, {0, 1, 2}); }, "sm_80", {});
  EXPECT_THAT(few, Not(HasSubstr("brx.idx")));
}

TEST(BuiltCallsTest, CallsThroughPointers) {
  Launch launch;
  launch.block = {64};
  launch.Buffer(std::vector<int32_t>(64)).Buffer(std::vector<float>(64 * 4));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& sum = module.CreateFunction("sum", kI32, {kI32, kI8});
        sum.Return(sum.Add(sum.Argument(0), sum.SExt(sum.Argument(1), kI32)));
        KernelBuilder& product = module.CreateFunction("product", kI32, {kI32, kI8});
        product.Return(product.Mul(product.Argument(0), product.SExt(product.Argument(1), kI32)));
        KernelBuilder& store = module.CreateFunction("store_vector", kVoid, {kF32x4, kPointer});
        store.Store(store.Argument(0), store.Argument(1));
        store.Return();

        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer});
        const Value thread = k.ThreadIdX();
        // Pass the pointers through memory, so that nothing is known of them.
        const Value table = k.LocalArray(kI64, 2);
        k.Store(k.PointerToInt(k.AddressOf(sum)), table);
        k.Store(k.PointerToInt(k.AddressOf(product)), k.PointerAdd(table, 8));
        const Value chosen = k.Load(kI64, k.ElementAddress(kI64, table, k.And(thread, k.I32(1))));
        const Value result = k.CallIndirect(k.IntToPointer(chosen, AddressSpace::kGeneric), {kI32, {kI32, kI8}},
                                            {thread, k.Constant(kI8, -3)});
        k.Store(result, k.ElementAddress(kI32, k.Argument(0), thread));
        const Value f = k.SIntToFP(thread, kF32);
        const Value to = k.AddressSpaceCast(k.ElementAddress(kF32x4, k.Argument(1), thread), AddressSpace::kGeneric);
        k.CallIndirect(k.AddressOf(store), {kVoid, {kF32x4, kPointer}},
                       {k.BuildVector({f, k.F32(1), k.Neg(f), k.F32(2)}), to});
        k.Return();
      },
      launch,
      [](const Buffers& buffers) {
        const std::vector<int32_t> results = ElementsOf<int32_t>(buffers[0]);
        const std::vector<float> vectors = ElementsOf<float>(buffers[1]);
        for (int i = 0; i < 64; ++i) {
          EXPECT_EQ(results[i], i % 2 == 0 ? i - 3 : i * -3) << i;
          EXPECT_EQ(vectors[4 * i], static_cast<float>(i));
          EXPECT_EQ(vectors[4 * i + 2], static_cast<float>(-i));
        }
      });
}

// A function gets its own copy of the bytes: it changes them and reads them by an index.
TEST(BuiltCallsTest, StructuresByValue) {
  constexpr unsigned kBytes = 29;
  std::vector<uint8_t> bytes(32);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(7 * i + 3);
  Launch launch;
  launch.block = {32};
  launch.Buffer(bytes).Buffer(std::vector<int32_t>(32)).Buffer(std::vector<int32_t>(32));
  launch.arguments.push_back({std::vector<uint8_t>(bytes.begin() + 1, bytes.begin() + 1 + kBytes), false});
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& f = module.CreateFunction("f", kI32, {Parameter::Bytes(kBytes, 4), kI32});
        const Value at = f.ElementAddress(kI8, f.Argument(0), f.Argument(1));
        const Value before = f.ZExt(f.Load(kI8, at), kI32);
        f.Store(f.Constant(kI8, 100), at);
        f.Return(f.Add(before, f.ZExt(f.Load(kI8, f.Argument(0)), kI32)));

        KernelBuilder& k =
            module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer, Parameter::Bytes(kBytes, 4)});
        const Value thread = k.ThreadIdX(), index = k.URem(thread, k.I32(kBytes));
        const Value first = k.Call(f, {k.Argument(0), index});
        k.Store(first, k.ElementAddress(kI32, k.Argument(1), thread));
        const FunctionType type = {kI32, {Parameter::Bytes(kBytes, 4), kI32}};
        const Value second = k.CallIndirect(k.AddressOf(f), type, {k.Argument(3), index});
        k.Store(second, k.ElementAddress(kI32, k.Argument(2), thread));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<int32_t> first = ElementsOf<int32_t>(buffers[1]), second = ElementsOf<int32_t>(buffers[2]);
        for (unsigned i = 0; i < 32; ++i) {
          const unsigned index = i % kBytes;
          EXPECT_EQ(first[i], bytes[index] + (index == 0 ? 100 : bytes[0])) << i;
          EXPECT_EQ(second[i], bytes[index + 1] + (index == 0 ? 100 : bytes[1])) << i;
        }
        EXPECT_EQ(buffers[0], bytes);
      });
}

void BuildWithLocations(KernelModule& module) {
  KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer});
  k.SetLocation("kernel.py", 11, 7);
  const Value value = k.Load(kI32, k.Argument(0));
  k.SetLocation("lib/a helper.py", 5);
  const Value sum = k.Add(value, k.ThreadIdX());
  k.SetLocation("kernel.py", 12);
  k.If(k.Equal(k.ThreadIdX(), k.I32(0)), [&] { k.Store(sum, k.Argument(0)); });
  k.ClearLocation();
  k.Return();
}

TEST(BuiltCallsTest, LinesOfSourceFiles) {
  Launch launch;
  launch.Buffer(std::vector<int32_t>{42});
  RunEverywhere(BuildWithLocations, launch,
                [](const Buffers& buffers) { EXPECT_EQ(ElementsOf<int32_t>(buffers[0])[0], 42); });
  // Files are numbered in the order of the code, which sinking would change.
  const std::vector<std::string> flags = {"-O2", "-disable-machine-sink"};
  const std::string ptx = CompileTo(BuildWithLocations, "sm_80", flags);
  EXPECT_THAT(ptx, HasSubstr(".file\t1 \"kernel.py\""));
  EXPECT_THAT(ptx, HasSubstr(".file\t2 \"lib/a helper.py\""));
  const size_t load = ptx.find(".loc\t1 11 7"), add = ptx.find(".loc\t2 5 0"), store = ptx.find(".loc\t1 12 0");
  ASSERT_NE(load, ptx.npos) << ptx;
  ASSERT_NE(add, ptx.npos) << ptx;
  ASSERT_NE(store, ptx.npos) << ptx;
  // Each line directive precedes its instruction.
  EXPECT_LT(load, ptx.find("ld.global"));
  EXPECT_LT(ptx.find("ld.global"), ptx.find("st.global"));
  EXPECT_EQ(CompileTo(BuildWithLocations, "sm_80", flags), ptx);
}

TEST(BuiltCallsTest, NoLocationsNoDebugInformation) {
  const std::string ptx = CompileTo([](KernelModule& m) { BuildSwitch(m, kI32, {0, 1}); }, "sm_80", {});
  EXPECT_THAT(ptx, Not(HasSubstr(".loc")));
  EXPECT_THAT(ptx, Not(HasSubstr(".file")));
}

}  // namespace
}  // namespace ptxmir::builder

// SPDX-License-Identifier: Apache-2.0

// Kernels as users write them, built, compiled and run, and compared with references in C++.

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "tests/sdag/builder/kernel_runner.h"

namespace ptxmir::builder {
namespace {

using Buffers = std::vector<std::vector<uint8_t>>;

std::vector<float> Ramp(size_t count, float first, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<float>(i % 97);
  return values;
}

TEST(BuiltKernelsTest, Saxpy) {
  constexpr int kCount = 100;
  const std::vector<float> x = Ramp(kCount, -3, 0.25f), y = Ramp(kCount, 1, 0.125f);
  Launch launch;
  launch.grid = {2};
  launch.block = {64};
  launch.Value(int32_t{kCount}).Value(2.5f).Buffer(x).Buffer(y);
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kI32, kF32, kGlobalPointer, kGlobalPointer});
        Value i = k.GlobalThreadIdX();
        k.If(k.Less(i, k.Argument(0)), [&] {
          Value from = k.Load(kF32, k.ElementAddress(kF32, k.Argument(2), i));
          Value at = k.ElementAddress(kF32, k.Argument(3), i);
          k.Store(k.Fma(k.Argument(1), from, k.Load(kF32, at)), at);
        });
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<float> result = ElementsOf<float>(buffers[1]);
        for (int i = 0; i < kCount; ++i) EXPECT_EQ(result[i], std::fma(2.5f, x[i], y[i])) << i;
      });
}

// C = A * B, 32 x 32 each, in tiles of 16 x 16.
TEST(BuiltKernelsTest, TiledMatrixProduct) {
  constexpr int kSize = 32, kTile = 16;
  const std::vector<float> a = Ramp(kSize * kSize, -2, 0.5f), b = Ramp(kSize * kSize, 1, -0.25f);
  Launch launch;
  launch.grid = {2, 2};
  launch.block = {kTile, kTile};
  launch.Buffer(a).Buffer(b).Buffer(std::vector<float>(kSize * kSize)).Value(int32_t{kSize});
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer, kI32},
                                               {.max_threads = {kTile, kTile}});
        const Value tile_a = k.SharedArray("tile_a", kF32, kTile * kTile);
        const Value tile_b = k.SharedArray("tile_b", kF32, kTile * kTile);
        const Value n = k.Argument(3), x = k.ThreadIdX(), y = k.ThreadIdY();
        const Value row = k.GlobalThreadIdY(), column = k.GlobalThreadIdX();
        const auto at = [&](Value base, Value i, Value j, Value stride) {
          return k.ElementAddress(kF32, base, k.Add(k.Mul(i, stride), j));
        };
        const Value tile = k.I32(kTile);
        const std::vector<Value> sum = k.ForRange(
            k.I32(0), n, tile, {k.F32(0)}, [&](Value base, std::span<const Value> carried) -> std::vector<Value> {
              k.Store(k.Load(kF32, at(k.Argument(0), row, k.Add(base, x), n)), at(tile_a, y, x, tile));
              k.Store(k.Load(kF32, at(k.Argument(1), k.Add(base, y), column, n)), at(tile_b, y, x, tile));
              k.Barrier();
              const std::vector<Value> inner =
                  k.ForRange(k.I32(0), tile, k.I32(1), {carried[0]},
                             [&](Value i, std::span<const Value> partial) -> std::vector<Value> {
                               const Value left = k.Load(kF32, at(tile_a, y, i, tile));
                               const Value right = k.Load(kF32, at(tile_b, i, x, tile));
                               return {k.Fma(left, right, partial[0])};
                             });
              k.Barrier();
              return {inner[0]};
            });
        k.Store(sum[0], at(k.Argument(2), row, column, n));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<float> c = ElementsOf<float>(buffers[2]);
        for (int i = 0; i < kSize; ++i) {
          for (int j = 0; j < kSize; ++j) {
            float sum = 0;
            for (int l = 0; l < kSize; ++l) sum = std::fma(a[i * kSize + l], b[l * kSize + j], sum);
            EXPECT_EQ(c[i * kSize + j], sum) << i << " " << j;
          }
        }
      });
}

TEST(BuiltKernelsTest, BlockReductionWithShuffles) {
  std::vector<int32_t> in(256);
  std::iota(in.begin(), in.end(), -17);
  Launch launch;
  launch.block = {256};
  launch.Buffer(in).Buffer(std::vector<int32_t>(1));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k =
            module.CreateKernel("k", {kGlobalPointer, kGlobalPointer}, {.required_threads = {256, 1, 1}});
        const Value sums = k.SharedArray("sums", kI32, 8);
        const auto reduce = [&](Value value) {
          for (int distance = 16; distance > 0; distance /= 2) {
            const Value other = k.Shuffle(ShuffleKind::kDown, value, k.I32(distance));
            value = k.Add(value, other);
          }
          return value;
        };
        const Value thread = k.ThreadIdX(), lane = k.LaneId(), warp = k.LShr(thread, k.I32(5));
        const Value partial = reduce(k.Load(kI32, k.ElementAddress(kI32, k.Argument(0), thread)));
        k.If(k.Equal(lane, k.I32(0)), [&] { k.Store(partial, k.ElementAddress(kI32, sums, warp)); });
        k.Barrier();
        k.If(k.Equal(warp, k.I32(0)), [&] {
          const Value is_in = k.Less(lane, k.I32(8));
          const Value at = k.Select(is_in, lane, k.I32(0));
          const Value loaded = k.Load(kI32, k.ElementAddress(kI32, sums, at));
          const Value total = reduce(k.Select(is_in, loaded, k.I32(0)));
          k.If(k.Equal(lane, k.I32(0)), [&] { k.Store(total, k.Argument(1)); });
        });
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        EXPECT_EQ(ElementsOf<int32_t>(buffers[1])[0], std::accumulate(in.begin(), in.end(), 0));
      });
}

TEST(BuiltKernelsTest, HistogramWithAtomics) {
  std::vector<uint8_t> in(512);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * i + 3 * i);
  Launch launch;
  launch.grid = {4};
  launch.block = {128};
  launch.Buffer(in).Buffer(std::vector<uint32_t>(16));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer});
        const Value bins = k.SharedArray("bins", kI32, 16);
        const Value thread = k.ThreadIdX();
        k.If(k.Less(thread, k.I32(16)), [&] { k.Store(k.I32(0), k.ElementAddress(kI32, bins, thread)); });
        k.Barrier();
        const Value byte = k.Load(kI8, k.ElementAddress(kI8, k.Argument(0), k.GlobalThreadIdX()));
        const Value bin = k.And(k.ZExt(byte, kI32), k.I32(15));
        k.AtomicRmw(AtomicOp::kAdd, k.ElementAddress(kI32, bins, bin), k.I32(1), Order::kRelaxed, Scope::kBlock);
        k.Barrier();
        k.If(k.Less(thread, k.I32(16)), [&] {
          const Value count = k.Load(kI32, k.ElementAddress(kI32, bins, thread));
          k.AtomicRmw(AtomicOp::kAdd, k.ElementAddress(kI32, k.Argument(1), thread), count);
        });
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        std::vector<uint32_t> expected(16);
        for (const uint8_t byte : in) ++expected[byte & 15];
        EXPECT_EQ(ElementsOf<uint32_t>(buffers[1]), expected);
      });
}

// One tile of D = A * B: A is 16 x 16 and B 16 x 8 of f16, D of f32.
TEST(BuiltKernelsTest, MatrixTile) {
  const auto half = [](int value) { return ptx::FloatToHalf(static_cast<float>(value)); };
  std::vector<uint16_t> a(16 * 16), b(16 * 8);
  for (int i = 0; i < 256; ++i) a[i] = half(i % 7 - 3);
  for (int i = 0; i < 128; ++i) b[i] = half(i % 5 - 2);
  Launch launch;
  launch.block = {32};
  launch.Buffer(a).Buffer(b).Buffer(std::vector<float>(16 * 8));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer});
        const Value lane = k.LaneId();
        const Value group = k.LShr(lane, k.I32(2)), member = k.And(lane, k.I32(3));
        const Value pair = k.Mul(member, k.I32(2));
        // Rows group and group + 8, columns 2 * member and 2 * member + 8, two adjacent elements each.
        const auto load_a = [&](int row, int column) {
          const Value i = k.Add(group, k.I32(row)), j = k.Add(pair, k.I32(column));
          return k.Load(kF16x2, k.ElementAddress(kF16, k.Argument(0), k.Add(k.Mul(i, k.I32(16)), j)));
        };
        // B is stored by columns of 16.
        const auto load_b = [&](int row) {
          const Value i = k.Add(pair, k.I32(row));
          return k.Load(kF16x2, k.ElementAddress(kF16, k.Argument(1), k.Add(k.Mul(group, k.I32(16)), i)));
        };
        const Value fragment_a[] = {load_a(0, 0), load_a(8, 0), load_a(0, 8), load_a(8, 8)};
        const Value fragment_b[] = {load_b(0), load_b(8)};
        const Value zero = k.F32(0);
        const Value fragment_c[] = {zero, zero, zero, zero};
        const std::vector<Value> d = k.MmaM16N8K16(fragment_a, fragment_b, fragment_c);
        for (int i = 0; i < 4 && !d.empty(); ++i) {
          const Value row = k.Add(group, k.I32(i < 2 ? 0 : 8)), column = k.Add(pair, k.I32(i % 2));
          k.Store(d[i], k.ElementAddress(kF32, k.Argument(2), k.Add(k.Mul(row, k.I32(8)), column)));
        }
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<float> d = ElementsOf<float>(buffers[2]);
        for (int i = 0; i < 16; ++i) {
          for (int j = 0; j < 8; ++j) {
            int sum = 0;
            for (int l = 0; l < 16; ++l) sum += ((i * 16 + l) % 7 - 3) * ((j * 16 + l) % 5 - 2);
            EXPECT_EQ(d[i * 8 + j], static_cast<float>(sum)) << i << " " << j;
          }
        }
      });
}

TEST(BuiltKernelsTest, CallsOfDeviceFunctions) {
  Launch launch;
  launch.block = {32};
  launch.Buffer(std::vector<int32_t>(32)).Buffer(std::vector<float>(32 * 4)).Buffer(std::vector<uint8_t>(32));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& square = module.CreateFunction("square", kI32, {kI32});
        square.Return(square.Mul(square.Argument(0), square.Argument(0)));
        KernelBuilder& twice = module.CreateFunction("twice", kF32x4, {kF32x4});
        twice.Return(twice.Add(twice.Argument(0), twice.Argument(0)));
        KernelBuilder& narrow = module.CreateFunction("narrow", kI8, {kI8, kI1, kI64, kF16});
        narrow.Return(narrow.Select(narrow.Argument(1), narrow.Argument(0), narrow.Trunc(narrow.Argument(2), kI8)));
        KernelBuilder& store = module.CreateFunction("store_word", kVoid, {kI32, kGlobalPointer});
        store.Store(store.Argument(0), store.Argument(1));
        store.Return();

        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer});
        const Value thread = k.ThreadIdX();
        const Value squared = k.Call(square, {thread});
        k.Call(store, {k.Add(squared, k.I32(1)), k.ElementAddress(kI32, k.Argument(0), thread)});
        const Value f = k.SIntToFP(thread, kF32);
        const Value vector = k.BuildVector({f, k.F32(1), k.Neg(f), k.F32(0.5f)});
        k.Store(k.Call(twice, {vector}), k.ElementAddress(kF32x4, k.Argument(1), thread));
        const Value small = k.Trunc(thread, kI8), is_odd = k.Trunc(thread, kI1);
        const Value wide = k.SExt(k.Sub(k.I32(200), thread), kI64);
        k.Store(k.Call(narrow, {small, is_odd, wide, k.ConstantFloat(kF16, 1)}),
                k.ElementAddress(kI8, k.Argument(2), thread));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<int32_t> squares = ElementsOf<int32_t>(buffers[0]);
        const std::vector<float> vectors = ElementsOf<float>(buffers[1]);
        for (int i = 0; i < 32; ++i) {
          EXPECT_EQ(squares[i], i * i + 1);
          EXPECT_EQ(vectors[4 * i], 2.0f * i);
          EXPECT_EQ(vectors[4 * i + 2], -2.0f * i);
          EXPECT_EQ(vectors[4 * i + 3], 1.0f);
          EXPECT_EQ(buffers[2][i], i % 2 == 1 ? i : 200 - i);
        }
      });
}

TEST(BuiltKernelsTest, Switch) {
  Launch launch;
  launch.block = {64};
  launch.Buffer(std::vector<int32_t>(64));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer});
        const Value thread = k.ThreadIdX(), key = k.Sub(thread, k.I32(8));
        const Block entry = k.current_block(), join = k.CreateBlock(), other = k.CreateBlock();
        std::vector<KernelBuilder::Case> cases;
        for (const int value : {-5, 0, 1, 2, 3, 9, 10, 25, 40}) cases.push_back({value, k.CreateBlock()});
        cases.push_back({50, join});
        k.Switch(key, other, cases);
        k.SetInsertPoint(join);
        const Value result = k.Phi(kI32);
        k.AddIncoming(result, k.I32(77), entry);
        k.AddIncoming(result, k.I32(-1), other);
        for (size_t i = 0; i + 1 < cases.size(); ++i) {
          k.SetInsertPoint(cases[i].block);
          const Value value = k.Add(k.Mul(key, k.I32(100)), k.I32(static_cast<int>(i)));
          k.AddIncoming(result, value, cases[i].block);
          k.Branch(join);
        }
        k.SetInsertPoint(other);
        k.Branch(join);
        k.SetInsertPoint(join);
        k.Store(result, k.ElementAddress(kI32, k.Argument(0), thread));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<int32_t> results = ElementsOf<int32_t>(buffers[0]);
        const int values[] = {-5, 0, 1, 2, 3, 9, 10, 25, 40};
        for (int i = 0; i < 64; ++i) {
          int expected = i - 8 == 50 ? 77 : -1;
          for (int c = 0; c < 9; ++c) {
            if (values[c] == i - 8) expected = (i - 8) * 100 + c;
          }
          EXPECT_EQ(results[i], expected) << i;
        }
      });
}

TEST(BuiltKernelsTest, PairsOfHalves) {
  const auto half = [](float value) { return ptx::FloatToHalf(value); };
  std::vector<uint16_t> x(64), y(64);
  for (int i = 0; i < 64; ++i) {
    x[i] = half(0.25f * static_cast<float>(i - 20));
    y[i] = half(static_cast<float>(3 - i % 8));
  }
  Launch launch;
  launch.block = {32};
  launch.Buffer(x).Buffer(y).Buffer(std::vector<uint16_t>(64));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer});
        const Value thread = k.ThreadIdX();
        const Value a = k.Load(kF16x2, k.ElementAddress(kF16x2, k.Argument(0), thread));
        const Value b = k.Load(kF16x2, k.ElementAddress(kF16x2, k.Argument(1), thread));
        const Value at = k.ElementAddress(kF16x2, k.Argument(2), thread);
        // Use values in another block.
        k.If(
            k.Less(thread, k.I32(16)), [&] { k.Store(k.Add(k.Mul(a, b), b), at); },
            [&] {
              const int mask[] = {1, 2};
              k.Store(k.Shuffle(k.Sub(a, b), k.FMax(a, b), mask), at);
            });
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<uint16_t> z = ElementsOf<uint16_t>(buffers[2]);
        const auto value = [](uint16_t bits) { return ptx::HalfToFloat(bits); };
        for (int i = 0; i < 32; ++i) {
          uint16_t low, high;
          if (i < 16) {
            low = half(value(half(value(x[2 * i]) * value(y[2 * i]))) + value(y[2 * i]));
            high = half(value(half(value(x[2 * i + 1]) * value(y[2 * i + 1]))) + value(y[2 * i + 1]));
          } else {
            low = half(value(x[2 * i + 1]) - value(y[2 * i + 1]));
            high = half(std::max(value(x[2 * i]), value(y[2 * i])));
          }
          EXPECT_EQ(value(z[2 * i]), value(low)) << i;
          EXPECT_EQ(value(z[2 * i + 1]), value(high)) << i;
        }
      });
}

// i8, i128, i1 and long vectors that are used in other blocks than their own, and around loops.
TEST(BuiltKernelsTest, ValuesThatNoRegisterHoldsAcrossBlocks) {
  std::vector<uint8_t> in(32);
  for (int i = 0; i < 32; ++i) in[i] = static_cast<uint8_t>(7 * i + 100);
  Launch launch;
  launch.block = {32};
  launch.Buffer(in)
      .Buffer(std::vector<uint8_t>(32))
      .Buffer(std::vector<uint64_t>(64))
      .Buffer(std::vector<uint16_t>(32 * 8))
      .Buffer(std::vector<uint8_t>(32 * 4));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k =
            module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer, kGlobalPointer, kGlobalPointer});
        const Value thread = k.ThreadIdX();
        const Value byte = k.Load(kI8, k.ElementAddress(kI8, k.Argument(0), thread));
        const Value wide = k.Mul(k.ZExt(byte, kI128), k.ZExt(k.I64(0x123456789abcdef), kI128));
        const Value word = k.Trunc(thread, kI16);
        const Value vector = k.Add(k.Splat(word, 8), k.Constant(kI16.Vector(8), 3));
        const Value bytes = k.BuildVector({byte, k.Add(byte, k.Constant(kI8, 1)), k.Not(byte), k.Constant(kI8, 9)});
        const Value flag = k.Compare(Predicate::kUgt, byte, k.Constant(kI8, 150));
        const std::vector<Value> results =
            k.ForRange(k.I32(0), k.And(thread, k.I32(3)), k.I32(1), {byte, wide, vector, flag, bytes},
                       [&](Value, std::span<const Value> carried) -> std::vector<Value> {
                         return {k.Add(carried[0], byte), k.Shl(k.Add(carried[1], wide), k.I32(9)),
                                 k.Add(carried[2], vector), k.Not(carried[3]), k.Add(carried[4], bytes)};
                       });
        const Value chosen = k.Select(results[3], results[0], k.Constant(kI8, 1));
        k.Store(chosen, k.ElementAddress(kI8, k.Argument(1), thread));
        k.Store(results[1], k.ElementAddress(kI128, k.Argument(2), thread));
        k.Store(results[2], k.ElementAddress(kI16.Vector(8), k.Argument(3), thread));
        k.Store(results[4], k.ElementAddress(kI8.Vector(4), k.Argument(4), thread));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<uint64_t> wides = ElementsOf<uint64_t>(buffers[2]);
        const std::vector<uint16_t> vectors = ElementsOf<uint16_t>(buffers[3]);
        for (int i = 0; i < 32; ++i) {
          const unsigned __int128 first = static_cast<unsigned __int128>(in[i]) * 0x123456789abcdef;
          uint8_t byte = in[i], third = static_cast<uint8_t>(~in[i]);
          unsigned __int128 wide = first;
          auto word = static_cast<uint16_t>(i + 3);
          bool flag = in[i] > 150;
          for (int step = 0; step < (i & 3); ++step) {
            byte = static_cast<uint8_t>(byte + in[i]);
            third = static_cast<uint8_t>(third + static_cast<uint8_t>(~in[i]));
            wide = (wide + first) << 9;
            word = static_cast<uint16_t>(word + i + 3);
            flag = !flag;
          }
          EXPECT_EQ(buffers[1][i], flag ? byte : 1) << i;
          EXPECT_EQ(wides[2 * i], static_cast<uint64_t>(wide)) << i;
          EXPECT_EQ(wides[2 * i + 1], static_cast<uint64_t>(wide >> 64)) << i;
          EXPECT_EQ(vectors[8 * i + 5], word) << i;
          EXPECT_EQ(buffers[4][4 * i], byte) << i;
          EXPECT_EQ(buffers[4][4 * i + 2], third) << i;
        }
      });
}

TEST(BuiltKernelsTest, LocalArraysAndConstantTables) {
  const std::vector<int32_t> table = {5, -7, 11, 13};
  Launch launch;
  launch.block = {32};
  launch.Buffer(std::vector<int32_t>(32));
  RunEverywhere(
      [&](KernelModule& module) {
        const Variable constants =
            module.CreateConstantArray("constants", kI32, std::span<const int32_t>(table.data(), table.size()));
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer});
        const Value local = k.LocalArray(kI32, 8), thread = k.ThreadIdX();
        k.ForRange(k.I32(0), k.I32(8), k.I32(1), [&](Value i) {
          const Value constant = k.Load(kI32, k.ElementAddress(kI32, k.AddressOf(constants), k.And(i, k.I32(3))));
          k.Store(k.Mul(constant, k.Add(i, thread)), k.ElementAddress(kI32, local, i));
        });
        const Value generic = k.AddressSpaceCast(local, AddressSpace::kGeneric);
        const Value value = k.Load(kI32, k.ElementAddress(kI32, generic, k.And(thread, k.I32(7))));
        k.Store(value, k.ElementAddress(kI32, k.Argument(0), thread));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<int32_t> results = ElementsOf<int32_t>(buffers[0]);
        for (int i = 0; i < 32; ++i) EXPECT_EQ(results[i], table[i & 3] * ((i & 7) + i)) << i;
      });
}

TEST(BuiltKernelsTest, CopiesAndFillsOfAnySize) {
  constexpr size_t kSize = 1003;
  std::vector<uint8_t> in(kSize);
  for (size_t i = 0; i < kSize; ++i) in[i] = static_cast<uint8_t>(i * 31 + 1);
  Launch launch;
  launch.Buffer(in)
      .Buffer(std::vector<uint8_t>(kSize))
      .Buffer(std::vector<uint8_t>(64))
      .Buffer(std::vector<uint8_t>(64))
      .Value(int32_t{37});
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k =
            module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer, kGlobalPointer, kI32});
        k.CopyMemory(k.Argument(1), k.Argument(0), k.I32(kSize), 8);
        k.SetMemory(k.Argument(2), k.Constant(kI8, 0x5a), k.Argument(4), 4);
        k.SetMemory(k.Argument(3), k.Constant(kI8, -2), k.I32(23), 16);
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        EXPECT_EQ(buffers[1], in);
        for (size_t i = 0; i < 64; ++i) {
          EXPECT_EQ(buffers[2][i], i < 37 ? 0x5a : 0) << i;
          EXPECT_EQ(buffers[3][i], i < 23 ? 0xfe : 0) << i;
        }
      });
}

TEST(BuiltKernelsTest, DynamicSharedMemoryAndAsynchronousCopies) {
  std::vector<int32_t> in(128);
  std::iota(in.begin(), in.end(), 1000);
  Launch launch;
  launch.block = {32};
  launch.dynamic_shared = 512;
  launch.Buffer(in).Buffer(std::vector<int32_t>(128));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer});
        const Value shared = k.DynamicShared(), thread = k.ThreadIdX();
        k.CopyAsync(k.ElementAddress(kI32x4, shared, thread), k.ElementAddress(kI32x4, k.Argument(0), thread), 16,
                    true);
        k.CommitAsyncCopies();
        k.WaitAsyncCopies();
        k.Barrier();
        const Value other = k.Xor(thread, k.I32(31));
        k.Store(k.Load(kI32x4, k.ElementAddress(kI32x4, shared, other)),
                k.ElementAddress(kI32x4, k.Argument(1), thread));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<int32_t> out = ElementsOf<int32_t>(buffers[1]);
        for (int i = 0; i < 128; ++i) EXPECT_EQ(out[i], 1000 + (31 - i / 4) * 4 + i % 4) << i;
      });
}

TEST(BuiltKernelsTest, VotesFencesAndExchanges) {
  Launch launch;
  launch.block = {64};
  launch.Buffer(std::vector<uint32_t>(64)).Buffer(std::vector<uint32_t>(2));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer});
        const Value thread = k.ThreadIdX();
        const Value is_odd = k.Trunc(thread, kI1);
        const Value odd_lanes = k.Ballot(is_odd);
        const Value is_some = k.Vote(VoteKind::kAny, k.Equal(thread, k.I32(40)));
        const Value largest = k.Reduce(ReduceOp::kMax, thread);
        const Value flags = k.Add(odd_lanes, k.Add(k.ZExt(is_some, kI32), largest));
        k.Store(flags, k.ElementAddress(kI32, k.Argument(0), thread));
        k.Fence(Order::kAcquireRelease, Scope::kDevice);
        k.AtomicCas(k.Argument(1), k.I32(0), k.I32(9), Order::kAcquireRelease);
        k.AtomicRmw(AtomicOp::kUMax, k.PointerAdd(k.Argument(1), 4), thread);
        k.SyncWarp();
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<uint32_t> flags = ElementsOf<uint32_t>(buffers[0]);
        for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(flags[i], 0xaaaaaaaau + (i < 32 ? 31 : 64)) << i;
        EXPECT_EQ(ElementsOf<uint32_t>(buffers[1]), (std::vector<uint32_t>{9, 63}));
      });
}

TEST(BuiltKernelsTest, InlineAssemblyAndPackedParameters) {
  struct Packed {
    int32_t a;
    float b;
    int64_t c;
  };
  Launch launch;
  launch.block = {32};
  launch.Buffer(std::vector<int32_t>(32)).Value(Packed{7, 2.0f, 100});
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, Parameter::Bytes(16, 8)});
        const Value thread = k.ThreadIdX(), packed = k.Argument(1);
        const Value a = k.Load(kI32, packed), b = k.Load(kF32, k.PointerAdd(packed, 4));
        const Value c = k.Trunc(k.Load(kI64, k.PointerAdd(packed, 8)), kI32);
        const Type results[] = {kI32};
        const Value arguments[] = {thread, a};
        const std::vector<Value> sum = k.InlineAsm("add.s32 $0, $1, $2;", results, arguments, "rrr", false);
        const Value total = k.Add(k.Add(sum.empty() ? a : sum[0], k.FPToSInt(b, kI32)), c);
        k.Store(total, k.ElementAddress(kI32, k.Argument(0), thread));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<int32_t> results = ElementsOf<int32_t>(buffers[0]);
        for (int i = 0; i < 32; ++i) EXPECT_EQ(results[i], i + 7 + 2 + 100) << i;
      });
}

// Through shared memory and ldmatrix: the rows that the lanes name are distributed as fragments.
TEST(BuiltKernelsTest, MatricesFromSharedMemory) {
  std::vector<uint16_t> in(4 * 64);
  std::iota(in.begin(), in.end(), uint16_t{100});
  Launch launch;
  launch.block = {32};
  launch.Buffer(in).Buffer(std::vector<uint32_t>(32 * 4)).Buffer(std::vector<uint32_t>(32));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer});
        const Value rows = k.SharedArray("rows", kI32x4, 32), lane = k.LaneId();
        const Value row = k.ElementAddress(kI32x4, rows, lane);
        k.Store(k.Load(kI32x4, k.ElementAddress(kI32x4, k.Argument(0), lane)), row);
        k.Barrier();
        const std::vector<Value> words = k.LoadMatrices(4, row);
        if (words.size() != 4) return;
        k.Store(k.BuildVector(words), k.ElementAddress(kI32x4, k.Argument(1), lane));
        const std::vector<Value> transposed = k.LoadMatrices(1, row, true);
        k.Store(transposed[0], k.ElementAddress(kI32, k.Argument(2), lane));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<uint32_t> words = ElementsOf<uint32_t>(buffers[1]);
        const std::vector<uint32_t> transposed = ElementsOf<uint32_t>(buffers[2]);
        const auto pair = [](uint32_t low, uint32_t high) { return low | high << 16; };
        for (uint32_t lane = 0; lane < 32; ++lane) {
          const uint32_t row = lane / 4, column = lane % 4 * 2;
          for (uint32_t matrix = 0; matrix < 4; ++matrix) {
            const uint32_t at = matrix * 64 + row * 8 + column;
            EXPECT_EQ(words[4 * lane + matrix], pair(in[at], in[at + 1])) << lane;
          }
          EXPECT_EQ(transposed[lane], pair(in[column * 8 + row], in[(column + 1) * 8 + row])) << lane;
        }
      });
}

// Every order and scope of atomics, in each space that has them.
TEST(BuiltKernelsTest, AtomicsOfAllKinds) {
  Launch launch;
  launch.block = {64};
  launch.Buffer(std::vector<uint32_t>(16)).Buffer(std::vector<double>(2)).Buffer(std::vector<uint64_t>(4));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer, kGlobalPointer});
        const Value thread = k.ThreadIdX(), one = k.I32(1);
        int word = 0;
        for (const Order order :
             {Order::kRelaxed, Order::kAcquire, Order::kRelease, Order::kAcquireRelease, Order::kSequential}) {
          const Scope scope = static_cast<Scope>(word % 4);
          k.AtomicRmw(AtomicOp::kAdd, k.PointerAdd(k.Argument(0), 4 * word++), one, order, scope);
        }
        const Value generic = k.AddressSpaceCast(k.Argument(0), AddressSpace::kGeneric);
        k.AtomicRmw(AtomicOp::kOr, k.PointerAdd(generic, 20), k.Shl(one, k.And(thread, k.I32(31))));
        k.AtomicRmw(AtomicOp::kSub, k.PointerAdd(generic, 24), one);
        k.AtomicRmw(AtomicOp::kMin, k.PointerAdd(generic, 28), k.Neg(thread));
        k.AtomicRmw(AtomicOp::kInc, k.PointerAdd(generic, 32), k.I32(9));
        k.AtomicRmw(AtomicOp::kFAdd, k.PointerAdd(generic, 36), k.F32(0.5f));
        k.AtomicRmw(AtomicOp::kFAdd, k.Argument(1), k.F64(0.25));
        k.AtomicRmw(AtomicOp::kFAdd, k.PointerAdd(k.Argument(1), 8), k.ConstantFloat(kF16, 1));
        k.AtomicRmw(AtomicOp::kUMax, k.Argument(2), k.ZExt(thread, kI64));
        const Value lock = k.SharedArray("lock", kI32, 1);
        k.If(k.Equal(thread, k.I32(0)), [&] { k.AtomicStore(k.I32(5), lock, Order::kRelease, Scope::kBlock); });
        k.Barrier();
        const Value seen = k.AtomicLoad(kI32, lock, Order::kAcquire, Scope::kBlock);
        k.AtomicRmw(AtomicOp::kAdd, k.PointerAdd(k.Argument(0), 40), seen);
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<uint32_t> words = ElementsOf<uint32_t>(buffers[0]);
        for (int i = 0; i < 5; ++i) EXPECT_EQ(words[i], 64u) << i;
        EXPECT_EQ(words[5], ~0u);
        EXPECT_EQ(words[6], static_cast<uint32_t>(-64));
        EXPECT_EQ(words[7], static_cast<uint32_t>(-63));
        EXPECT_EQ(words[8], 64u % 10);
        EXPECT_EQ(words[9], std::bit_cast<uint32_t>(32.0f));
        EXPECT_EQ(words[10], 64u * 5);
        EXPECT_EQ(ElementsOf<double>(buffers[1])[0], 16.0);
        EXPECT_EQ(ptx::HalfToFloat(ElementsOf<uint16_t>(buffers[1])[4]), 64.0f);
        EXPECT_EQ(ElementsOf<uint64_t>(buffers[2])[0], 63u);
      });
}

TEST(BuiltKernelsTest, ApproximationsAndSpecialRegisters) {
  Launch launch;
  launch.block = {32};
  launch.grid = {1, 2};
  launch.Buffer(std::vector<float>(32 * 8)).Buffer(std::vector<uint32_t>(64));
  RunEverywhere(
      [](KernelModule& module) {
        KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer, kGlobalPointer});
        const Value thread = k.ThreadIdX();
        const Value x = k.Add(k.SIntToFP(thread, kF32), k.F32(0.5f));
        const Value values[] = {k.ApproxRsqrt(x), k.ApproxSqrt(x), k.ApproxReciprocal(x), k.ApproxExp2(k.Neg(x)),
                                k.ApproxLog2(x),  k.ApproxSin(x),  k.ApproxCos(x),        k.ApproxTanh(x)};
        const Value out = k.ElementAddress(kF32, k.Argument(0), k.Mul(thread, k.I32(8)));
        for (int i = 0; i < 8; ++i) k.Store(values[i], k.PointerAdd(out, 4 * i));
        const Value first = k.Read(SpecialRegister::kClock64), second = k.Read(SpecialRegister::kClock64);
        const Value runs = k.ZExt(k.Compare(Predicate::kUle, first, second), kI32);
        const Value lanes = k.PopCount(k.Read(SpecialRegister::kLaneMaskLt));
        const Value all = k.Add(k.Add(lanes, k.Mul(runs, k.I32(100))), k.Mul(k.GridDimX(), k.I32(1000)));
        const Value index = k.Add(k.Mul(k.BlockIdY(), k.I32(32)), thread);
        k.Store(all, k.ElementAddress(kI32, k.Argument(1), index));
        k.Return();
      },
      launch,
      [&](const Buffers& buffers) {
        const std::vector<float> values = ElementsOf<float>(buffers[0]);
        const std::vector<uint32_t> numbers = ElementsOf<uint32_t>(buffers[1]);
        for (int i = 0; i < 32; ++i) {
          const float x = static_cast<float>(i) + 0.5f;
          const float expected[] = {1 / std::sqrt(x), std::sqrt(x), 1 / x,       std::exp2(-x),
                                    std::log2(x),     std::sin(x),  std::cos(x), std::tanh(x)};
          for (int j = 0; j < 8; ++j) EXPECT_NEAR(values[8 * i + j], expected[j], 1e-3) << i << " " << j;
          EXPECT_EQ(numbers[i], 1100u + i);
          EXPECT_EQ(numbers[32 + i], 1100u + i);
        }
      });
}

}  // namespace
}  // namespace ptxmir::builder

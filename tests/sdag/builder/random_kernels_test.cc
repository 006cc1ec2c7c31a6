// SPDX-License-Identifier: Apache-2.0

// Random kernels all of whose operations are defined. They must compute the same results after selection at -O0,
// after selection at -O2, and after all passes.

#include <cstdint>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/sdag/builder/kernel_runner.h"
#include "tests/support/sanitized.h"

namespace ptxmir::builder {
namespace {

constexpr int kThreads = 32;
constexpr int kWords = 64;  // of 16 bytes, for each thread

class RandomKernel {
 public:
  explicit RandomKernel(uint64_t seed) : random_(seed) {}

  void Build(KernelModule& module) {
    KernelBuilder& f = module.CreateFunction("f", kI128, {kI8, kI128, kF32x4});
    const Value wide = f.ZExt(f.Argument(0), kI128);
    f.Return(f.Xor(f.Mul(wide, f.Argument(1)), f.Bitcast(f.Argument(2), kI128)));
    function_ = &f;
    k_ = &module.CreateKernel("k", {kGlobalPointer, kI32, kI64, kF32});
    KernelBuilder& k = *k_;
    const Value offset = k.Mul(k.ThreadIdX(), k.I32(16 * kWords));
    base_ = k.PointerAdd(k.Argument(0), offset);
    local_ = k.LocalArray(kI64, 16);
    for (int i = 0; i < 16; ++i) k.Store(k.I64(i * 77), k.PointerAdd(local_, 8 * i));
    values_ = {k.ThreadIdX(), k.Argument(1), k.Argument(2), k.Argument(3), k.Trunc(k.ThreadIdX(), kI8)};
    Body(24, 0);
    // Store one word for each of the last values.
    int word = 0;
    for (size_t i = values_.size(); i-- > 0 && word < kWords;) {
      k.Store(Canonical(values_[i]), k.PointerAdd(base_, 16 * word++));
    }
    k.Return();
  }

 private:
  static constexpr int kMaxDepth = 3;

  uint64_t Next(uint64_t bound) { return random_.Next() % bound; }
  Type IntegerType() {
    constexpr Type kTypes[] = {kI8,   kI16,   kI32,           kI32,          kI64,          kI64,
                               kI128, kI32x4, kI16.Vector(2), kI8.Vector(4), kI16.Vector(8)};
    return kTypes[Next(std::size(kTypes))];
  }
  Type FloatType() {
    constexpr Type kTypes[] = {kF16, kF32, kF32, kF64, kF16x2, kF32x4};
    return kTypes[Next(std::size(kTypes))];
  }

  Value Pick(Type type) {
    for (int attempt = 0; attempt < 12; ++attempt) {
      const Value value = values_[Next(values_.size())];
      if (value.type() == type) return value;
    }
    return Convert(values_[Next(values_.size())], type);
  }
  // Returns a value of the type that depends on another value.
  Value Convert(Value value, Type type) {
    KernelBuilder& k = *k_;
    if (type.is_vector()) {
      std::vector<Value> elements;
      const Value element = Convert(value, type.element());
      for (unsigned i = 0; i < type.lanes(); ++i) {
        const Value step = type.is_integer() ? k.Constant(type.element(), static_cast<int64_t>(random_.Next()))
                                             : k.ConstantFloat(type.element(), static_cast<double>(i) + 0.5);
        elements.push_back(k.Add(element, step));
      }
      return k.BuildVector(elements);
    }
    if (type.is_floating_point()) return k.SIntToFP(Convert(value, kI16), type);
    Value bits = value;
    if (bits.type() == kI1) bits = k.ZExt(bits, kI32);
    if (!bits.type().is_integer() || bits.type().is_vector()) {
      bits = Canonical(bits);
      if (!bits.type().is_integer() || bits.type().is_vector()) {
        bits = k.Bitcast(bits, Type::Integer(static_cast<uint8_t>(bits.type().bits())));
      }
    }
    if (bits.type().bits() < type.bits()) return Next(2) == 0 ? k.SExt(bits, type) : k.ZExt(bits, type);
    return bits.type().bits() > type.bits() ? k.Trunc(bits, type) : bits;
  }
  // NaNs have no defined bits.
  Value Canonical(Value value) {
    KernelBuilder& k = *k_;
    if (!value.type().is_floating_point()) return value;
    const Type type = value.type();
    if (!type.is_vector()) {
      const Value is_number = k.Compare(Predicate::kOrd, value, value);
      return k.Select(is_number, value, k.ConstantFloat(type, 0));
    }
    std::vector<Value> elements;
    for (unsigned i = 0; i < type.lanes(); ++i) elements.push_back(Canonical(k.ExtractElement(value, i)));
    return k.BuildVector(elements);
  }
  void Keep(Value value) { values_.push_back(value); }

  void Body(int calls, int depth) {
    for (int i = 0; i < calls; ++i) Step(depth);
  }

  void Step(int depth) {
    switch (Next(9)) {
      case 0:
      case 1:
        return Integers();
      case 2:
        return Floats();
      case 3: {
        const Type type = IntegerType();
        const Value condition = Condition(), a = Pick(type);
        return Keep(k_->Select(condition, a, Pick(type)));
      }
      case 4:
      case 5:
        return Memory();
      case 6:
        if (depth < kMaxDepth) ControlFlow(depth + 1);
        return;
      case 7:
        return Keep(Convert(Pick(IntegerType()), IntegerType()));
      default:
        return Others(depth);
    }
  }

  Value Condition() {
    constexpr Type kTypes[] = {kI8, kI16, kI32, kI64, kI128};
    const Type type = kTypes[Next(std::size(kTypes))];
    const Value a = Pick(type);
    return k_->Compare(static_cast<Predicate>(Next(10)), a, Pick(type));
  }

  void Integers() {
    KernelBuilder& k = *k_;
    const Type type = IntegerType();
    const Value a = Pick(type), b = Pick(type);
    const Value amount = k.And(b, k.Constant(type, type.element_bits() - 1));
    const Value divisor = k.Or(b, k.Constant(type, 1));
    switch (Next(17)) {
      case 0:
        return Keep(k.Sub(a, b));
      case 1:
        return Keep(k.Mul(a, b));
      case 2:
        return Keep(k.UDiv(a, divisor));
      case 3:
        return Keep(k.URem(a, divisor));
      case 4:
        // Avoids the only quotient that does not fit.
        return Keep(k.SRem(k.LShr(a, k.Constant(type, 1)), divisor));
      case 5:
        return Keep(k.Xor(k.And(a, b), k.Not(a)));
      case 6:
        return Keep(k.Shl(a, amount));
      case 7:
        return Keep(k.AShr(a, amount));
      case 8:
        return Keep(k.LShr(a, amount));
      case 9:
        return Keep(k.SMin(a, b));
      case 10:
        return Keep(k.UMax(a, b));
      case 11:
        return Keep(k.RotateLeft(a, amount));
      case 12:
        return Keep(k.PopCount(a));
      case 13:
        return Keep(k.CountLeadingZeros(a));
      case 14:
        return Keep(k.ReverseBits(a));
      case 15:
        return Keep(k.MulHighU(a, b));
      default:
        return Keep(k.Add(a, k.Constant(type, static_cast<int64_t>(random_.Next() >> Next(64)))));
    }
  }

  void Floats() {
    KernelBuilder& k = *k_;
    const Type type = FloatType();
    const Value a = Pick(type), b = Pick(type);
    switch (Next(8)) {
      case 0:
        return Keep(k.Mul(a, b));
      case 1:
        return Keep(k.Sub(a, b));
      case 2:
        return Keep(k.Fma(a, b, a));
      case 3:
        return Keep(k.FDiv(a, b));
      case 4:
        return Keep(k.Floor(a));
      case 5:
        return Keep(k.Abs(k.Neg(a)));
      case 6:
        return Keep(k.FMax(a, k.ConstantFloat(type, 1.5)));
      default:
        return Keep(k.Sqrt(a));
    }
  }

  void Memory() {
    KernelBuilder& k = *k_;
    const Type type = Next(2) == 0 ? IntegerType() : FloatType();
    const Value index = k.And(Pick(kI32), k.I32(kWords - 1));
    const Value address = k.ElementAddress(kI128, base_, index);
    const Value slot = k.ElementAddress(kI64, local_, k.And(Pick(kI16), k.Constant(kI16, 15)));
    switch (Next(4)) {
      case 0:
        return Keep(type.is_floating_point() ? Pick(type) : k.Load(type, address));
      case 1:
        return k.Store(Canonical(Pick(type)), address, {.align = type.element_bits() / 8});
      case 2:
        return Keep(k.Load(kI64, slot));
      default:
        return k.Store(Pick(kI64), slot);
    }
  }

  void Others(int depth) {
    KernelBuilder& k = *k_;
    switch (Next(4)) {
      case 0: {
        const Value a = Pick(kI8), b = Pick(kI128);
        return Keep(k.Call(*function_, {a, b, Canonical(Pick(kF32x4))}));
      }
      case 1:
        // Shuffle only where all threads are present.
        if (depth == 0) Keep(k.Shuffle(ShuffleKind::kButterfly, Pick(IntegerType()), k.I32(5)));
        return;
      case 2: {
        const Value vector = Pick(kI16.Vector(8));
        return Keep(k.ExtractElement(k.InsertElement(vector, Pick(kI16), 3), static_cast<unsigned>(Next(8))));
      }
      default: {
        const int mask[] = {static_cast<int>(Next(8)), static_cast<int>(Next(8)), 0, 7};
        const Value a = Pick(kI32x4);
        return Keep(k.Shuffle(a, Pick(kI32x4), mask));
      }
    }
  }

  template <typename Body>
  void Nested(Body body) {
    const size_t before = values_.size();
    body();
    values_.resize(before);
  }

  void ControlFlow(int depth) {
    KernelBuilder& k = *k_;
    switch (Next(3)) {
      case 0:
        k.If(
            Condition(), [&] { Nested([&] { Body(4, depth); }); }, [&] { Nested([&] { Body(3, depth); }); });
        return;
      case 1: {
        const Value limit = k.And(Pick(kI32), k.I32(3));
        const std::vector<Value> initial = {Pick(IntegerType()), Pick(FloatType()), Condition()};
        const std::vector<Value> results =
            k.ForRange(k.I32(0), limit, k.I32(1), initial, [&](Value i, std::span<const Value> carried) {
              std::vector<Value> next;
              Nested([&] {
                Keep(i);
                values_.insert(values_.end(), carried.begin(), carried.end() - 1);
                Body(4, depth);
                next = {Pick(carried[0].type()), Pick(carried[1].type()), k.Not(carried[2])};
              });
              return next;
            });
        Keep(results[0]);
        Keep(results[1]);
        return Keep(k.ZExt(results[2], kI32));
      }
      default: {
        const Block entry = k.current_block(), join = k.CreateBlock();
        std::vector<KernelBuilder::Case> cases;
        for (int i = 0; i < 5; ++i) cases.push_back({i * 3 - 4, k.CreateBlock()});
        const Value key = k.Sub(k.And(Pick(kI32), k.I32(15)), k.I32(4)), other = Pick(kI64);
        k.Switch(key, join, cases);
        std::vector<std::pair<Value, Block>> results = {{other, entry}};
        for (const KernelBuilder::Case& c : cases) {
          k.SetInsertPoint(c.block);
          Nested([&] {
            Body(1, kMaxDepth);
            const Value result = Pick(kI64);
            results.emplace_back(result, k.current_block());
          });
          k.Branch(join);
        }
        k.SetInsertPoint(join);
        const Value phi = k.Phi(kI64);
        for (const auto& [value, block] : results) k.AddIncoming(phi, value, block);
        return Keep(phi);
      }
    }
  }

  SplitMix64 random_;
  KernelBuilder* function_ = nullptr;
  KernelBuilder* k_ = nullptr;
  Value base_, local_;
  std::vector<Value> values_;
};

TEST(RandomKernelsTest, AllLevelsComputeTheSame) {
  for (uint64_t seed = 0; seed < testing::NumInputs(150); ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    const auto build = [&](KernelModule& module) { RandomKernel(seed).Build(module); };
    std::vector<uint8_t> memory(16 * kWords * kThreads);
    SplitMix64 random(seed);
    for (uint8_t& byte : memory) byte = static_cast<uint8_t>(random.Next());
    Launch launch;
    launch.block = {kThreads};
    launch.Buffer(memory).Value(static_cast<int32_t>(seed * 77)).Value(int64_t{-123456789}).Value(3.25f);
    const std::string sm = seed % 2 == 0 ? "sm_80" : "sm_100";
    const std::string plain = CompileTo(build, sm, {"-O0", "-stop-after=finalize-isel"});
    const std::string selected = CompileTo(build, sm, {"-O2", "-stop-after=finalize-isel"});
    const std::string compiled = CompileTo(build, sm, {"-O2", "-stop-after=stack-frame-layout"});
    if (plain.empty() || selected.empty() || compiled.empty()) return;
    const std::vector<std::vector<uint8_t>> expected = RunMir(plain, launch);
    ASSERT_EQ(RunMir(selected, launch), expected);
    ASSERT_EQ(RunMir(compiled, launch), expected);
  }
}

}  // namespace
}  // namespace ptxmir::builder

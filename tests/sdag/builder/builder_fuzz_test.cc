// SPDX-License-Identifier: Apache-2.0

// Random calls with random arguments, most of them valid. For any sequence of calls, the builder reports the error
// or builds DAGs that verify, and never crashes. A program that is built twice gives the same text.

#include <cstdint>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptxmir/kernel_builder.h"
#include "tests/support/sanitized.h"

namespace ptxmir::builder {
namespace {

constexpr Type kTypes[] = {
    kI1,    kI8,     kI16,           kI32,          kI64,           kI128,          kF16,          kBF16,
    kF32,   kF64,    kF16x2,         kF32x2,        kF32x4,         kI32x4,         kPointer,      kGlobalPointer,
    kI32x2, kBF16x2, kSharedPointer, kI8.Vector(4), kI16.Vector(8), kF16.Vector(8), kF32.Vector(3)};
constexpr Type kOddTypes[] = {
    kVoid, Type::Integer(7), kF32.Vector(200), Type::Float(80), kGlobalPointer.Vector(2), kI1.Vector(1), kI1.Vector(4)};

class RandomProgram {
 public:
  // `mistakes` of a thousand choices are arbitrary.
  RandomProgram(uint64_t seed, uint64_t mistakes)
      : random_(seed), mistakes_(mistakes), module_({.sm = Next(2) == 0 ? "sm_80" : "sm_90"}) {}

  KernelModule& Build(int calls) {
    std::vector<Parameter> parameters;
    for (uint64_t i = 0; i < 2 + Next(5); ++i) parameters.push_back(SomeType());
    parameters.push_back(kGlobalPointer);
    function_ = &module_.CreateFunction("f", kI32, {kI32, kI64});
    k_ = function_;
    values_.push_back(k_->Argument(0));
    Body(calls / 4);
    if (k_->current_block().is_valid()) k_->Return(Pick(kI32));
    values_.clear();
    blocks_.clear();
    k_ = &module_.CreateKernel("k", parameters);
    for (size_t i = 0; i < parameters.size(); ++i) values_.push_back(k_->Argument(i));
    Body(calls);
    k_->Return();
    return module_;
  }

 private:
  uint64_t Next(uint64_t bound) { return random_.Next() % bound; }
  bool Mistake() { return Next(1000) < mistakes_; }
  Type SomeType() { return Mistake() ? kOddTypes[Next(std::size(kOddTypes))] : kTypes[Next(std::size(kTypes))]; }

  Value Pick() {
    if (Mistake()) return Value();
    return values_.empty() ? k_->I32(1) : values_[Next(values_.size())];
  }
  // Returns a value of the type, and makes one if there is none.
  Value Pick(Type type) {
    if (Mistake()) return Pick();
    for (int attempt = 0; attempt < 8 && !values_.empty(); ++attempt) {
      const Value value = values_[Next(values_.size())];
      if (value.type() == type) return value;
    }
    if (type.is_floating_point()) return k_->ConstantFloat(type, static_cast<double>(Next(100)) - 50);
    if (type.is_integer() || type.is_pointer()) return k_->Constant(type, static_cast<int64_t>(random_.Next()));
    return k_->Undefined(type);
  }
  Type IntegerType() {
    const Type types[] = {kI8, kI16, kI32, kI64, kI128, kI32x4, kI16.Vector(8)};
    return types[Next(std::size(types))];
  }
  Type FloatType() {
    const Type types[] = {kF16, kBF16, kF32, kF64, kF16x2, kF32x4};
    return types[Next(std::size(types))];
  }
  void Keep(Value value) {
    if (value.is_valid()) values_.push_back(value);
  }
  void Keep(const std::vector<Value>& values) {
    for (const Value& value : values) Keep(value);
  }

  // Values of a nested body are not kept for the code after it, except by mistake.
  template <typename Body>
  void Nested(Body body) {
    const size_t before = values_.size();
    body();
    if (!Mistake()) values_.resize(before);
  }

  void Body(int calls) {
    for (int i = 0; i < calls; ++i) Call();
  }

  void Call() {
    KernelBuilder& k = *k_;
    switch (Next(12)) {
      case 0:
        return Integers();
      case 1:
        return Floats();
      case 2:
        return Conversions();
      case 3:
        return Vectors();
      case 4:
      case 5:
        return Memory();
      case 6:
        return Threads();
      case 7:
        return ControlFlow();
      case 8:
        return Keep(k.Select(Pick(kI1), Pick(kI32), Pick(kI32)));
      case 9: {
        const Type type = Next(2) == 0 ? IntegerType() : FloatType();
        return Keep(k.Less(Pick(type), Pick(type)));
      }
      case 10:
        return Keep(k.Read(static_cast<SpecialRegister>(Next(Mistake() ? 256 : 27))));
      default:
        return Calls();
    }
  }

  void Integers() {
    KernelBuilder& k = *k_;
    const Type type = IntegerType();
    const Value a = Pick(type), b = Pick(type);
    using Binary = Value (KernelBuilder::*)(Value, Value);
    constexpr Binary kBinary[] = {&KernelBuilder::SDiv,       &KernelBuilder::UDiv,    &KernelBuilder::SRem,
                                  &KernelBuilder::URem,       &KernelBuilder::And,     &KernelBuilder::Or,
                                  &KernelBuilder::Xor,        &KernelBuilder::SMin,    &KernelBuilder::UMax,
                                  &KernelBuilder::Shl,        &KernelBuilder::LShr,    &KernelBuilder::AShr,
                                  &KernelBuilder::RotateLeft, &KernelBuilder::MulHighU};
    using Unary = Value (KernelBuilder::*)(Value);
    constexpr Unary kUnary[] = {&KernelBuilder::Not,
                                &KernelBuilder::Neg,
                                &KernelBuilder::Abs,
                                &KernelBuilder::PopCount,
                                &KernelBuilder::CountLeadingZeros,
                                &KernelBuilder::ReverseBits};
    if (Next(3) == 0) return Keep((k.*kUnary[Next(std::size(kUnary))])(a));
    if (Next(3) == 0) return Keep(Next(2) == 0 ? k.Add(a, b, static_cast<uint8_t>(Next(4))) : k.Mul(a, b));
    Keep((k.*kBinary[Next(std::size(kBinary))])(a, b));
  }

  void Floats() {
    KernelBuilder& k = *k_;
    const Type type = FloatType();
    const Value a = Pick(type), b = Pick(type);
    if (Next(10) == 0) k.SetFastMath(Next(2) == 0 ? FastMath::All() : FastMath{.contract = true});
    switch (Next(8)) {
      case 0:
        return Keep(k.Fma(a, b, Pick(type)));
      case 1:
        return Keep(k.FDiv(a, b));
      case 2:
        return Keep(k.Sqrt(a));
      case 3:
        return Keep(k.FMin(a, b));
      case 4:
        return Keep(k.Floor(a));
      case 5:
        return Keep(k.ApproxRsqrt(Pick(kF32)));
      case 6:
        return Keep(k.Sub(a, b));
      default:
        return Keep(k.Mul(a, b));
    }
  }

  void Conversions() {
    KernelBuilder& k = *k_;
    const Type narrow[] = {kI8, kI16, kI32}, wide[] = {kI32, kI64, kI128};
    switch (Next(7)) {
      case 0:
        return Keep(k.SExt(Pick(narrow[Next(2)]), wide[Next(3)]));
      case 1:
        return Keep(k.Trunc(Pick(wide[1 + Next(2)]), narrow[Next(3)]));
      case 2:
        return Keep(k.SIntToFP(Pick(wide[Next(2)]), Next(2) == 0 ? kF32 : kF64));
      case 3:
        return Keep(k.FPToUInt(Pick(kF32), wide[Next(2)]));
      case 4:
        return Keep(k.Bitcast(Pick(kI64), Mistake() ? SomeType() : Next(2) == 0 ? kF64 : kF32x2));
      case 5:
        return Keep(k.PointerToInt(Pick(kGlobalPointer)));
      default:
        return Keep(k.FPExt(Pick(kF16), kF32));
    }
  }

  void Vectors() {
    KernelBuilder& k = *k_;
    switch (Next(4)) {
      case 0:
        return Keep(k.Splat(Pick(kF32), Mistake() ? static_cast<uint8_t>(Next(256)) : 4));
      case 1:
        return Keep(k.ExtractElement(Pick(kI16.Vector(8)), static_cast<unsigned>(Next(Mistake() ? 99 : 8))));
      case 2:
        return Keep(k.InsertElement(Pick(kI32x4), Pick(kI32), static_cast<unsigned>(Next(4))));
      default: {
        const int mask[] = {static_cast<int>(Next(8)), -1, static_cast<int>(Next(Mistake() ? 100 : 8)), 0};
        return Keep(k.Shuffle(Pick(kF32x4), Pick(kF32x4), mask));
      }
    }
  }

  void Memory() {
    KernelBuilder& k = *k_;
    const Value pointer = Pick(Next(3) == 0 ? kPointer : kGlobalPointer);
    const Type type = SomeType();
    MemoryAccess access = {.is_invariant = Next(8) == 0};
    if (Next(4) == 0) access.align = unsigned{1} << Next(5);
    if (Mistake()) access.align = 3;
    // A volatile access is one instruction. PTX has such instructions only for whole, aligned values.
    access.is_volatile = access.align == 0 && type != kF32.Vector(3) && Next(8) == 0;
    switch (Next(9)) {
      case 0:
      case 1:
        return Keep(k.Load(type, pointer, access));
      case 2:
      case 3:
        return k.Store(Pick(type), pointer, access);
      case 4:
        return Keep(k.ElementAddress(type, pointer, Pick(Next(2) == 0 ? kI32 : kI64)));
      case 5:
        return Keep(k.LocalArray(type, 1 + Next(Mistake() ? uint64_t{1} << 50 : 40)));
      case 6:
        return Keep(k.AtomicRmw(static_cast<AtomicOp>(Next(Mistake() ? 30 : 12)), pointer, Pick(kI32)));
      case 7:
        return Keep(k.AtomicCas(pointer, Pick(kI64), Pick(kI64), Order::kAcquire, Scope::kBlock));
      default:
        return k.CopyMemory(Pick(kGlobalPointer), pointer,
                            Next(2) == 0 ? k.I32(static_cast<int64_t>(Next(200))) : Pick(kI64), 1u << Next(5));
    }
  }

  void Threads() {
    KernelBuilder& k = *k_;
    switch (Next(6)) {
      case 0:
        return k.Barrier();
      case 1:
        return Keep(k.Shuffle(static_cast<ShuffleKind>(Next(4)), Pick(Next(2) == 0 ? kF16x2 : kI128), Pick(kI32)));
      case 2:
        return Keep(k.Ballot(Pick(kI1)));
      case 3:
        return Keep(k.Reduce(static_cast<ReduceOp>(Next(8)), Pick(kI32)));
      case 4:
        return k.Fence(Order::kAcquire, static_cast<Scope>(Next(Mistake() ? 9 : 4)));
      default:
        return Keep(k.MatchAny(Pick(kI64)));
    }
  }

  void ControlFlow() {
    KernelBuilder& k = *k_;
    if (++depth_ > 4) {
      --depth_;
      return;
    }
    switch (Next(6)) {
      case 0:
        k.If(Pick(kI1), [&] { Nested([&] { Body(3); }); });
        break;
      case 1:
        k.If(
            Pick(kI1), [&] { Nested([&] { Body(2); }); }, [&] { Nested([&] { Body(2); }); });
        break;
      case 2: {
        const Value initial[] = {Pick(), Pick(kI64)};
        Keep(k.ForRange(Pick(kI32), Pick(kI32), k.I32(1), initial, [&](Value i, std::span<const Value> carried) {
          std::vector<Value> next;
          Nested([&] {
            Keep(i);
            Body(3);
            for (const Value& value : carried) next.push_back(Pick(value.type()));
          });
          return next;
        }));
        break;
      }
      case 3: {
        const Block target = k.CreateBlock(), join = k.CreateBlock();
        std::vector<KernelBuilder::Case> cases;
        for (uint64_t i = 0; i < Next(7); ++i) cases.push_back({static_cast<int64_t>(i * 3), target});
        k.Switch(Pick(kI32), join, cases);
        k.SetInsertPoint(target);
        Nested([&] { Body(2); });
        k.Branch(join);
        k.SetInsertPoint(join);
        break;
      }
      case 4:
        if (Mistake()) k.Return();
        if (Mistake()) k.SetInsertPoint(blocks_.empty() ? Block() : blocks_[Next(blocks_.size())]);
        break;
      default:
        blocks_.push_back(k.current_block());
        if (Mistake()) Keep(k.Phi(SomeType()));
        if (Mistake()) k.AddIncoming(Pick(), Pick(), blocks_[Next(blocks_.size())]);
        if (Mistake()) k.Branch(blocks_[Next(blocks_.size())]);
        break;
    }
    --depth_;
  }

  void Calls() {
    KernelBuilder& k = *k_;
    if (Next(2) == 0) {
      const Type results[] = {kF32};
      const Value arguments[] = {Pick(kF32), Pick(kI32)};
      return Keep(k.InlineAsm("mov.b32 $0, $1; // $2", results, arguments, Mistake() ? "flr" : "ffr", Next(2) == 0));
    }
    if (k_ != function_ || Mistake()) Keep(k.Call(*function_, {Pick(kI32), Pick(kI64)}));
  }

  SplitMix64 random_;
  const uint64_t mistakes_;
  KernelModule module_;
  KernelBuilder* function_ = nullptr;
  KernelBuilder* k_ = nullptr;
  std::vector<Value> values_;
  std::vector<Block> blocks_;
  int depth_ = 0;
};

TEST(BuilderFuzzTest, RandomProgramsAreBuiltOrRefused) {
  int built = 0;
  for (uint64_t seed = 0; seed < testing::NumInputs(600); ++seed) {
    const uint64_t mistakes = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 3 : 50;
    std::string texts[2];
    for (std::string& text : texts) {
      RandomProgram program(seed, mistakes);
      KernelModule& module = program.Build(30);
      const Result<std::string> result = module.DagText();
      text = result.ok() ? *result : result.status().message();
      EXPECT_EQ(result.ok(), module.status().ok()) << "seed " << seed << ": " << text;
      if (!result.ok()) {
        EXPECT_FALSE(text.empty());
      }
      if (mistakes == 0) {
        EXPECT_TRUE(result.ok()) << "seed " << seed << ": " << text;
      }
      built += result.ok() ? 1 : 0;
    }
    EXPECT_EQ(texts[0], texts[1]) << "seed " << seed;
  }
  EXPECT_GT(built, static_cast<int>(testing::NumInputs(600) / 6));
}

// A program built without mistakes can be compiled: instructions are selected, and machine code is verified after
// each pass of each level.
TEST(BuilderFuzzTest, RandomProgramsCompile) {
  for (uint64_t seed = 0; seed < testing::NumInputs(300); ++seed) {
    RandomProgram program(seed, 0);
    const CompileResult result =
        Compile(program.Build(40), {.flags = {StrCat("-O", seed % 4), "-verify-machineinstrs"}});
    EXPECT_TRUE(result.ok) << "seed " << seed << ": " << result.MessageText();
  }
}

}  // namespace
}  // namespace ptxmir::builder

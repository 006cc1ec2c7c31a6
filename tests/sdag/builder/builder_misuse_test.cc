// SPDX-License-Identifier: Apache-2.0

// Every possible mistake is an error that names the call, and later calls do no harm.

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ptxmir/kernel_builder.h"

namespace ptxmir::builder {
namespace {

class BuilderMisuseTest : public testing::Test {
 protected:
  BuilderMisuseTest()
      : k_(module_.CreateKernel("k", {kI32, kF32, kGlobalPointer, kI1})),
        i_(k_.Argument(0)),
        f_(k_.Argument(1)),
        p_(k_.Argument(2)),
        b_(k_.Argument(3)) {}

  // Returns the message without its prefix, including an error from finishing the module.
  std::string Message() {
    constexpr std::string_view kPrefix = "kernel 'k': ";
    if (module_.status().ok()) (void)module_.DagText();
    const std::string message = module_.status().message();
    // Later calls do not change the message.
    k_.Store(k_.Add(i_, i_), p_);
    k_.Return();
    EXPECT_FALSE(module_.DagText().ok());
    EXPECT_EQ(module_.status().message(), message);
    return message.starts_with(kPrefix) ? message.substr(kPrefix.size()) : message;
  }

  KernelModule module_;
  KernelBuilder& k_;
  Value i_, f_, p_, b_;
};

TEST_F(BuilderMisuseTest, TypesDiffer) {
  EXPECT_FALSE(k_.Add(i_, f_).is_valid());
  EXPECT_EQ(Message(), "Add(a, b): i32 and f32 are different types");
}
TEST_F(BuilderMisuseTest, FloatingPointWhereIntegersBelong) {
  k_.And(f_, f_);
  EXPECT_EQ(Message(), "And(a, b): f32 is no integer");
}
TEST_F(BuilderMisuseTest, IntegersWhereFloatingPointBelongs) {
  k_.Sqrt(i_);
  EXPECT_EQ(Message(), "Sqrt(a): i32 is no floating-point type");
}
TEST_F(BuilderMisuseTest, PointersAreNotAdded) {
  k_.Add(p_, p_);
  EXPECT_EQ(Message(), "Add(a, b): ptr addrspace(1) is neither integer nor floating-point");
}
TEST_F(BuilderMisuseTest, NoValue) {
  k_.Mul(i_, Value());
  EXPECT_EQ(Message(), "Mul(a, b): an argument is no value");
}
TEST_F(BuilderMisuseTest, ValueOfAnotherFunction) {
  KernelBuilder& other = module_.CreateFunction("other", kVoid, {kI32});
  k_.Add(i_, other.Argument(0));
  EXPECT_EQ(Message(), "Add(a, b): an argument is a value of another function");
}
TEST_F(BuilderMisuseTest, ValueOfAModuleThatIsGone) {
  Value gone;
  {
    KernelModule other;
    gone = other.CreateKernel("k", {kI32}).Argument(0);
  }
  k_.Add(i_, gone);
  EXPECT_EQ(Message(), "Add(a, b): an argument is a value of another function");
}
TEST_F(BuilderMisuseTest, ArgumentThatThereIsNot) {
  k_.Argument(7);
  EXPECT_EQ(Message(), "Argument(index): there is no parameter 7, there are 4");
}
TEST_F(BuilderMisuseTest, UnterminatedBlock) {
  const Block next = k_.CreateBlock();
  k_.Branch(next);
  EXPECT_EQ(Message(), "Compile: block 1 does not end: it needs Branch, BranchIf, Switch, Return or Unreachable");
}
TEST_F(BuilderMisuseTest, TwoTerminators) {
  k_.Return();
  k_.Return();
  EXPECT_EQ(Message(), "Return(): the entry block has ended already");
}
TEST_F(BuilderMisuseTest, BehindATerminator) {
  k_.Return();
  k_.Store(i_, p_);
  EXPECT_EQ(Message(), "Store(value, pointer): the entry block has ended already");
}
TEST_F(BuilderMisuseTest, BranchToTheEntry) {
  k_.Branch(k_.current_block());
  EXPECT_EQ(Message(), "Branch(to): nothing can branch to the entry block");
}
TEST_F(BuilderMisuseTest, BlockOfAnotherFunction) {
  KernelBuilder& other = module_.CreateFunction("other", kVoid, {});
  k_.Branch(other.CreateBlock());
  EXPECT_EQ(Message(), "Branch(to): a block of another function");
}
TEST_F(BuilderMisuseTest, NoBlock) {
  k_.SetInsertPoint(Block());
  EXPECT_EQ(Message(), "SetInsertPoint(block): no block");
}
TEST_F(BuilderMisuseTest, ConditionThatIsNone) {
  k_.If(i_, [] {});
  EXPECT_EQ(Message(), "BranchIf(condition, then, else): the condition is i32, not i1");
}
TEST_F(BuilderMisuseTest, UseThatIsNotDominated) {
  Value inside;
  k_.If(b_, [&] { inside = k_.Add(i_, i_); });
  k_.Store(inside, p_);
  k_.Return();
  EXPECT_EQ(Message(), "Store(value, pointer): a value made in block 1, which does not dominate block 2");
}
TEST_F(BuilderMisuseTest, PhiWithoutAValueForAPredecessor) {
  const Block entry = k_.current_block(), left = k_.CreateBlock(), join = k_.CreateBlock();
  k_.BranchIf(b_, left, join);
  k_.SetInsertPoint(left);
  k_.Branch(join);
  k_.SetInsertPoint(join);
  const Value phi = k_.Phi(kI32);
  k_.AddIncoming(phi, i_, entry);
  k_.Store(phi, p_);
  k_.Return();
  EXPECT_EQ(Message(), "Phi(type): in block 2: no value from its predecessor, block 1");
}
TEST_F(BuilderMisuseTest, PhiWithAValueFromNoPredecessor) {
  const Block entry = k_.current_block(), next = k_.CreateBlock(), last = k_.CreateBlock();
  k_.Branch(next);
  k_.SetInsertPoint(next);
  k_.Branch(last);
  k_.SetInsertPoint(last);
  const Value phi = k_.Phi(kI32);
  k_.AddIncoming(phi, i_, entry);
  k_.AddIncoming(phi, i_, next);
  k_.Return();
  EXPECT_EQ(Message(), "Phi(type): in block 2: a value from the entry block, which is no predecessor");
}
TEST_F(BuilderMisuseTest, PhiOfAnotherType) {
  const Block entry = k_.current_block(), next = k_.CreateBlock();
  k_.Branch(next);
  k_.SetInsertPoint(next);
  k_.AddIncoming(k_.Phi(kI32), f_, entry);
  EXPECT_EQ(Message(), "AddIncoming(phi, value, from): i32 and f32 are different types");
}
TEST_F(BuilderMisuseTest, IncomingOfWhatIsNoPhi) {
  k_.AddIncoming(i_, i_, k_.current_block());
  EXPECT_EQ(Message(), "AddIncoming(phi, value, from): the first argument is no phi");
}
TEST_F(BuilderMisuseTest, TwoValuesFromABlock) {
  const Block entry = k_.current_block(), next = k_.CreateBlock();
  k_.Branch(next);
  k_.SetInsertPoint(next);
  const Value phi = k_.Phi(kI32);
  k_.AddIncoming(phi, i_, entry);
  k_.AddIncoming(phi, i_, entry);
  EXPECT_EQ(Message(), "AddIncoming(phi, value, from): there is a value from the entry block already");
}
TEST_F(BuilderMisuseTest, IncomingValueThatIsNotDominated) {
  const Block entry = k_.current_block(), left = k_.CreateBlock(), right = k_.CreateBlock(), join = k_.CreateBlock();
  (void)entry;
  k_.BranchIf(b_, left, right);
  k_.SetInsertPoint(left);
  const Value of_left = k_.Add(i_, i_);
  k_.Branch(join);
  k_.SetInsertPoint(right);
  k_.Branch(join);
  k_.SetInsertPoint(join);
  const Value phi = k_.Phi(kI32);
  k_.AddIncoming(phi, of_left, left);
  k_.AddIncoming(phi, of_left, right);
  k_.Return();
  EXPECT_EQ(Message(), "Phi(type): the value from block 2 was made in block 1, which does not dominate it");
}
TEST_F(BuilderMisuseTest, SwitchCases) {
  const Block next = k_.CreateBlock();
  k_.Switch(i_, next, {{1, next}, {1, next}});
  EXPECT_EQ(Message(), "Switch(value, default, cases): two cases are 1");
}
TEST_F(BuilderMisuseTest, SwitchOverTheWrongType) {
  const Block next = k_.CreateBlock();
  k_.Switch(f_, next, {});
  EXPECT_EQ(Message(), "Switch(value, default, cases): f32 cannot be switched over");
}
TEST_F(BuilderMisuseTest, SwitchCaseOutOfRange) {
  const Block next = k_.CreateBlock();
  k_.Switch(k_.Trunc(i_, kI8), next, {{128, next}});
  EXPECT_EQ(Message(), "Switch(value, default, cases): 128 is no i8");
}
TEST_F(BuilderMisuseTest, TypesThatThereAreNot) {
  k_.Constant(Type::Integer(24), 1);
  EXPECT_EQ(Message(), "Constant(type, value): there is no value of type i24");
}
TEST_F(BuilderMisuseTest, VectorsThatThereAreNot) {
  k_.Undefined(kI32.Vector(5));
  EXPECT_EQ(Message(), "Undefined(type): there is no value of type <5 x i32>");
}
TEST_F(BuilderMisuseTest, ConstantOfAnotherKind) {
  k_.Constant(kF32, 1);
  EXPECT_EQ(Message(), "Constant(type, value): f32 is neither integer nor pointer");
}
TEST_F(BuilderMisuseTest, WideningThatNarrows) {
  k_.SExt(i_, kI16);
  EXPECT_EQ(Message(), "SExt(a, to): i16 is not wider than i32");
}
TEST_F(BuilderMisuseTest, NarrowingThatWidens) {
  k_.FPTrunc(f_, kF64);
  EXPECT_EQ(Message(), "FPTrunc(a, to): f64 is not narrower than f32");
}
TEST_F(BuilderMisuseTest, BitcastOfAnotherSize) {
  k_.Bitcast(i_, kF64);
  EXPECT_EQ(Message(), "Bitcast(a, to): i32 and f64 have different sizes");
}
TEST_F(BuilderMisuseTest, BitcastOfPointers) {
  k_.Bitcast(p_, kI64);
  EXPECT_EQ(Message(), "Bitcast(a, to): pointers are converted by PointerToInt, IntToPointer and AddressSpaceCast");
}
TEST_F(BuilderMisuseTest, AddressSpacesThatDoNotMeet) {
  k_.AddressSpaceCast(p_, AddressSpace::kShared);
  EXPECT_EQ(Message(), "AddressSpaceCast(pointer, to): from ptr addrspace(1) to ptr addrspace(3): neither is generic");
}
TEST_F(BuilderMisuseTest, ElementsThatThereAreNot) {
  k_.ExtractElement(k_.Splat(i_, 4), 4);
  EXPECT_EQ(Message(), "ExtractElement(vector, index): <4 x i32> has no element 4");
}
TEST_F(BuilderMisuseTest, ShuffleMask) {
  const Value v = k_.Splat(i_, 2);
  const int mask[] = {0, 4};
  k_.Shuffle(v, v, mask);
  EXPECT_EQ(Message(), "Shuffle(a, b, mask): two of <2 x i32> have no element 4");
}
TEST_F(BuilderMisuseTest, PredicateOfAnotherKind) {
  k_.Compare(Predicate::kOlt, i_, i_);
  EXPECT_EQ(Message(), "Compare(predicate, a, b): i32 is not compared by this predicate");
}
TEST_F(BuilderMisuseTest, LoadThroughNoPointer) {
  k_.Load(kI32, i_);
  EXPECT_EQ(Message(), "Load(type, pointer): i32 is no pointer");
}
TEST_F(BuilderMisuseTest, Alignment) {
  k_.Load(kI32, p_, {.align = 3});
  EXPECT_EQ(Message(), "Load(type, pointer): the alignment is no power of 2");
}
TEST_F(BuilderMisuseTest, StoreToConstantMemory) {
  k_.Store(i_, k_.IntToPointer(k_.I64(64), AddressSpace::kConstant));
  EXPECT_EQ(Message(), "Store(value, pointer): nothing is stored through ptr addrspace(4)");
}
TEST_F(BuilderMisuseTest, AtomicsInLocalMemory) {
  k_.AtomicRmw(AtomicOp::kAdd, k_.LocalArray(kI32, 1), i_);
  EXPECT_EQ(Message(), "AtomicRmw(op, pointer, value): no atomics through ptr addrspace(5)");
}
TEST_F(BuilderMisuseTest, AtomicsOfOtherTypes) {
  k_.AtomicRmw(AtomicOp::kAdd, p_, f_);
  EXPECT_EQ(Message(), "AtomicRmw(op, pointer, value): not with f32");
}
TEST_F(BuilderMisuseTest, StoresThatAcquire) {
  k_.AtomicStore(i_, p_, Order::kAcquire);
  EXPECT_EQ(Message(), "AtomicStore(value, pointer): a store does not acquire");
}
TEST_F(BuilderMisuseTest, VariableOfAnotherModule) {
  KernelModule other;
  k_.AddressOf(other.CreateVariable("v", kI32, 1, AddressSpace::kGlobal));
  EXPECT_EQ(Message(), "AddressOf(variable): a variable of another module");
}
TEST_F(BuilderMisuseTest, CallWithTooFewArguments) {
  KernelBuilder& f = module_.CreateFunction("f", kI32, {kI32, kI32});
  k_.Call(f, {i_});
  EXPECT_EQ(Message(), "Call(function, arguments): 'f' takes 2 arguments, not 1");
}
TEST_F(BuilderMisuseTest, CallWithAnotherType) {
  KernelBuilder& f = module_.CreateFunction("f", kI32, {kI32});
  k_.Call(f, {f_});
  EXPECT_EQ(Message(), "Call(function, arguments): argument 0 of 'f' is f32, not i32");
}
TEST_F(BuilderMisuseTest, CallOfAKernel) {
  k_.Call(k_, {i_, f_, p_, b_});
  EXPECT_EQ(Message(), "Call(function, arguments): 'k' is a kernel");
}
TEST_F(BuilderMisuseTest, CallOfAnotherModule) {
  KernelModule other;
  k_.Call(other.CreateFunction("f", kI32, {}), {});
  EXPECT_EQ(Message(), "Call(function, arguments): a function of another module");
}
TEST_F(BuilderMisuseTest, KernelsReturnNothing) {
  k_.Return(i_);
  EXPECT_EQ(Message(), "Return(value): the value is i32, the function returns void");
}
TEST_F(BuilderMisuseTest, FunctionsReturnWhatTheySay) {
  module_.CreateFunction("f", kI32, {}).Return();
  EXPECT_EQ(Message(), "function 'f': Return(): the function returns i32");
}
TEST_F(BuilderMisuseTest, NamesThatAreNone) {
  module_.CreateKernel("a b", {});
  EXPECT_EQ(Message(), "CreateKernel(\"a b\"): 'a b' is no PTX identifier");
}
TEST_F(BuilderMisuseTest, NamesThatThereAre) {
  module_.CreateKernel("k", {kI32}).Argument(0);
  EXPECT_EQ(Message(), "CreateKernel(\"k\"): the module has a 'k' already");
}
TEST_F(BuilderMisuseTest, NamesThatCodeUses) {
  module_.CreateVariable("func_retval0", kI32, 1, AddressSpace::kGlobal);
  EXPECT_EQ(Message(), "CreateVariable(\"func_retval0\"): 'func_retval0' is a name that compiled code uses");
}
TEST_F(BuilderMisuseTest, NamesOfParameters) {
  module_.CreateVariable("k_param_9", kI32, 1, AddressSpace::kGlobal);
  EXPECT_EQ(Message(), "CreateVariable(\"k_param_9\"): 'k_param_9' is what a parameter of 'k' is called");
}
TEST_F(BuilderMisuseTest, NamesThatParametersWouldHave) {
  module_.CreateVariable("f_param_0", kI32, 1, AddressSpace::kGlobal);
  module_.CreateFunction("f", kVoid, {kI32});
  EXPECT_EQ(Message(), "CreateFunction(\"f\"): the module has a 'f_param_0', which is what parameter 0 is called");
}
TEST_F(BuilderMisuseTest, BoundsWithoutAnX) {
  module_.CreateKernel("other", {}, {.max_threads = {0, 16}});
  EXPECT_EQ(Message(), "CreateKernel(\"other\"): launch bounds without an x");
}
TEST_F(BuilderMisuseTest, ClustersOnOldGpus) {
  module_.CreateKernel("other", {}, {.cluster = {2}});
  EXPECT_EQ(Message(), "CreateKernel(\"other\"): clusters need sm_90");
}
TEST_F(BuilderMisuseTest, StructuresOfNoBytes) {
  module_.CreateKernel("other", {Parameter::Bytes(0, 4)});
  EXPECT_EQ(Message(), "CreateKernel(\"other\"): parameter 0 has no bytes");
}
TEST_F(BuilderMisuseTest, ResultsThatCannotBePassed) {
  module_.CreateFunction("other", kI1.Vector(4), {});
  EXPECT_EQ(Message(), "CreateFunction(\"other\"): no function returns <4 x i1>");
}
TEST_F(BuilderMisuseTest, ParametersOfNoType) {
  module_.CreateKernel("other", {kVoid});
  EXPECT_EQ(Message(), "CreateKernel(\"other\"): parameter 0: there is no parameter of type void");
}
TEST_F(BuilderMisuseTest, TooMuchData) {
  const uint8_t bytes[5] = {};
  module_.CreateVariable("v", kI32, 1, AddressSpace::kConstant, bytes);
  EXPECT_EQ(Message(), "CreateVariable(\"v\"): 5 bytes of data for 4 bytes");
}
TEST_F(BuilderMisuseTest, VariablesInLocalMemory) {
  module_.CreateVariable("v", kI32, 1, AddressSpace::kLocal);
  EXPECT_EQ(Message(), "CreateVariable(\"v\"): variables are in global, constant or shared memory");
}
TEST_F(BuilderMisuseTest, LocalArraysOfNothing) {
  k_.LocalArray(kI32, 0);
  EXPECT_EQ(Message(), "LocalArray(type, count): 0 elements of i32 are no local array");
}
TEST_F(BuilderMisuseTest, VoteOfIntegers) {
  k_.Ballot(i_);
  EXPECT_EQ(Message(), "Ballot(predicate): the predicate is i32, not i1");
}
TEST_F(BuilderMisuseTest, MatrixFragments) {
  k_.MmaM16N8K16({}, {}, {});
  EXPECT_EQ(Message(), "MmaM16N8K16(a, b, c): a is 4 of <2 x f16>");
}
TEST_F(BuilderMisuseTest, CallsThroughWhatIsNoGenericPointer) {
  k_.CallIndirect(p_, {kVoid, {}}, {});
  EXPECT_EQ(Message(), "CallIndirect(pointer, type, arguments): the pointer is ptr addrspace(1), not ptr");
}
TEST_F(BuilderMisuseTest, CallsThroughPointersWithOtherArguments) {
  KernelBuilder& f = module_.CreateFunction("f", kI32, {kI32});
  k_.CallIndirect(k_.AddressOf(f), {kI32, {kI32}}, {f_});
  EXPECT_EQ(Message(), "CallIndirect(pointer, type, arguments): argument 0 of the function is f32, not i32");
}
TEST_F(BuilderMisuseTest, CallsThroughPointersOfTypesThatCannotBePassed) {
  KernelBuilder& f = module_.CreateFunction("f", kI32, {kI32});
  k_.CallIndirect(k_.AddressOf(f), {kI32, {kI1.Vector(4)}}, {});
  EXPECT_EQ(Message(), "CallIndirect(pointer, type, arguments): parameter 0: there is no parameter of type <4 x i1>");
}
TEST_F(BuilderMisuseTest, AddressesOfKernels) {
  k_.AddressOf(k_);
  EXPECT_EQ(Message(), "AddressOf(function): 'k' is a kernel");
}
TEST_F(BuilderMisuseTest, BytesThatAreNoPointer) {
  KernelBuilder& f = module_.CreateFunction("f", kVoid, {Parameter::Bytes(12, 4)});
  k_.Call(f, {i_});
  EXPECT_EQ(Message(), "Call(function, arguments): argument 0 of 'f' is i32, not a pointer to 12 bytes");
}
TEST_F(BuilderMisuseTest, LocationsWithoutFileOrLine) {
  k_.SetLocation("", 1);
  EXPECT_EQ(Message(), "SetLocation(file, line, column): a file without a name");
}
TEST_F(BuilderMisuseTest, LocationsInFilesThatPtxCannotName) {
  k_.SetLocation("a\"b", 1);
  EXPECT_EQ(Message(), "SetLocation(file, line, column): ptxas does not read such a name of a file");
}
TEST_F(BuilderMisuseTest, LocationsInLineZero) {
  k_.SetLocation("kernel.py", 0);
  EXPECT_EQ(Message(), "SetLocation(file, line, column): lines are counted from 1");
}
TEST_F(BuilderMisuseTest, InlineAssemblyConstraints) {
  k_.InlineAsm("", {}, std::vector<Value>{f_}, "l");
  EXPECT_EQ(Message(), "InlineAsm(text, results, arguments, constraints): constraint 'l' does not take f32");
}
TEST_F(BuilderMisuseTest, AsynchronousCopies) {
  k_.CopyAsync(k_.SharedArray("s", kI32, 4), p_, 5);
  EXPECT_EQ(Message(), "CopyAsync(shared, global, bytes): not of 5 bytes");
}
TEST_F(BuilderMisuseTest, LoopsThatReturnTooFewValues) {
  k_.ForRange(k_.I32(0), i_, k_.I32(1), {f_}, [](Value, std::span<const Value>) { return std::vector<Value>(); });
  EXPECT_EQ(Message(), "ForRange(begin, end, step, initial, body): the body returns 0 values, not 1");
}
TEST_F(BuilderMisuseTest, CopyOfUnknownSize) {
  k_.CopyMemory(p_, p_, f_);
  EXPECT_EQ(Message(), "CopyMemory(to, from, size): the size is f32, not i32 or i64");
}

TEST(BuilderModuleMisuseTest, Target) {
  KernelModule module({.sm = "sm_1"});
  EXPECT_FALSE(module.status().ok());
  KernelBuilder& k = module.CreateKernel("k", {kI32});
  k.Store(k.Argument(0), k.Argument(1));
  EXPECT_FALSE(module.DagText().ok());
  EXPECT_NE(module.status().message().find("sm_1"), std::string::npos) << module.status().message();
}

// tanh.approx was selected for sm_75 with PTX 6.3, which only PTX 7.0 has: the check knew the SM alone.
TEST(BuilderTargetTest, CallsThatTheTargetLacks) {
  KernelModule turing({.sm = "sm_75"});
  KernelBuilder& k = turing.CreateKernel("k", {kF32});
  k.ApproxTanh(k.Argument(0));
  EXPECT_EQ(turing.status().message(),
            "kernel 'k': ApproxTanh(a): needs sm_75 and PTX 7.0; the target is sm_75 with PTX 6.3");
  KernelModule volta({.sm = "sm_70", .ptx_version = 80});
  KernelBuilder& v = volta.CreateKernel("k", {kI32});
  v.Reduce(ReduceOp::kAdd, v.Argument(0));
  EXPECT_EQ(volta.status().message(),
            "kernel 'k': Reduce(op, value): needs sm_80 and PTX 7.0; the target is sm_70 with PTX 8.0");
}

// Instructions that the target lacks are our errors, with function and node, not ptxas's.
TEST(BuilderTargetTest, InstructionsThatTheTargetLacks) {
  struct Case {
    ModuleTarget target;
    std::function<void(KernelBuilder&)> use;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{.sm = "sm_75"},
       [](KernelBuilder& k) { k.CopyAsync(k.SharedArray("s", kI32, 4), k.Argument(1), 16); },
       "'CP_ASYNC_CA_SHARED_GLOBAL_16' needs sm_80 and PTX 7.0; the target is sm_75 with PTX 6.3"},
      {{.sm = "sm_61", .ptx_version = 60},
       [](KernelBuilder& k) { k.Store(k.MatchAny(k.Argument(0)), k.Argument(1)); },
       "needs sm_70 and PTX 6.0; the target is sm_61 with PTX 6.0"},
      {{.sm = "sm_53"},
       [](KernelBuilder& k) { k.Store(k.Ballot(k.Equal(k.Argument(0), k.I32(3))), k.Argument(1)); },
       "needs sm_30 and PTX 6.0; the target is sm_53 with PTX 4.2"},
  };
  for (const Case& test : cases) {
    KernelModule module(test.target);
    KernelBuilder& k = module.CreateKernel("k", {kI32, kGlobalPointer});
    test.use(k);
    k.Return();
    const CompileResult result = Compile(module);
    EXPECT_FALSE(result.ok);
    const std::string text = result.MessageText();
    EXPECT_NE(text.find("in function 'k', bb.0: cannot select: "), text.npos) << text;
    EXPECT_NE(text.find(test.message), text.npos) << text;
  }
}

}  // namespace
}  // namespace ptxmir::builder

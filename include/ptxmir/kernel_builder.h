// SPDX-License-Identifier: Apache-2.0

// KernelBuilder: makes kernels from C++, without LLVM, up to PTX. saxpy in ten lines:
//
//     KernelModule module({.sm = "sm_80"});
//     KernelBuilder& k = module.CreateKernel("saxpy", {kI32, kF32, kGlobalPointer, kGlobalPointer});
//     Value i = k.GlobalThreadIdX();
//     k.If(k.Less(i, k.Argument(0)), [&] {
//       Value x = k.Load(kF32, k.ElementAddress(kF32, k.Argument(2), i));
//       Value at = k.ElementAddress(kF32, k.Argument(3), i);
//       k.Store(k.Fma(k.Argument(1), x, k.Load(kF32, at)), at);
//     });
//     k.Return();
//     CompileResult compiled = Compile(module);
//
// The namespace is ptxmir::builder. Every call makes nodes of the SelectionDAG of the block that the insertion point is
// in. Values of one block may be used in all blocks that it dominates; they get there through virtual registers.
// docs/kernel-builder.md is the manual.
//
// Misuse is an error, never a crash: the first one is remembered, with a message that names the call
// ("kernel 'k': Add(a, b): i32 and f32 are different types"); what is called afterwards does nothing and returns
// values that are none. Compile returns the error; status() has it earlier. Handles (Value, Block, Variable) are
// numbers, checked wherever they are used: those of another function or module, or of one that is gone, are an error.
//
// A module, with its kernels, belongs to one thread at a time. Only the standard library is needed to use this.

#ifndef PTXMIR_KERNEL_BUILDER_H_
#define PTXMIR_KERNEL_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptxmir/compiler.h"
#include "ptxmir/kernel_types.h"
#include "ptxmir/status.h"

namespace ptxmir::builder {

class FunctionState;
class ModuleState;

// What an operation of a kernel computes; in the block where it was made, and those that it dominates.
class Value {
 public:
  Value() = default;
  // False: no value, because something was wrong.
  bool is_valid() const { return index_ != 0; }
  Type type() const { return type_; }

 private:
  friend class FunctionState;
  uint32_t function_ = 0;
  uint32_t index_ = 0;
  Type type_;
};

// A basic block.
class Block {
 public:
  Block() = default;
  bool is_valid() const { return function_ != 0; }
  friend bool operator==(const Block&, const Block&) = default;

 private:
  friend class FunctionState;
  uint32_t function_ = 0;
  uint32_t index_ = 0;
};

// A variable of the module: in global, constant or shared memory.
class Variable {
 public:
  Variable() = default;
  bool is_valid() const { return module_ != 0; }

 private:
  friend class ModuleState;
  uint32_t module_ = 0;
  uint32_t index_ = 0;
  AddressSpace space_ = AddressSpace::kGeneric;
};

struct Parameter {
  Parameter(Type type) : type(type) {}  // NOLINT: {kI32, kGlobalPointer}
  // Of pointers: what they point to is aligned so, and accessed through no other pointer while the kernel runs.
  Parameter(Type type, unsigned align, bool no_alias = false) : type(type), align(align), no_alias(no_alias) {}
  // An aggregate by value: so many bytes. In a kernel the argument is a pointer to them, to be read only; in a function
  // it is a pointer to a copy of its own in local memory, and who calls passes a pointer to what is copied.
  static Parameter Bytes(unsigned size, unsigned align) {
    Parameter parameter(Type::Pointer(AddressSpace::kParam), align);
    parameter.size = size;
    return parameter;
  }

  Type type;
  unsigned align = 0;
  bool no_alias = false;
  unsigned size = 0;
};

// What there is to know of a function that is called through a pointer.
struct FunctionType {
  Type result;
  std::vector<Parameter> parameters;
};

// Dimensions that are 0 are not stated.
struct Dim {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
};

struct LaunchBounds {
  Dim max_threads = {};          // .maxntid
  Dim required_threads = {};     // .reqntid
  uint32_t min_ctas_per_sm = 0;  // .minnctapersm
  uint32_t max_registers = 0;    // .maxnreg
  Dim cluster = {};              // .reqnctapercluster (sm_90)
  uint32_t max_cluster_rank = 0;
};

struct MemoryAccess {
  unsigned align = 0;  // in bytes, a power of 2; 0: as large as the type
  bool is_volatile = false;
  bool is_invariant = false;  // of loads: nothing writes there while the kernel runs (ld.global.nc)
};

class KernelBuilder {
 public:
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;
  ~KernelBuilder();

  // Of the module: the first thing that went wrong in any function.
  const Status& status() const;

  // What is built from now on comes from this line of a source file, from 1, and of all that PTX's .loc has, for
  // debuggers and profilers; ClearLocation: from none. A column of 0 is not stated.
  void SetLocation(std::string_view file, uint32_t line, uint32_t column = 0);
  void ClearLocation();

  // ---- Blocks. The entry block is there, and the insertion point in it. Every block ends with one of Branch,
  // BranchIf, Switch, Return and Unreachable. Blocks are laid out in the order in which they were first inserted into.
  Block CreateBlock();
  void SetInsertPoint(Block block);
  Block current_block() const;
  void Branch(Block to);
  void BranchIf(Value condition, Block then_block, Block else_block);
  struct Case {
    int64_t value;
    Block block;
  };
  // Jump tables where cases are close to each other, otherwise comparisons.
  void Switch(Value value, Block default_block, std::span<const Case> cases);
  void Switch(Value value, Block default_block, std::initializer_list<Case> cases) {
    Switch(value, default_block, std::span<const Case>(cases.begin(), cases.size()));
  }
  void Return();
  void Return(Value value);
  // Control does not come here; a trap, if it does.
  void Unreachable();
  // A value that depends on where control came from: one incoming value for each predecessor of the block.
  Value Phi(Type type);
  void AddIncoming(Value phi, Value value, Block from);

  // Structured control flow, made of the above. Bodies may make blocks, but leave the last one open, unless they
  // return.
  void If(Value condition, const std::function<void()>& then_body);
  void If(Value condition, const std::function<void()>& then_body, const std::function<void()>& else_body);
  // for (i = begin; i < end; i += step), signed; `step` is positive.
  void ForRange(Value begin, Value end, Value step, const std::function<void(Value i)>& body);
  // The same with values that each iteration takes from the one before: the body returns those for the next one. What
  // they are at the end.
  using LoopBody = std::function<std::vector<Value>(Value i, std::span<const Value> carried)>;
  std::vector<Value> ForRange(Value begin, Value end, Value step, std::span<const Value> initial, const LoopBody& body);
  std::vector<Value> ForRange(Value begin, Value end, Value step, std::initializer_list<Value> initial,
                              const LoopBody& body) {
    return ForRange(begin, end, step, std::span<const Value>(initial.begin(), initial.size()), body);
  }
  // while (condition()) body();
  void While(const std::function<Value()>& condition, const std::function<void()>& body);

  // ---- Leaves.
  Value Argument(size_t index);
  // An integer, or a pointer; of vectors, in every element. The value is cut off to the width.
  Value Constant(Type type, int64_t value);
  // Rounded to the format; of vectors, in every element.
  Value ConstantFloat(Type type, double value);
  Value I32(int64_t value) { return Constant(kI32, value); }
  Value I64(int64_t value) { return Constant(kI64, value); }
  Value F32(float value) { return ConstantFloat(kF32, value); }
  Value F64(double value) { return ConstantFloat(kF64, value); }
  Value Bool(bool value) { return Constant(kI1, value ? 1 : 0); }
  // Any value.
  Value Undefined(Type type);
  Value AddressOf(Variable variable);
  Value Read(SpecialRegister special_register);
  Value ThreadIdX() { return Read(SpecialRegister::kTidX); }
  Value ThreadIdY() { return Read(SpecialRegister::kTidY); }
  Value BlockIdX() { return Read(SpecialRegister::kCtaIdX); }
  Value BlockIdY() { return Read(SpecialRegister::kCtaIdY); }
  Value BlockDimX() { return Read(SpecialRegister::kNTidX); }
  Value GridDimX() { return Read(SpecialRegister::kNCtaIdX); }
  Value LaneId() { return Read(SpecialRegister::kLaneId); }
  // ctaid * ntid + tid.
  Value GlobalThreadIdX();
  Value GlobalThreadIdY();

  // ---- Arithmetic. Both operands are of the result's type: integers, floating-point numbers, or vectors of them.
  Value Add(Value a, Value b, uint8_t wrap = kMayWrap);
  Value Sub(Value a, Value b, uint8_t wrap = kMayWrap);
  Value Mul(Value a, Value b, uint8_t wrap = kMayWrap);
  Value Neg(Value a);
  // Integers.
  Value SDiv(Value a, Value b);
  Value UDiv(Value a, Value b);
  Value SRem(Value a, Value b);
  Value URem(Value a, Value b);
  Value MulHighS(Value a, Value b);
  Value MulHighU(Value a, Value b);
  Value And(Value a, Value b);
  Value Or(Value a, Value b);
  Value Xor(Value a, Value b);
  Value Not(Value a);
  // The amount is of any integer type (of vectors: of the same type), and less than the width.
  Value Shl(Value a, Value amount);
  Value LShr(Value a, Value amount);
  Value AShr(Value a, Value amount);
  Value RotateLeft(Value a, Value amount);
  Value RotateRight(Value a, Value amount);
  Value SMin(Value a, Value b);
  Value SMax(Value a, Value b);
  Value UMin(Value a, Value b);
  Value UMax(Value a, Value b);
  Value Abs(Value a);  // of floating-point numbers, too
  Value PopCount(Value a);
  Value CountLeadingZeros(Value a);
  Value CountTrailingZeros(Value a);
  Value ReverseBits(Value a);
  Value ReverseBytes(Value a);
  // Floating point.
  void SetFastMath(const FastMath& flags);
  Value FDiv(Value a, Value b);
  Value FRem(Value a, Value b);
  Value Fma(Value a, Value b, Value c);
  // The number when the other one is a NaN; FMinimum and FMaximum are NaN then.
  Value FMin(Value a, Value b);
  Value FMax(Value a, Value b);
  Value FMinimum(Value a, Value b);
  Value FMaximum(Value a, Value b);
  Value CopySign(Value a, Value sign);
  Value Sqrt(Value a);
  Value Floor(Value a);
  Value Ceil(Value a);
  Value Truncate(Value a);
  Value RoundEven(Value a);
  // PTX's approximations of f32.
  Value ApproxRsqrt(Value a);  // f64, too
  Value ApproxSqrt(Value a);
  Value ApproxReciprocal(Value a);
  Value ApproxSin(Value a);
  Value ApproxCos(Value a);
  Value ApproxExp2(Value a);
  Value ApproxLog2(Value a);
  Value ApproxTanh(Value a);

  // ---- Comparisons: i1, or a vector of it.
  Value Compare(Predicate predicate, Value a, Value b);
  Value Equal(Value a, Value b);
  Value NotEqual(Value a, Value b);
  // Signed or, of floating-point numbers, ordered.
  Value Less(Value a, Value b);
  Value LessEqual(Value a, Value b);
  Value Greater(Value a, Value b);
  Value GreaterEqual(Value a, Value b);
  Value Select(Value condition, Value a, Value b);

  // ---- Conversions.
  Value SExt(Value a, Type to);
  Value ZExt(Value a, Type to);
  Value Trunc(Value a, Type to);
  Value FPExt(Value a, Type to);
  Value FPTrunc(Value a, Type to);
  Value SIntToFP(Value a, Type to);
  Value UIntToFP(Value a, Type to);
  Value FPToSInt(Value a, Type to);
  Value FPToUInt(Value a, Type to);
  Value Bitcast(Value a, Type to);
  Value PointerToInt(Value a);
  Value IntToPointer(Value a, AddressSpace space);
  Value AddressSpaceCast(Value pointer, AddressSpace to);

  // ---- Vectors.
  Value BuildVector(std::span<const Value> elements);
  Value BuildVector(std::initializer_list<Value> elements) {
    return BuildVector(std::span<const Value>(elements.begin(), elements.size()));
  }
  Value Splat(Value element, uint8_t lanes);
  Value ExtractElement(Value vector, unsigned index);
  Value InsertElement(Value vector, Value element, unsigned index);
  // Elements of both, one after the other; -1: any value.
  Value Shuffle(Value a, Value b, std::span<const int> mask);

  // ---- Memory.
  Value Load(Type type, Value pointer, const MemoryAccess& access = {});
  void Store(Value value, Value pointer, const MemoryAccess& access = {});
  Value PointerAdd(Value pointer, Value bytes);
  Value PointerAdd(Value pointer, int64_t bytes) { return PointerAdd(pointer, I64(bytes)); }
  // pointer + index * size of the type; the index is signed.
  Value ElementAddress(Type type, Value pointer, Value index);
  // In shared memory, for this function: so many of a type.
  Value SharedArray(std::string_view name, Type type, uint64_t count, unsigned align = 0);
  // Shared memory whose size the launch gives.
  Value DynamicShared(unsigned align = 16);
  // In the thread's local memory, for as long as the function runs.
  Value LocalArray(Type type, uint64_t count, unsigned align = 0);
  // `size` in bytes (i32 or i64), in a loop if it is large or not constant; memory must not overlap.
  void CopyMemory(Value to, Value from, Value size, unsigned align = 1);
  // `byte`: i8.
  void SetMemory(Value to, Value byte, Value size, unsigned align = 1);

  // ---- Atomics and fences.
  Value AtomicRmw(AtomicOp op, Value pointer, Value value, Order order = Order::kRelaxed, Scope scope = Scope::kDevice);
  // What was there; it is `expected` when it was replaced.
  Value AtomicCas(Value pointer, Value expected, Value desired, Order order = Order::kRelaxed,
                  Scope scope = Scope::kDevice);
  Value AtomicLoad(Type type, Value pointer, Order order = Order::kRelaxed, Scope scope = Scope::kDevice);
  void AtomicStore(Value value, Value pointer, Order order = Order::kRelaxed, Scope scope = Scope::kDevice);
  void Fence(Order order = Order::kSequential, Scope scope = Scope::kDevice);

  // ---- What threads do together. `mask`: i32, which lanes; without one: all.
  void Barrier();
  void Barrier(Value id);
  void Barrier(Value id, Value num_threads);
  void SyncWarp(Value mask = {});
  // i32, f32, or any type, 32 bits at a time. `clamp`: PTX's c operand; without one, lanes of
  // the whole warp.
  Value Shuffle(ShuffleKind kind, Value value, Value lane, Value mask = {}, Value clamp = {});
  Value Vote(VoteKind kind, Value predicate, Value mask = {});
  Value Ballot(Value predicate, Value mask = {});
  Value ActiveMask();
  Value MatchAny(Value value, Value mask = {});
  // i32; sm_80.
  Value Reduce(ReduceOp op, Value value, Value mask = {});

  // ---- Asynchronous copies (sm_80). `bytes`: 4, 8 or 16.
  void CopyAsync(Value shared, Value global, unsigned bytes, bool bypass_l1 = false);
  void CommitAsyncCopies();
  void WaitAsyncCopies(unsigned groups_left = 0);

  // ---- Matrices. Fragments are as the PTX manual lays them out.
  // m16n8k16 of f16 or bf16: a: 4, b: 2 pairs; c and the result: 4 f32 or, for f16 alone, 2 pairs of f16.
  std::vector<Value> MmaM16N8K16(std::span<const Value> a, std::span<const Value> b, std::span<const Value> c);
  // PTX's mma of dense matrices, in any form. Fragments are registers: <2 x f16>, <2 x bf16>, f32 (also for tf32), f64,
  // and i32 for everything smaller and for s32.
  std::vector<Value> Mma(const MmaForm& form, std::span<const Value> a, std::span<const Value> b,
                         std::span<const Value> c);
  // 1, 2 or 4 matrices of 8 x 8 elements of 16 bits, an i32 each.
  std::vector<Value> LoadMatrices(unsigned count, Value shared, bool transposed = false);

  // ---- Anything else.
  // "llvm.nvvm...": PTX's intrinsics, as LLVM 22 names them; the results are given by their types. Chained with memory
  // accesses and other intrinsics unless it computes a function of its arguments alone.
  std::vector<Value> Intrinsic(std::string_view name, std::span<const Type> results, std::span<const Value> arguments,
                               bool is_pure);
  // LLVM's inline assembly: $0 ... are the results, then the arguments. A constraint is one of b (i1), h (16 bits), r,
  // l (64 bits), f, d, q (i128) and, for arguments, n (a constant).
  std::vector<Value> InlineAsm(std::string_view text, std::span<const Type> results, std::span<const Value> arguments,
                               std::string_view constraints, bool has_side_effects = true);
  // A function of the same module; no value when it returns none.
  Value Call(KernelBuilder& function, std::span<const Value> arguments);
  Value Call(KernelBuilder& function, std::initializer_list<Value> arguments) {
    return Call(function, std::span<const Value>(arguments.begin(), arguments.size()));
  }
  // The address of a function of the same module: a generic pointer, to be called or stored.
  Value AddressOf(KernelBuilder& function);
  // Calls what a pointer points to, which must be a function of this type.
  Value CallIndirect(Value pointer, const FunctionType& type, std::span<const Value> arguments);
  Value CallIndirect(Value pointer, const FunctionType& type, std::initializer_list<Value> arguments) {
    return CallIndirect(pointer, type, std::span<const Value>(arguments.begin(), arguments.size()));
  }

  // For the library itself.
  FunctionState& state() { return *state_; }

 private:
  friend class ModuleState;
  // `source`: a value for so many bytes at an offset, with an alignment.
  void MoveBytes(Value to, Value size, unsigned align, const std::function<Value(Type, Value, unsigned)>& source);
  explicit KernelBuilder(std::unique_ptr<FunctionState> state);
  std::unique_ptr<FunctionState> state_;
};

struct ModuleTarget {
  std::string sm = "sm_80";
  int ptx_version = 0;  // 83 is 8.3; 0: the lowest that the SM needs
};

class KernelModule {
 public:
  explicit KernelModule(const ModuleTarget& target = {});
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;
  ~KernelModule();

  const Status& status() const;

  // Both stay where they are as long as the module lives. Names are PTX identifiers.
  KernelBuilder& CreateKernel(std::string_view name, std::vector<Parameter> parameters,
                              const LaunchBounds& bounds = {});
  KernelBuilder& CreateFunction(std::string_view name, Type result, std::vector<Parameter> parameters);

  // So many of a type, zero or with data: the bytes as they stand in memory, little-endian, at most as many as fit.
  Variable CreateVariable(std::string_view name, Type type, uint64_t count, AddressSpace space,
                          std::span<const uint8_t> data = {}, unsigned align = 0);
  template <typename T>
  Variable CreateConstantArray(std::string_view name, Type type, std::span<const T> elements) {
    return CreateVariable(name, type, elements.size(), AddressSpace::kConstant,
                          {reinterpret_cast<const uint8_t*>(elements.data()), elements.size() * sizeof(T)});
  }

  // What has been built, before instructions are selected: docs/selection-dag.md. Ends all functions, as Compile does.
  Result<std::string> DagText();

  // For the library itself.
  ModuleState& state() { return *state_; }

 private:
  std::unique_ptr<ModuleState> state_;
};

// PTX of a module; or MIR, where the options stop the pipeline early. The options are those of compiler.h; without
// -mcpu, the module's own target. What was got wrong while building is the only message then. Uses the module up.
CompileResult Compile(KernelModule& module, const CompileOptions& options = {});
// The same with options that have been understood already: for many modules.
CompileResult Compile(KernelModule& module, const Compiler& compiler);

}  // namespace ptxmir::builder

#endif  // PTXMIR_KERNEL_BUILDER_H_

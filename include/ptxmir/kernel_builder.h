// SPDX-License-Identifier: Apache-2.0

// KernelBuilder: builds kernels from C++ and compiles them to PTX, without LLVM. A saxpy kernel:
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
// The namespace is ptxmir::builder. Every call creates nodes of the SelectionDAG of the current block. A value may
// be used in its block and in all blocks that this block dominates; virtual registers carry it there.
// docs/kernel-builder.md is the manual.
//
// Misuse is an error, never a crash. The first error is kept, with a message that names the call ("kernel 'k':
// Add(a, b): i32 and f32 are different types"). All later calls do nothing and return invalid values. Compile
// returns the error; status() has it earlier. Handles (Value, Block, Variable) are numbers that are checked
// wherever they are used. A handle of another function or module, or of a destroyed one, is an error.
//
// A module and its kernels may be used by only one thread at a time. This header needs only the standard library.

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

// The result of an operation. It can be used in the block where it was created and in the blocks that this block
// dominates.
class Value {
 public:
  Value() = default;
  // Returns false if there is no value because of an error.
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

// A variable of the module, in global, constant or shared memory.
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
  Parameter(Type type) : type(type) {}  // NOLINT: allows {kI32, kGlobalPointer}
  // For pointers: `align` is the alignment of the memory that it points to. With `no_alias`, no other pointer
  // accesses this memory while the kernel runs.
  Parameter(Type type, unsigned align, bool no_alias = false) : type(type), align(align), no_alias(no_alias) {}
  // An aggregate of `size` bytes, passed by value. In a kernel, the argument is a pointer to it, for reading only.
  // In a function, the argument is a pointer to the function's own copy in local memory; the caller passes a
  // pointer to the data to be copied.
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

// The type of a function that is called through a pointer.
struct FunctionType {
  Type result;
  std::vector<Parameter> parameters;
};

// Dimensions. 0 means that a dimension is not stated.
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
  unsigned align = 0;  // in bytes, a power of 2; 0: the size of the type
  bool is_volatile = false;
  bool is_invariant = false;  // for loads: nothing writes to this memory while the kernel runs (ld.global.nc)
};

class KernelBuilder {
 public:
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;
  ~KernelBuilder();

  // Returns the first error in any function of the module.
  const Status& status() const;

  // Sets the source location (PTX's .loc) of all operations that are built from now on, for debuggers and
  // profilers. `line` is 1-based; a `column` of 0 is not stated. ClearLocation: operations have no location.
  void SetLocation(std::string_view file, uint32_t line, uint32_t column = 0);
  void ClearLocation();

  // ---- Blocks. The entry block exists and is the initial insertion point. Every block ends with one of Branch,
  // BranchIf, Switch, Return and Unreachable. Blocks are laid out in the order in which they first became the
  // insertion point.
  Block CreateBlock();
  void SetInsertPoint(Block block);
  Block current_block() const;
  void Branch(Block to);
  void BranchIf(Value condition, Block then_block, Block else_block);
  struct Case {
    int64_t value;
    Block block;
  };
  // Branches by value, with a jump table where cases are close together and with comparisons elsewhere.
  void Switch(Value value, Block default_block, std::span<const Case> cases);
  void Switch(Value value, Block default_block, std::initializer_list<Case> cases) {
    Switch(value, default_block, std::span<const Case>(cases.begin(), cases.size()));
  }
  void Return();
  void Return(Value value);
  // States that control cannot get here. It traps if control does.
  void Unreachable();
  // Creates a value that depends on the predecessor from which control came. It needs one incoming value per
  // predecessor of the block.
  Value Phi(Type type);
  void AddIncoming(Value phi, Value value, Block from);

  // Structured control flow, built from the functions above. Bodies may create blocks but must leave the last one
  // open, unless they return.
  void If(Value condition, const std::function<void()>& then_body);
  void If(Value condition, const std::function<void()>& then_body, const std::function<void()>& else_body);
  // for (i = begin; i < end; i += step), with signed comparison and a positive `step`.
  void ForRange(Value begin, Value end, Value step, const std::function<void(Value i)>& body);
  // The same with values that are carried from one iteration to the next. The body returns the values for the next
  // iteration. Returns the final values.
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
  // Returns an integer or pointer constant; for a vector, every element has this value. The value is truncated to
  // the width of the type.
  Value Constant(Type type, int64_t value);
  // Returns a constant rounded to the type; for a vector, every element has this value.
  Value ConstantFloat(Type type, double value);
  Value I32(int64_t value) { return Constant(kI32, value); }
  Value I64(int64_t value) { return Constant(kI64, value); }
  Value F32(float value) { return ConstantFloat(kF32, value); }
  Value F64(double value) { return ConstantFloat(kF64, value); }
  Value Bool(bool value) { return Constant(kI1, value ? 1 : 0); }
  // Returns an arbitrary value.
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
  // Return ctaid * ntid + tid.
  Value GlobalThreadIdX();
  Value GlobalThreadIdY();

  // ---- Arithmetic. Both operands have the result's type: integers, floating-point numbers, or vectors of them.
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
  // Shifts. The amount has any integer type (for vectors: the same type as `a`) and must be less than the width.
  Value Shl(Value a, Value amount);
  Value LShr(Value a, Value amount);
  Value AShr(Value a, Value amount);
  Value RotateLeft(Value a, Value amount);
  Value RotateRight(Value a, Value amount);
  Value SMin(Value a, Value b);
  Value SMax(Value a, Value b);
  Value UMin(Value a, Value b);
  Value UMax(Value a, Value b);
  Value Abs(Value a);  // also for floating-point numbers
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
  // If one operand is a NaN, FMin and FMax return the other one. FMinimum and FMaximum then return a NaN.
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
  // PTX's approximations for f32.
  Value ApproxRsqrt(Value a);  // also for f64
  Value ApproxSqrt(Value a);
  Value ApproxReciprocal(Value a);
  Value ApproxSin(Value a);
  Value ApproxCos(Value a);
  Value ApproxExp2(Value a);
  Value ApproxLog2(Value a);
  Value ApproxTanh(Value a);

  // ---- Comparisons. The result is i1 or a vector of i1.
  Value Compare(Predicate predicate, Value a, Value b);
  Value Equal(Value a, Value b);
  Value NotEqual(Value a, Value b);
  // Signed comparisons; for floating-point numbers, ordered ones.
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
  // Takes elements from the concatenation of both vectors. -1 is an arbitrary value.
  Value Shuffle(Value a, Value b, std::span<const int> mask);

  // ---- Memory.
  Value Load(Type type, Value pointer, const MemoryAccess& access = {});
  void Store(Value value, Value pointer, const MemoryAccess& access = {});
  Value PointerAdd(Value pointer, Value bytes);
  Value PointerAdd(Value pointer, int64_t bytes) { return PointerAdd(pointer, I64(bytes)); }
  // Returns pointer + index * size of the type. The index is signed.
  Value ElementAddress(Type type, Value pointer, Value index);
  // Creates an array of `count` elements in shared memory, for this function.
  Value SharedArray(std::string_view name, Type type, uint64_t count, unsigned align = 0);
  // Returns the shared memory whose size is given at launch.
  Value DynamicShared(unsigned align = 16);
  // Creates an array in the thread's local memory, which lives until the function returns.
  Value LocalArray(Type type, uint64_t count, unsigned align = 0);
  // Copies `size` bytes (i32 or i64). Uses a loop if the size is large or not constant. The memory must not
  // overlap.
  void CopyMemory(Value to, Value from, Value size, unsigned align = 1);
  // Sets `size` bytes to `byte`, which is an i8.
  void SetMemory(Value to, Value byte, Value size, unsigned align = 1);

  // ---- Atomics and fences.
  Value AtomicRmw(AtomicOp op, Value pointer, Value value, Order order = Order::kRelaxed, Scope scope = Scope::kDevice);
  // Returns the old value in memory. It equals `expected` if it was replaced.
  Value AtomicCas(Value pointer, Value expected, Value desired, Order order = Order::kRelaxed,
                  Scope scope = Scope::kDevice);
  Value AtomicLoad(Type type, Value pointer, Order order = Order::kRelaxed, Scope scope = Scope::kDevice);
  void AtomicStore(Value value, Value pointer, Order order = Order::kRelaxed, Scope scope = Scope::kDevice);
  void Fence(Order order = Order::kSequential, Scope scope = Scope::kDevice);

  // ---- Operations of several threads. `mask` (i32) selects the lanes; without it, all lanes take part.
  void Barrier();
  void Barrier(Value id);
  void Barrier(Value id, Value num_threads);
  void SyncWarp(Value mask = {});
  // Shuffles a value of type i32, f32, or any other type, 32 bits at a time. `clamp` is PTX's c operand. Without
  // it, the lanes of the whole warp take part.
  Value Shuffle(ShuffleKind kind, Value value, Value lane, Value mask = {}, Value clamp = {});
  Value Vote(VoteKind kind, Value predicate, Value mask = {});
  Value Ballot(Value predicate, Value mask = {});
  Value ActiveMask();
  Value MatchAny(Value value, Value mask = {});
  // For i32; requires sm_80.
  Value Reduce(ReduceOp op, Value value, Value mask = {});

  // ---- Asynchronous copies (sm_80). `bytes` is 4, 8 or 16.
  void CopyAsync(Value shared, Value global, unsigned bytes, bool bypass_l1 = false);
  void CommitAsyncCopies();
  void WaitAsyncCopies(unsigned groups_left = 0);

  // ---- Matrices. Fragments have the layout of the PTX manual.
  // m16n8k16 of f16 or bf16. `a` has 4 pairs, `b` has 2 pairs. `c` and the result have 4 f32 values or, for f16
  // only, 2 pairs of f16.
  std::vector<Value> MmaM16N8K16(std::span<const Value> a, std::span<const Value> b, std::span<const Value> c);
  // PTX's mma of dense matrices, in any form. Fragments are registers: <2 x f16>, <2 x bf16>, f32 (also for tf32),
  // f64, and i32 for all smaller types and for s32.
  std::vector<Value> Mma(const MmaForm& form, std::span<const Value> a, std::span<const Value> b,
                         std::span<const Value> c);
  // Loads 1, 2 or 4 matrices of 8 x 8 elements of 16 bits. Returns one i32 per matrix.
  std::vector<Value> LoadMatrices(unsigned count, Value shared, bool transposed = false);

  // ---- Other operations.
  // Calls a PTX intrinsic "llvm.nvvm...", with LLVM 22's name. The result types must be given. The intrinsic is
  // chained with memory accesses and other intrinsics, unless it is pure: a function of its arguments alone.
  std::vector<Value> Intrinsic(std::string_view name, std::span<const Type> results, std::span<const Value> arguments,
                               bool is_pure);
  // Inline assembly with LLVM's syntax: $0 ... are the results, followed by the arguments. Each constraint is one
  // of b (i1), h (16 bits), r (32 bits), l (64 bits), f, d, q (i128) and, for arguments, n (a constant).
  std::vector<Value> InlineAsm(std::string_view text, std::span<const Type> results, std::span<const Value> arguments,
                               std::string_view constraints, bool has_side_effects = true);
  // Calls a function of the same module. Returns an invalid value if the function returns nothing.
  Value Call(KernelBuilder& function, std::span<const Value> arguments);
  Value Call(KernelBuilder& function, std::initializer_list<Value> arguments) {
    return Call(function, std::span<const Value>(arguments.begin(), arguments.size()));
  }
  // Returns the address of a function of the same module: a generic pointer that can be called or stored.
  Value AddressOf(KernelBuilder& function);
  // Calls the function that a pointer points to, which must have this type.
  Value CallIndirect(Value pointer, const FunctionType& type, std::span<const Value> arguments);
  Value CallIndirect(Value pointer, const FunctionType& type, std::initializer_list<Value> arguments) {
    return CallIndirect(pointer, type, std::span<const Value>(arguments.begin(), arguments.size()));
  }

  // For the library itself.
  FunctionState& state() { return *state_; }

 private:
  friend class ModuleState;
  // Writes `size` bytes from `source`, which returns a value of the given type, at the given offset and with the
  // given alignment.
  void MoveBytes(Value to, Value size, unsigned align, const std::function<Value(Type, Value, unsigned)>& source);
  explicit KernelBuilder(std::unique_ptr<FunctionState> state);
  std::unique_ptr<FunctionState> state_;
};

struct ModuleTarget {
  std::string sm = "sm_80";
  int ptx_version = 0;  // 83 is 8.3; 0: the lowest version that supports the SM
};

class KernelModule {
 public:
  explicit KernelModule(const ModuleTarget& target = {});
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;
  ~KernelModule();

  const Status& status() const;

  // Create a kernel or a function, which lives at the same address as long as the module. Names must be PTX
  // identifiers.
  KernelBuilder& CreateKernel(std::string_view name, std::vector<Parameter> parameters,
                              const LaunchBounds& bounds = {});
  KernelBuilder& CreateFunction(std::string_view name, Type result, std::vector<Parameter> parameters);

  // Creates a variable of `count` elements. It is zero or initialized with `data`: bytes as in memory
  // (little-endian), at most as many as fit.
  Variable CreateVariable(std::string_view name, Type type, uint64_t count, AddressSpace space,
                          std::span<const uint8_t> data = {}, unsigned align = 0);
  template <typename T>
  Variable CreateConstantArray(std::string_view name, Type type, std::span<const T> elements) {
    return CreateVariable(name, type, elements.size(), AddressSpace::kConstant,
                          {reinterpret_cast<const uint8_t*>(elements.data()), elements.size() * sizeof(T)});
  }

  // Returns the text of the DAGs before instruction selection (docs/selection-dag.md). Ends all functions, as
  // Compile does.
  Result<std::string> DagText();

  // For the library itself.
  ModuleState& state() { return *state_; }

 private:
  std::unique_ptr<ModuleState> state_;
};

// Compiles a module to PTX, or to MIR if the options stop the pipeline early. The options are those of compiler.h.
// Without -mcpu, the module's own target is used. If there was an error while building, it is the only message.
// The module cannot be used afterward.
CompileResult Compile(KernelModule& module, const CompileOptions& options = {});
// The same with parsed options, for many modules.
CompileResult Compile(KernelModule& module, const Compiler& compiler);

}  // namespace ptxmir::builder

#endif  // PTXMIR_KERNEL_BUILDER_H_

// SPDX-License-Identifier: Apache-2.0

// The parts of the generator: the common data of a module, and the generator of one function. Only for the files
// mir_function_generator*.cc.

#ifndef PTXMIR_TOOLS_FUZZ_GENERATOR_MIR_FUNCTION_GENERATOR_INTERNAL_H_
#define PTXMIR_TOOLS_FUZZ_GENERATOR_MIR_FUNCTION_GENERATOR_INTERNAL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "ir/address_space.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/generator/fuzz_random.h"
#include "tools/fuzz/generator/mir_function_generator.h"
#include "tools/fuzz/generator/opcode_catalog.h"

namespace ptxmir::fuzz {

// The maximum product of the trip counts of nested loops.
inline constexpr uint64_t kMaxTrips = 64;

// ---- The memory that threads own.

// A thread's slot in the output buffer: bytes to load and store freely, then bytes that only the end of the kernel
// writes.
inline constexpr int64_t kSlotBytes = 256;
inline constexpr int64_t kFreeSlotBytes = 128;
inline constexpr int64_t kHashOffset = 248;
// A thread's slot in shared memory; CTAs have at most kMaxThreads threads.
inline constexpr int64_t kSharedSlotBytes = 64;
inline constexpr int64_t kMaxThreads = 128;
inline constexpr int64_t kTableBytes = 256;  // the size of @table and @pool
inline constexpr int64_t kByValBytes = 32;
inline constexpr int64_t kNumCounters = 8;
// A warp's area of shared memory for matrices: 32 rows of 128 bytes.
inline constexpr int64_t kTileBytes = 4096;
inline constexpr int64_t kMaxWarps = kMaxThreads / 32;
// The tensor memory state of a CTA: its address, followed by two mbarriers.
inline constexpr int64_t kTensorStateBytes = 32;
// Boxes of tensors are 16 bytes. A warp writes only to its own box. See ModuleGenerator::AddTensorMaps.
inline constexpr int kMaxTensorRank = 5;
inline constexpr int64_t kBoxBytes = 16;

enum class ParameterKind : uint8_t { kI16, kI32, kI64, kF32, kF64, kPointer, kByVal };
enum class ResultKind : uint8_t { kVoid, kI16, kI32, kI64, kF32, kF64, kStruct };

struct FunctionPlan {
  IrFunction* function = nullptr;
  bool is_kernel = false;
  bool is_clustered = false;
  int64_t num_threads = 0;  // the size of a CTA
  std::vector<ParameterKind> parameters;
  ResultKind result = ResultKind::kVoid;
  uint64_t cost = 0;  // the approximate number of instructions that a call executes
};

// The data that the functions of a module share.
class ModulePlan {
 public:
  ModulePlan(const OpcodeCatalog& opcodes, const TargetInfo& target_info, Module& owner, FuzzShape fuzz_shape,
             uint64_t number)
      : catalog(opcodes), target(target_info), module(owner), shape(fuzz_shape), seed(number), sm(FuzzSm::k103a) {}

  const OpcodeCatalog& catalog;
  const TargetInfo& target;
  Module& module;
  FuzzShape shape;
  uint64_t seed;
  FuzzSm sm;
  GlobalId table = 0;     // constant memory
  GlobalId pool = 0;      // global memory that is never written
  GlobalId counters = 0;  // global memory that all threads add to
  GlobalId shared = 0;
  GlobalId tiles = 0;         // shared memory, one area per warp
  GlobalId tensor_state = 0;  // shared memory
  bool has_handles = false;
  bool has_samplers = false;  // whether textures are also fetched with the handle of a sampler
  GlobalId image = 0;         // a texture
  GlobalId sampler = 0;
  GlobalId plane = 0;  // a surface
  bool has_maps = false;
  std::array<GlobalId, kMaxTensorRank> load_maps = {};   // maps of @pool, indexed by rank - 1
  std::array<int64_t, kMaxTensorRank> box_bytes = {};    // the box sizes of load_maps
  std::array<GlobalId, kMaxTensorRank> store_maps = {};  // maps of @boxes
  std::vector<FunctionPlan> functions = {};              // the functions made so far, which may be called

  // These go through the opcodes of a list, and through the forms, round-robin over consecutive seeds, so that
  // each comes soon. They skip opcodes that the SM does not have. If the SM has none of a list, there is no next
  // one.
  std::optional<Opcode> NextOf(AddressedFamily family);
  const OpcodeForm* NextForm();

 private:
  static constexpr uint64_t kOpcodesOfInput = 7;
  static constexpr uint64_t kFormsOfInput = 40;
  std::array<uint64_t, kNumAddressedFamilies> turns_ = {};
  uint64_t form_turns_ = 0;
};

struct Value {
  Register reg;
  // Whether it is the same in all threads that meet at barriers: those of the CTA or, in a kernel with clusters,
  // those of the cluster.
  bool is_uniform = false;
};

// An address as two operands: a register and an offset.
struct Address {
  Register base;
  int64_t offset = 0;
};

// A block where edges meet. Each edge brings a value for each result, and those become PHIs.
struct Join {
  struct Edge {
    MachineBasicBlock* from = nullptr;
    std::vector<Value> values;
  };
  MachineBasicBlock* block = nullptr;
  std::vector<RegClassId> classes;
  std::vector<Register> results;
  std::vector<Edge> edges;
};

// Memory that may be accessed: `size` bytes from base + offset.
struct Location {
  MachineOperand base;
  int64_t offset = 0;
  int64_t size = 0;
  unsigned space = address_space::kGeneric;
  unsigned align = 1;
  bool is_writable = false;
  bool is_uniform = false;   // it is never written, and the address is the same in all threads
  bool is_constant = false;  // it is never written
  GlobalId global = 0;       // for memory operands, if the base is a global
  int frame_index = -1;      // likewise
};

class FunctionGenerator {
 public:
  // `plan` is complete except for the cost, which is filled in. `budget` is the approximate number of instructions
  // to make.
  FunctionGenerator(ModulePlan& module, FunctionPlan& plan, MachineFunction& function, FuzzRandom random,
                    int64_t budget);

  void Run();

 private:
  // The numbers of values of each class, and of computations, that are available.
  struct Scope {
    std::array<size_t, ptx::reg_class::kCount> values = {};
    size_t computations = 0;
  };
  // An instruction that computes one value from others.
  struct Computation {
    const MachineInstr* instr;
    const OpcodeForm* form;
  };
  struct Loop {
    Join* exit;
    Join* latch;  // null: no `continue`
    bool is_uniform;
    unsigned divergence;  // divergence_ around the body
  };
  // A loop's counter goes on while it compares so with the bound.
  struct Counting {
    Value start;
    int64_t step = 1;
    Register bound;
    int64_t comparison = 0;
  };

  bool IsSmall() const { return module_.shape == FuzzShape::kSmall; }

  // ---- mir_function_generator.cc: beginning and end.
  void PickFeatures();
  void LoadParameters();
  void SetUpThread();
  void SetUpShared();
  void SetUpTile();
  void SetUpStack();
  void SetUpValues();
  void SpecialShape();
  void ShowRareOpcodes();
  Register HashOfLiveValues();
  Register ToB64(Value value, RegClassId reg_class);
  void Finish();
  void FinishBlocks();
  void SetKillFlags();
  std::vector<std::vector<bool>> LiveOut();

  // ---- mir_function_generator_values.cc: values and their computation.
  Register NewRegister(RegClassId reg_class) { return function_.reg_info().CreateVirtualRegister(reg_class); }
  // Emits an instruction whose first result has the class `reg_class`.
  Register Emit(Opcode opcode, RegClassId reg_class, std::initializer_list<MachineOperand> sources, uint32_t flags = 0);
  static MachineOperand Use(Register reg) { return MachineOperand::CreateReg(reg); }
  static MachineOperand Imm(int64_t value) { return MachineOperand::CreateImm(value); }
  void Push(Register reg, RegClassId reg_class, bool is_uniform) { values_[reg_class].push_back({reg, is_uniform}); }
  bool Has(RegClassId reg_class) const { return !values_[reg_class].empty(); }
  Value PickValue(RegClassId reg_class);
  Value PickUniform(RegClassId reg_class);
  RegClassId PickClass();
  // Returns a predicate. If `uniform`, it is the same in all threads.
  Value Condition(bool uniform);
  // Returns a 32-bit value in [0, bound).
  Value Index(uint32_t bound, bool uniform);
  MachineOperand Immediate(const FormOperand& operand);
  void EmitForm(const OpcodeForm& form);
  // Emits an instruction again, with or without other immediates. Returns the result. `here` returns the register to
  // read in place of a source.
  Register EmitAgain(const Computation& computation, absl::FunctionRef<Register(Register)> here);
  const OpcodeForm* PickForm(RegClassId result);
  void EmitInlineAsm();
  void EmitCopy();
  void EmitCarryChain();
  void EmitUndefined();
  void EmitOps(unsigned count);
  bool IsConverged() const { return divergence_ == 0 && plan_.is_kernel && !may_exit_early_; }
  Scope Mark() const;
  void Release(const Scope& scope);
  // Values that are computed at one place and become available at another.
  using LaterValues = std::array<std::vector<Value>, ptx::reg_class::kCount>;
  // Emits a few operations and returns their results, which are not available before ShowLater.
  LaterValues EmitForLater();
  void ShowLater(const LaterValues& values);

  // ---- mir_function_generator_regions.cc: control flow.
  void StartBlock(MachineBasicBlock* block);
  void Goto(MachineBasicBlock* block);
  void Branch(Register condition, MachineBasicBlock* taken, MachineBasicBlock* other);
  std::vector<RegClassId> PickClasses(unsigned most);
  Join NewJoin(std::vector<RegClassId> classes);
  // Adds an edge from the current block. `fixed` are the values of the first results; the others are picked.
  void AddEdge(Join& join, absl::Span<const Value> fixed = {});
  // Makes the PHIs. To be called after all edges have been added.
  void FinishJoin(Join& join);
  // Makes the results available as values, from the current position on.
  void PushResults(const Join& join, bool may_be_uniform);
  void PushHeader(const Join& header, bool is_uniform);
  void Region(unsigned depth);
  void Statement(unsigned depth);
  void If(unsigned depth);
  void IfElse(unsigned depth);
  // Emit the same computations, perhaps with other immediates, at the beginnings of both sides of a branch. Add the
  // results. There may be fewer than `classes`.
  void EmitTwins(absl::Span<const RegClassId> classes, std::vector<Computation>& twins, std::vector<Value>& results);
  void RepeatTwins(absl::Span<const Computation> twins, std::vector<Value>& results);
  // Removes a result that may be undefined. In its place there is a value that no bit of it gets into.
  void HideResult(Join& join, size_t result);
  void CountedLoop(unsigned depth);
  // Returns how a loop with so many iterations counts: from 0, or from any value by any step, with a bound that
  // follows from them. Such counters wrap around.
  Counting CountTo(Register trips, bool is_uniform);
  void LoopBody(Join& header, const Counting& counting, bool tests_first, bool is_uniform, Join& exit, unsigned depth);
  void TwoEntryLoop(unsigned depth);
  void StridedLoop(unsigned depth);
  void Switch(unsigned depth, unsigned num_targets);
  void JumpTableBranch(Register index, absl::Span<MachineBasicBlock* const> targets);
  void LeaveLoop();
  void ExitEarly();
  void Nest(unsigned depth);

  // ---- mir_function_generator_memory.cc
  Location PickLocation();
  Location SlotLocation();
  Location InputLocation();
  Location SharedLocation();
  Location StackLocation();
  Location SymbolLocation();
  // Narrows the location to `size` bytes at a multiple of `align`. Returns false if it has no such place.
  bool Narrow(Location& location, int64_t size);
  void EmitMemoryAccess();
  void EmitWordAccess();
  void EmitGuardedAccess();
  Location ByValLocation();
  void EmitLoad(Location location);
  void EmitStore(Location location);
  // Loads or stores one register of the class, or its lower `bits`. The location is exact.
  void EmitPlainAccess(bool is_load, RegClassId reg_class, const Location& location, unsigned bits);
  void EmitNeighbors();
  void EmitAtomic();
  void EmitCounter();
  void EmitExchange();
  void EmitAddressQuery();
  void EmitBarrier();
  void AttachMemOperand(MachineInstr& instr, const Location& location, unsigned bits, bool is_load, bool is_store,
                        bool is_volatile);
  Register AddressPlus(Register base, Register index, unsigned shift);

  // ---- mir_function_generator_together.cc: matrices in memory, asynchronous copies, mbarriers, clusters, textures.
  void EmitSpecial();
  // Emits an opcode with the given addresses, and with values for the other operands. The results become values.
  MachineInstr* EmitAddressed(Opcode opcode, absl::Span<const MachineOperand> bases, absl::Span<const int64_t> offsets,
                              int64_t stride);
  // Emits an opcode with the given addresses and handles, in order. Every other operand is the next of `values`
  // that has its class or is an immediate, or any value. The results become values, except for some if there are
  // very many.
  MachineInstr* EmitWhole(Opcode opcode, absl::Span<const Address> addresses, absl::Span<const MachineOperand> values);
  void EmitMatrixMove();
  void EmitAsyncCopies();
  void EmitClusterExchange();
  void EmitEffect();
  void EmitScopedObject();
  void EmitPureForms(unsigned count);

  // ---- mir_function_generator_textures.cc
  MachineOperand HandleOf(GlobalId variable, bool is_symbol);
  void EmitTexture();
  void EmitFetch();
  void EmitQuery();
  void EmitSurface();

  // ---- mir_function_generator_async.cc: mbarriers, bulk copies, boxes of tensors, waiting and ordering.
  Register SharedAddress(bool is_generic, Register shared);
  void InitMbarrier(Register shared, int64_t count);
  // Waits until a phase has passed: that of `state`, or the first one if it is no register.
  void WaitForPhase(Address shared, Register state);
  void EmitMbarrier();
  Register EmitArrivals(int64_t count);
  void RestoreSlot();
  void EmitBulkCopies();
  void EmitBulkLoad();
  void EmitBulkStore();
  void EmitBoxes();
  void EmitBoxLoad(Opcode opcode);
  void EmitBoxStore(Opcode opcode);
  void EmitLaunchControl();
  void EmitNamedBarrier();
  void EmitPrefetch();
  Register ClusterMask();
  void EmitClusterBarrier();
  // Runs `body` in the threads for which the condition holds. No values leave it.
  template <typename Body>
  void EmitGuarded(Register condition, const Body& body);

  // ---- mir_function_generator_tensor.cc: wgmma and tcgen05.
  void EmitTensorScene();
  void EmitWgmma();
  Register MatrixDescriptor(uint64_t layout);
  void EmitTensorMemory();
  void EmitTensorMove(Opcode store, Register own);
  void EmitTensorOperations(Register address, Register state);
  void EmitTensorProduct(Opcode opcode, Register address, Register matrix);
  void EmitTensorCommit(Register state);
  void EmitSceneBarrier(unsigned group);

  // ---- mir_function_generator_calls.cc
  void EmitCall();
  // Declares the parameters and the result of a call in the current sequence.
  void DeclareParameters(const FunctionPlan& callee);
  void StoreArgument(unsigned number, ParameterKind kind);
  void LoadResult(ResultKind kind);
  void StoreResult();

  ModulePlan& module_;
  FunctionPlan& plan_;
  MachineFunction& function_;
  FuzzRandom random_;
  int64_t budget_;
  MachineBasicBlock* block_ = nullptr;
  std::array<std::vector<Value>, ptx::reg_class::kCount> values_;
  std::vector<Computation> computations_;  // available for repetition
  std::vector<Loop> loops_;
  unsigned divergence_ = 0;  // the number of enclosing conditions that differ between threads
  uint64_t trips_ = 1;       // an upper bound on how often this place is executed
  uint64_t cost_ = 0;        // the approximate number of instructions executed so far
  uint64_t max_cost_ = 0;    // the cost at which to stop
  bool may_exit_early_ = false;
  bool shows_rare_opcodes_ = false;
  bool uses_shared_ = false;
  bool uses_tile_ = false;
  bool uses_b128_ = false;
  bool uses_stack_ = false;  // only for small functions
  int64_t word_bits_ = 64;   // of accesses to the first stack object that all agree
  bool may_allocate_tensors_ = true;
  unsigned tensor_group_ = 1;  // the CTAs that use tensor memory together: one number per kernel
  int64_t call_sequences_ = 0;
  int64_t prototypes_ = 0;

  // Addresses that are valid throughout.
  Register thread_;        // %tid.x
  Register number_;        // the number of the thread in the grid
  Register slot_generic_;  // the slot of the thread in the output buffer
  Register slot_global_;   // invalid if the function got no pointer from a kernel
  Register input_generic_;
  Register input_global_;
  Register shared_slot_;
  Register tile_;  // the tile of the warp, in shared memory
  std::vector<int> stack_objects_;
  std::vector<unsigned> byval_parameters_;
};

template <typename Body>
void FunctionGenerator::EmitGuarded(Register condition, const Body& body) {
  MachineBasicBlock* const inside = function_.CreateBlock();
  MachineBasicBlock* const behind = function_.CreateBlock();
  Branch(condition, inside, behind);
  const Scope scope = Mark();
  ++divergence_;
  StartBlock(inside);
  body();
  Goto(behind);
  --divergence_;
  Release(scope);
  StartBlock(behind);
}

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_GENERATOR_MIR_FUNCTION_GENERATOR_INTERNAL_H_

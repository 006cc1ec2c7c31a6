// SPDX-License-Identifier: Apache-2.0

// The parts of the generator: what a module has in common, and the maker of one function. For the files
// mir_function_generator*.cc alone.

#ifndef PTXMIR_TOOLS_FUZZ_MIR_FUNCTION_GENERATOR_INTERNAL_H_
#define PTXMIR_TOOLS_FUZZ_MIR_FUNCTION_GENERATOR_INTERNAL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/fuzz_random.h"
#include "tools/fuzz/mir_function_generator.h"
#include "tools/fuzz/opcode_catalog.h"

namespace ptxmir::fuzz {

// ---- What threads own.

// A thread's slot in the output buffer: bytes to load and store freely, then what only the end writes.
inline constexpr int64_t kSlotBytes = 256;
inline constexpr int64_t kFreeSlotBytes = 128;
inline constexpr int64_t kHashOffset = 248;
// A thread's slot in shared memory; CTAs have at most kMaxThreads threads.
inline constexpr int64_t kSharedSlotBytes = 64;
inline constexpr int64_t kMaxThreads = 128;
inline constexpr int64_t kTableBytes = 256;  // of @table and @pool
inline constexpr int64_t kByValBytes = 32;
inline constexpr int64_t kNumCounters = 8;
// A warp's area of shared memory for matrices: 32 rows of 128 bytes.
inline constexpr int64_t kTileBytes = 4096;
inline constexpr int64_t kMaxWarps = kMaxThreads / 32;
// What a CTA does with tensor memory: its address, and two mbarriers behind that.
inline constexpr int64_t kTensorStateBytes = 32;
// Boxes of tensors are 16 bytes; a warp writes to one of its own. See ModuleGenerator::AddTensorMaps.
inline constexpr int kMaxTensorRank = 5;
inline constexpr int64_t kBoxBytes = 16;

// ---- LLVM's codes of state spaces.
inline constexpr unsigned kGenericSpace = 0;
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
inline constexpr unsigned kConstSpace = 4;
inline constexpr unsigned kLocalSpace = 5;
inline constexpr unsigned kParamSpace = 101;

enum class ParameterKind : uint8_t { kI16, kI32, kI64, kF32, kF64, kPointer, kByVal };
enum class ResultKind : uint8_t { kVoid, kI16, kI32, kI64, kF32, kF64, kStruct };

struct FunctionPlan {
  IrFunction* function = nullptr;
  bool is_kernel = false;
  bool is_clustered = false;
  int64_t num_threads = 0;  // of a CTA
  std::vector<ParameterKind> parameters;
  ResultKind result = ResultKind::kVoid;
  uint64_t cost = 0;  // instructions that a call executes, about
};

// What the functions of a module share.
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
  GlobalId pool = 0;      // global memory that nobody writes
  GlobalId counters = 0;  // global memory that everybody adds to
  GlobalId shared = 0;
  GlobalId tiles = 0;         // shared memory, an area for each warp
  GlobalId tensor_state = 0;  // shared memory
  bool has_handles = false;
  bool has_samplers = false;  // then textures are fetched with a handle of one, too
  GlobalId image = 0;         // a texture
  GlobalId sampler = 0;
  GlobalId plane = 0;  // a surface
  bool has_maps = false;
  std::array<GlobalId, kMaxTensorRank> load_maps = {};   // of @pool, by rank - 1
  std::array<int64_t, kMaxTensorRank> box_bytes = {};    // of load_maps
  std::array<GlobalId, kMaxTensorRank> store_maps = {};  // of @boxes
  std::vector<FunctionPlan> functions = {};              // those made so far may be called

  // Modules of consecutive seeds go through the opcodes of a list, and through the forms, in turn, so that each comes
  // soon. One that the SM does not have is passed over; of a list where it has none, there is no next one.
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
  // The same in all threads that meet at barriers: those of the CTA or, of a kernel with clusters, of the cluster.
  bool is_uniform = false;
};

// An address as two operands.
struct Address {
  Register base;
  int64_t offset = 0;
};

// Where blocks meet. Each edge brings a value for each result; those become PHIs.
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
  unsigned space = kGenericSpace;
  unsigned align = 1;
  bool is_writable = false;
  bool is_uniform = false;   // nobody writes it, and the address is the same in all threads
  bool is_constant = false;  // nobody writes it
  GlobalId global = 0;       // for memory operands, if the base is a global
  int frame_index = -1;      // likewise
};

class FunctionGenerator {
 public:
  // `plan` has all but the cost, which is filled in. `budget`: instructions to make, about.
  FunctionGenerator(ModulePlan& module, FunctionPlan& plan, MachineFunction& function, uint64_t seed, int64_t budget);

  void Run();

 private:
  using Scope = std::array<size_t, ptx::reg_class::kCount>;
  struct Loop {
    Join* exit;
    Join* latch;  // null: no `continue`
    bool is_uniform;
    unsigned divergence;  // around the body
  };

  // ---- mir_function_generator.cc: beginning and end.
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

  // ---- mir_function_generator_values.cc: values and what computes them.
  Register NewRegister(RegClassId reg_class) { return function_.reg_info().CreateVirtualRegister(reg_class); }
  // The class of the first result is `reg_class`.
  Register Emit(Opcode opcode, RegClassId reg_class, std::initializer_list<MachineOperand> sources, uint32_t flags = 0);
  static MachineOperand Use(Register reg) { return MachineOperand::CreateReg(reg); }
  static MachineOperand Imm(int64_t value) { return MachineOperand::CreateImm(value); }
  void Push(Register reg, RegClassId reg_class, bool is_uniform) { values_[reg_class].push_back({reg, is_uniform}); }
  bool Has(RegClassId reg_class) const { return !values_[reg_class].empty(); }
  Value PickValue(RegClassId reg_class);
  Value PickUniform(RegClassId reg_class);
  RegClassId PickClass();
  // A predicate; if `uniform`, one that is the same in all threads.
  Value Condition(bool uniform);
  // A 32-bit value in [0, bound).
  Value Index(uint32_t bound, bool uniform);
  MachineOperand Immediate(const FormOperand& operand);
  void EmitForm(const OpcodeForm& form);
  const OpcodeForm* PickForm(RegClassId result);
  void EmitInlineAsm();
  void EmitCopy();
  void EmitCarryChain();
  void EmitUndefined();
  void EmitOps(unsigned count);
  bool IsConverged() const { return divergence_ == 0 && plan_.is_kernel && !may_exit_early_; }
  Scope Mark() const;
  void Release(const Scope& scope);

  // ---- mir_function_generator_regions.cc: control flow.
  void StartBlock(MachineBasicBlock* block);
  void Goto(MachineBasicBlock* block);
  void Branch(Register condition, MachineBasicBlock* taken, MachineBasicBlock* other);
  std::vector<RegClassId> PickClasses(unsigned most);
  Join NewJoin(std::vector<RegClassId> classes);
  // An edge from the current block. `fixed` are the values of the first results; the others are picked.
  void AddEdge(Join& join, absl::Span<const Value> fixed = {});
  // Makes the PHIs, when all edges are there.
  void FinishJoin(Join& join);
  // The results become values, from the current place on.
  void PushResults(const Join& join, bool may_be_uniform);
  void PushHeader(const Join& header, bool is_uniform);
  void Region(unsigned depth);
  void Statement(unsigned depth);
  void If(unsigned depth);
  void IfElse(unsigned depth);
  void CountedLoop(unsigned depth);
  void LoopBody(Join& header, Register bound, bool tests_first, bool is_uniform, Join& exit, unsigned depth);
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
  // A place within the location that is a multiple of `align`, with `size` bytes. False: there is none.
  bool Narrow(Location& location, int64_t size);
  void EmitMemoryAccess();
  void EmitLoad(Location location);
  void EmitStore(Location location);
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
  // With the addresses given, and values for what is left. The results become values.
  MachineInstr* EmitAddressed(Opcode opcode, absl::Span<const MachineOperand> bases, absl::Span<const int64_t> offsets,
                              int64_t stride);
  // The addresses and handles in their order; of the other operands, each the next of `values` that is of its class
  // or an immediate as it is, or any value. The results become values, but for some of very many.
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

  // ---- mir_function_generator_async.cc: mbarriers, bulk copies, boxes of tensors, what waits and orders.
  Register SharedAddress(bool is_generic, Register shared);
  void InitMbarrier(Register shared, int64_t count);
  // Waits until a phase has passed: that of the state, or (no register) the first one.
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
  // Runs `body` in the threads that the condition holds for, without values that come out of it.
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
  std::vector<Loop> loops_;
  unsigned divergence_ = 0;  // conditions around the place that differ between threads
  uint64_t trips_ = 1;       // how often the place is executed, at most
  uint64_t cost_ = 0;        // instructions executed so far, about
  uint64_t max_cost_ = 0;    // where to come to an end
  bool may_exit_early_ = false;
  bool shows_rare_opcodes_ = false;
  bool uses_shared_ = false;
  bool uses_tile_ = false;
  bool uses_b128_ = false;
  bool may_allocate_tensors_ = true;
  unsigned tensor_group_ = 1;  // CTAs that use tensor memory together: one number for a kernel
  int64_t call_sequences_ = 0;
  int64_t prototypes_ = 0;

  // Addresses that hold throughout.
  Register thread_;        // %tid.x
  Register number_;        // of the thread in the grid
  Register slot_generic_;  // of the thread, in the output buffer
  Register slot_global_;   // invalid: the function got no kernel's pointer
  Register input_generic_;
  Register input_global_;
  Register shared_slot_;
  Register tile_;  // of the warp, in shared memory
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

#endif  // PTXMIR_TOOLS_FUZZ_MIR_FUNCTION_GENERATOR_INTERNAL_H_

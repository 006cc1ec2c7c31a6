// SPDX-License-Identifier: Apache-2.0

// The state of a KernelBuilder: the DAGs of a function, and the meaning of its handles.
//
// Memory accesses are chained as in LLVM's SelectionDAGBuilder: a load depends on the last store, and the next
// store depends on all loads since then. A value that another block uses is copied to virtual registers, one for
// each part that fits a PTX register. These copies, the terminators and the PHIs are made when the function is
// finished (function_finish.cc), after everything has been checked. Constants and addresses are made again in each
// block.

#ifndef PTXMIR_SDAG_BUILDER_FUNCTION_STATE_H_
#define PTXMIR_SDAG_BUILDER_FUNCTION_STATE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/machine_function.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/module_state.h"
#include "sdag/graph/part_types.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::builder {

// Returns the MVT of a type, or nullopt if there is none.
std::optional<sdag::MVT> MvtOf(Type type);
// Returns the types of the registers that carry a value of this type from block to block. Every SM has them: vectors
// are packed into 32 bits only.
sdag::TypeList CrossingTypes(sdag::MVT type);

// The classes of types that operations accept.
enum class TypeClass : uint8_t { kInteger, kFloat, kArithmetic };

class FunctionState {
 public:
  struct Signature {
    Type result;
    std::vector<Parameter> parameters;
    bool is_kernel = false;
  };
  static constexpr MetadataId kNoLocation = MachineInstr::kNoDebugLoc;

  FunctionState(ModuleState& module, MachineFunction& function, GlobalId global, Signature signature);
  ~FunctionState();

  ModuleState& module() { return module_; }
  const Signature& signature() const { return signature_; }
  GlobalId global() const { return global_; }
  MachineFunction& function() { return function_; }
  std::string_view name() const { return name_; }
  std::unique_ptr<sdag::DagFunction>& dags() { return dags_; }

  // Begins a call that inserts code. Returns false if the call must do nothing: there was an error earlier, or
  // there is one now because there is no insertion point or its block has ended. `call` names the call in errors,
  // as in "Add(a, b)"; it must live as long as the function.
  bool Enter(const char* call);
  // Begins a call that inserts nothing; otherwise like Enter.
  bool EnterAnywhere(const char* call);
  void Error(std::string_view what);
  bool Fail(std::string_view what) {
    Error(what);
    return false;
  }

  // Returns true if the values are values of this function; reports an error otherwise.
  bool Check(std::initializer_list<Value> values) {
    return Check(std::span<const Value>(values.begin(), values.size()));
  }
  bool Check(std::span<const Value> values);
  bool CheckSameType(Value a, Value b);
  bool CheckClass(Type type, TypeClass type_class);
  bool CheckPointer(Value pointer);
  bool CheckBlock(Block block);
  bool CheckTarget(Block block) {
    return CheckBlock(block) && (block.index_ != 1 || Fail("nothing can branch to the entry block"));
  }
  bool CheckType(Type type);  // the type of a value that is to be made
  // Returns true if the module's target has the instruction; reports what it lacks otherwise.
  bool CheckSupport(Opcode opcode);

  // Returns the node that holds the value in the current block.
  sdag::SDValue Use(Value value);
  // Makes a new value of the current block.
  Value Make(Type type, sdag::SDValue node);
  Value MakeNode(Type type, int16_t opcode, std::initializer_list<sdag::SDValue> operands, uint32_t flags = 0) {
    return Make(type, dag().GetNode(opcode, NextLoc(), *MvtOf(type), operands, flags));
  }
  // Returns the same value with another type of the same size in registers.
  Value Retype(Type type, Value value);

  // Operations with a common form.
  Value Unary(const char* call, TypeClass type_class, int16_t opcode, Value a, uint32_t flags = 0);
  Value Binary(const char* call, TypeClass type_class, int16_t opcode, Value a, Value b, uint32_t flags = 0);
  Value Shift(const char* call, int16_t opcode, Value a, Value amount);
  // Returns index * size as an i64. The index is signed and may have any integer type.
  sdag::SDValue ScaledIndex(Value index, uint64_t size);

  // Leaves, which are made again in each block.
  Value MakeInteger(Type type, absl::uint128 bits);
  Value MakeFloat(Type type, uint64_t bits);
  Value MakeUndefined(Type type);
  Value MakeGlobal(Type type, GlobalId global);
  Value MakeFrame(int index);
  // Returns parameter i. `i` must be valid.
  Value Argument(size_t i);
  // Returns the bits of an integer constant, or nullopt if the value is none.
  std::optional<uint64_t> ConstantOf(Value value) const;
  // Returns an integer constant as a node of the current block.
  sdag::SDValue Integer(int64_t value, sdag::MVT type) { return dag().GetSignedConstant(value, type); }

  // Split a value into the parts that cross blocks in registers, and join them again.
  std::vector<sdag::SDValue> Split(sdag::SDValue value);
  sdag::SDValue Join(std::span<const sdag::SDValue> parts, sdag::MVT type);
  // Extends a value of less than 32 bits that is passed as 32 bits.
  sdag::SDValue PromoteArgument(sdag::SDValue value);

  // Chains. Root() is the chain after all loads and stores so far. A node with an effect depends on it, and its own
  // chain becomes the new root.
  sdag::SDValue Root();
  void SetRoot(sdag::SDValue chain);
  // LoadRoot() is the chain that loads depend on. The next Root() waits for the loads that AddPendingLoad() is
  // given.
  sdag::SDValue LoadRoot();
  void AddPendingLoad(sdag::SDValue chain);

  const MachineMemOperand* MemOperand(Type type, unsigned space, uint16_t flags, unsigned align);
  sdag::SDValue LoadNode(Type type, sdag::SDValue chain, sdag::SDValue pointer, const MachineMemOperand* memoperand);
  // Returns the value of a load that LoadNode returned.
  sdag::SDValue Loaded(Type type, sdag::SDValue load);
  sdag::SDValue StoreNode(Type type, sdag::SDValue chain, sdag::SDValue value, sdag::SDValue pointer,
                          const MachineMemOperand* memoperand);

  sdag::SelectionDAG& dag() { return *blocks_[current_].dag; }
  sdag::SDLoc NextLoc() { return {.order = ++order_, .debug_loc = debug_loc_}; }
  // Sets the source line of all code that is built from now on.
  void SetLocation(std::string_view file, uint32_t line, uint32_t column);
  void ClearLocation() { debug_loc_ = kNoLocation; }
  uint32_t FastMathFlags() const { return fast_math_; }
  void set_fast_math(uint32_t flags) { fast_math_ = flags; }
  uint32_t NextCallSite() { return call_sites_++; }

  // Blocks.
  Block CreateBlock();
  // Creates a block inside the current one. The caller sees both as one block when it names incoming values.
  Block CreateInnerBlock();
  Block current() const { return HandleOf(current_); }
  bool is_open() const { return current_ != 0 && blocks_[current_].end == End::kOpen; }
  void SetInsertPoint(Block block);
  void Branch(Block to);
  void BranchIf(sdag::SDValue condition, Block then_block, Block else_block);
  // Branches to entries[index]. The index is an i32 and must be in range.
  void BranchByTable(sdag::SDValue index, std::span<const Block> entries);
  void Return() { EndBlock(End::kReturn); }
  void Trap() { EndBlock(End::kUnreachable); }
  Value Phi(Type type);
  void AddIncoming(Value phi, Value value, Block from);

  // Checks the function and makes the parts that are still missing. Returns false if there is an error.
  bool Finish();

 private:
  enum class Kind : uint8_t { kNone, kComputed, kPhi, kInteger, kFloat, kUndefined, kGlobal, kFrame, kByValue };
  struct ValueInfo {
    Kind kind = Kind::kNone;
    Type type;
    uint32_t block = 0;       // the block of a computed value
    sdag::SDValue node;       // the value's node in `block`
    uint32_t first_part = 0;  // index into registers_, if num_parts is not 0
    uint32_t num_parts = 0;
    uint32_t phi = 0;        // index into phis_
    absl::uint128 bits = 0;  // the bits of a constant; the global, frame index or parameter
  };
  struct PhiInfo {
    uint32_t value = 0;
    struct Incoming {
      uint32_t value;
      uint32_t block;
    };
    std::vector<Incoming> incoming;
  };
  enum class End : uint8_t { kOpen, kBranch, kBranchIf, kTable, kReturn, kUnreachable };
  struct BlockInfo {
    MachineBasicBlock* block = nullptr;
    sdag::SelectionDAG* dag = nullptr;
    uint32_t owner = 0;  // the block as which the caller knows it
    bool is_placed = false;
    bool is_reachable = false;
    sdag::SDValue root;
    std::vector<sdag::SDValue> pending_loads;
    std::vector<sdag::SDValue> exports;  // chains of copies to registers
    std::vector<uint32_t> phis;
    End end = End::kOpen;
    MetadataId end_location = kNoLocation;
    sdag::SDValue condition;        // or the index into the table
    std::vector<uint32_t> targets;  // each once; of kBranchIf: the targets for true and for false
    std::vector<uint32_t> table;
    std::vector<uint32_t> predecessors;
  };
  // A use of a value in another block.
  struct Crossing {
    uint32_t value;
    uint32_t block;
    const char* call;
  };
  class Dominance;
  // Clears the source location as long as it lives.
  class WithoutLocation {
   public:
    explicit WithoutLocation(FunctionState& state) : state_(state), saved_(state.debug_loc_) { state.ClearLocation(); }
    ~WithoutLocation() { state_.debug_loc_ = saved_; }

   private:
    FunctionState& state_;
    const MetadataId saved_;
  };

  void EndBlock(End end) {
    blocks_[current_].end = end;
    blocks_[current_].end_location = debug_loc_;
  }
  Block HandleOf(uint32_t index) const;
  sdag::SDValue MakeLeaf(const ValueInfo& info);
  Value NewValue(const ValueInfo& info);
  // Gives a value registers and copies it there at the end of its block.
  void Export(uint32_t value);
  std::span<const Register> PartsOf(const ValueInfo& info) const {
    return {registers_.data() + info.first_part, info.num_parts};
  }
  void CreateParts(ValueInfo& info);
  // Copies a value of the block's DAG to registers.
  void CopyToRegisters(BlockInfo& block, sdag::SDValue node, std::span<const Register> registers);
  sdag::SDValue Import(uint32_t value);

  // The steps of Finish.
  bool CheckEnds();
  void FindReachable();
  bool CheckPhis(const Dominance& dominance);
  bool CheckCrossings(const Dominance& dominance);
  void MakeIncoming();
  void MakePhis();
  void MakeTerminators();
  sdag::SDValue MakeTerminator(const BlockInfo& block, sdag::SDValue chain);
  void LayOut();
  std::string BlockName(uint32_t index) const;

  ModuleState& module_;
  MachineFunction& function_;  // dangling once the module has been compiled
  const std::string name_;
  const GlobalId global_;
  const Signature signature_;
  const uint32_t serial_;
  std::unique_ptr<sdag::DagFunction> dags_;
  const char* call_ = "";
  uint32_t current_ = 0;  // the current block; 0: none
  uint32_t order_ = 0;
  MetadataId debug_loc_ = kNoLocation;
  MetadataId subprogram_ = kNoLocation;  // made for the first location
  MetadataId subprogram_file_ = kNoLocation;
  absl::flat_hash_map<MetadataId, MetadataId> scopes_;  // by file
  uint32_t fast_math_ = 0;
  uint32_t call_sites_ = 0;
  bool is_finished_ = false;
  std::vector<BlockInfo> blocks_;  // from index 1
  std::vector<uint32_t> placed_;   // blocks in layout order
  std::vector<ValueInfo> values_;  // from index 1
  std::vector<PhiInfo> phis_;
  std::vector<Value> arguments_;
  std::vector<Register> registers_;
  std::vector<Crossing> crossings_;
  absl::flat_hash_map<uint64_t, sdag::SDValue> imports_;  // by value and block
  // The registers that hold an incoming value at the end of a block, by value and block.
  absl::flat_hash_map<uint64_t, uint32_t> outgoing_;
};

}  // namespace ptxmir::builder

#endif  // PTXMIR_SDAG_BUILDER_FUNCTION_STATE_H_

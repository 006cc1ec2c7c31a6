// SPDX-License-Identifier: Apache-2.0

// What a KernelBuilder works on: the DAGs of a function, and what its handles mean.
//
// Memory accesses are chained as LLVM's SelectionDAGBuilder does it: loads hang on the last store, and the next store
// on all of them. What another block uses is copied to virtual registers, one for each part that PTX has registers
// for: those copies, terminators and PHIs are made when the function is finished (function_finish.cc), after all has
// been checked. Constants and addresses are made anew in each block.

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
#include "sdag/graph/selection_dag.h"

namespace ptxmir::builder {

// Nullopt when there is no such type.
std::optional<sdag::MVT> MvtOf(Type type);
// The types of the registers that a value crosses blocks in.
std::vector<sdag::MVT> PartTypes(sdag::MVT type);

// Which types an operation takes.
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

  // A call begins. False when it is to do nothing: there was an error, or is one now because the insertion point is
  // nowhere or behind the end of its block. `call` must live as long as the function: "Add(a, b)".
  bool Enter(const char* call);
  // The same for calls that insert nothing.
  bool EnterAnywhere(const char* call);
  void Error(std::string_view what);
  bool Fail(std::string_view what) {
    Error(what);
    return false;
  }

  // Whether the values are values of this function; reports it.
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
  bool CheckType(Type type);  // of a value that is to be made

  // What values are in the current block.
  sdag::SDValue Use(Value value);
  // A new value of the current block.
  Value Make(Type type, sdag::SDValue node);
  Value MakeNode(Type type, int16_t opcode, std::initializer_list<sdag::SDValue> operands, uint32_t flags = 0) {
    return Make(type, dag().GetNode(opcode, NextLoc(), *MvtOf(type), operands, flags));
  }
  // The same value with another type of the same size in registers.
  Value Retype(Type type, Value value);

  // Operations of one form.
  Value Unary(const char* call, TypeClass type_class, int16_t opcode, Value a, uint32_t flags = 0);
  Value Binary(const char* call, TypeClass type_class, int16_t opcode, Value a, Value b, uint32_t flags = 0);
  Value Shift(const char* call, int16_t opcode, Value a, Value amount);
  // index * size in i64; the index, of any integer type, is signed.
  sdag::SDValue ScaledIndex(Value index, uint64_t size);

  // Leaves, which are made anew in each block.
  Value MakeInteger(Type type, absl::uint128 bits);
  Value MakeFloat(Type type, uint64_t bits);
  Value MakeUndefined(Type type);
  Value MakeGlobal(Type type, GlobalId global);
  Value MakeFrame(int index);
  // Parameter i, which is good.
  Value Argument(size_t i);
  // A constant's bits, if the value is an integer constant.
  std::optional<uint64_t> ConstantOf(Value value) const;
  // An integer constant as a node of the current block.
  sdag::SDValue Integer(int64_t value, sdag::MVT type) { return dag().GetSignedConstant(value, type); }

  // Parts, for registers that a value crosses blocks in.
  std::vector<sdag::SDValue> Split(sdag::SDValue value);
  sdag::SDValue Join(std::span<const sdag::SDValue> parts, sdag::MVT type);
  // A value of less than 32 bits that is passed as 32 bits, and back.
  sdag::SDValue PromoteArgument(sdag::SDValue value);

  // Chains. Root: behind all stores and loads so far; what has an effect hangs on it and becomes the new one.
  sdag::SDValue Root();
  void SetRoot(sdag::SDValue chain);
  // What loads hang on, and a load to wait for.
  sdag::SDValue LoadRoot();
  void AddPendingLoad(sdag::SDValue chain);

  const MachineMemOperand* MemOperand(Type type, unsigned space, uint16_t flags, unsigned align);
  sdag::SDValue LoadNode(Type type, sdag::SDValue chain, sdag::SDValue pointer, const MachineMemOperand* memoperand);
  // The value of what LoadNode returned.
  sdag::SDValue Loaded(Type type, sdag::SDValue load);
  sdag::SDValue StoreNode(Type type, sdag::SDValue chain, sdag::SDValue value, sdag::SDValue pointer,
                          const MachineMemOperand* memoperand);

  sdag::SelectionDAG& dag() { return *blocks_[current_].dag; }
  sdag::SDLoc NextLoc() { return {.order = ++order_, .debug_loc = debug_loc_}; }
  // What is built from now on comes from a line of a source file.
  void SetLocation(std::string_view file, uint32_t line, uint32_t column);
  void ClearLocation() { debug_loc_ = kNoLocation; }
  uint32_t FastMathFlags() const { return fast_math_; }
  void set_fast_math(uint32_t flags) { fast_math_ = flags; }
  uint32_t NextCallSite() { return call_sites_++; }

  // Blocks.
  Block CreateBlock();
  // One that belongs to the current block, as far as incoming values are concerned.
  Block CreateInnerBlock();
  Block current() const { return HandleOf(current_); }
  bool is_open() const { return current_ != 0 && blocks_[current_].end == End::kOpen; }
  void SetInsertPoint(Block block);
  void Branch(Block to);
  void BranchIf(sdag::SDValue condition, Block then_block, Block else_block);
  // To entries[index], which there must be; `index` is an i32.
  void BranchByTable(sdag::SDValue index, std::span<const Block> entries);
  void Return() { EndBlock(End::kReturn); }
  void Trap() { EndBlock(End::kUnreachable); }
  Value Phi(Type type);
  void AddIncoming(Value phi, Value value, Block from);

  // Checks the function and makes what is missing. False when something is wrong.
  bool Finish();

 private:
  enum class Kind : uint8_t { kNone, kComputed, kPhi, kInteger, kFloat, kUndefined, kGlobal, kFrame, kByValue };
  struct ValueInfo {
    Kind kind = Kind::kNone;
    Type type;
    uint32_t block = 0;       // of what is computed
    sdag::SDValue node;       // there
    uint32_t first_part = 0;  // in registers_, when num_parts is not 0
    uint32_t num_parts = 0;
    uint32_t phi = 0;        // in phis_
    absl::uint128 bits = 0;  // of constants; the global, frame index or parameter
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
    uint32_t owner = 0;  // the block that the caller knows it as
    bool is_placed = false;
    bool is_reachable = false;
    sdag::SDValue root;
    std::vector<sdag::SDValue> pending_loads;
    std::vector<sdag::SDValue> exports;  // chains of copies to registers
    std::vector<uint32_t> phis;
    End end = End::kOpen;
    MetadataId end_location = kNoLocation;
    sdag::SDValue condition;        // or the index into the table
    std::vector<uint32_t> targets;  // each once; of kBranchIf: when the condition is true, and when it is not
    std::vector<uint32_t> table;
    std::vector<uint32_t> predecessors;
  };
  // A value that another block uses.
  struct Crossing {
    uint32_t value;
    uint32_t block;
    const char* call;
  };
  class Dominance;
  // While it lives, what is built comes from nowhere.
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
  // Gives a value registers, and copies it there at the end of its block.
  void Export(uint32_t value);
  std::span<const Register> PartsOf(const ValueInfo& info) const {
    return {registers_.data() + info.first_part, info.num_parts};
  }
  void CreateParts(ValueInfo& info);
  // Copies a value of the block's DAG to registers.
  void CopyToRegisters(BlockInfo& block, sdag::SDValue node, std::span<const Register> registers);
  sdag::SDValue Import(uint32_t value);

  // Steps of Finish.
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
  MachineFunction& function_;  // gone when the module has been compiled
  const std::string name_;
  const GlobalId global_;
  const Signature signature_;
  const uint32_t serial_;
  std::unique_ptr<sdag::DagFunction> dags_;
  const char* call_ = "";
  uint32_t current_ = 0;  // block; 0: none
  uint32_t order_ = 0;
  MetadataId debug_loc_ = kNoLocation;
  MetadataId subprogram_ = kNoLocation;  // made for the first location
  MetadataId subprogram_file_ = kNoLocation;
  absl::flat_hash_map<MetadataId, MetadataId> scopes_;  // by file
  uint32_t fast_math_ = 0;
  uint32_t call_sites_ = 0;
  bool is_finished_ = false;
  std::vector<BlockInfo> blocks_;  // from 1
  std::vector<uint32_t> placed_;   // blocks in layout order
  std::vector<ValueInfo> values_;  // from 1
  std::vector<PhiInfo> phis_;
  std::vector<Value> arguments_;
  std::vector<Register> registers_;
  std::vector<Crossing> crossings_;
  absl::flat_hash_map<uint64_t, sdag::SDValue> imports_;  // by value and block
  // Registers that an incoming value has at the end of a block, by value and block.
  absl::flat_hash_map<uint64_t, uint32_t> outgoing_;
};

}  // namespace ptxmir::builder

#endif  // PTXMIR_SDAG_BUILDER_FUNCTION_STATE_H_

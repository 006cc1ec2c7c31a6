// SPDX-License-Identifier: Apache-2.0

// The state in which the DAGs of a function are built: the block at hand, where values are, and the order of effects.
// The functions that build instructions (lower_*.cc) work on it.
//
// A value of IR is a list of parts (value_parts.h). In the block that defines it, these are nodes. If another block or
// a PHI uses it, it is also copied to virtual registers there, and the other blocks read these; constants and addresses
// of stack objects are made again in every block. Memory accesses are chained as in LLVM's SelectionDAGBuilder: a load
// depends on the last store, and the next store depends on all loads since then.

#ifndef PTXMIR_SDAG_FROM_IR_FUNCTION_BUILDER_H_
#define PTXMIR_SDAG_FROM_IR_FUNCTION_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/diagnostics.h"
#include "ir/code/function.h"
#include "ir/code/program.h"
#include "ir/frequency/branch_probabilities.h"
#include "mir/code/machine_function.h"
#include "sdag/from_ir/value_parts.h"
#include "sdag/graph/part_types.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

using ValueNodes = absl::InlinedVector<SDValue, 4>;

// Returns true if anything but debug records uses the value. PHIs that nothing uses are not made.
bool HasCodeUses(const ir::Value& value);

class FunctionBuilder {
 public:
  // All must outlive the builder.
  // `probabilities` may be null: then all edges of a block are equally likely.
  FunctionBuilder(ir::Function& function, DagFunction& dags, PartTable& part_table,
                  const ir::BranchProbabilities* probabilities, DiagnosticEngine& diagnostics);

  ir::Function& function() const { return function_; }
  Module& module() const { return function_.module(); }
  const DataLayout& layout() const { return module().data_layout(); }
  MachineFunction& machine_function() const { return dags_.machine_function(); }
  DagFunction& dags() const { return dags_; }
  bool is_kernel() const { return is_kernel_; }
  // Returns the probability of an edge, over ir::BranchProbabilities::kOne.
  uint32_t ProbabilityOf(const ir::Instruction& terminator, unsigned successor) const;

  // Reports that something cannot be built. The function is given up once the instruction at hand is done. Returns
  // false.
  bool Refuse(std::string what);
  bool has_failed() const { return has_failed_; }

  // Types. PartsOf refuses types without values.
  absl::Span<const ValuePart> PartsOf(const IrType* type);
  const PartTable::Parts& PartInfo(const IrType* type) { return part_table_.Of(type); }
  MVT PointerType(uint32_t address_space) const;

  // Returns the nodes of a value in the block at hand. Has one node for each part, whatever happens; after an error,
  // they are undefined values.
  ValueNodes Use(const ir::Value& value);
  // Returns the node of a value with one part.
  SDValue UseOne(const ir::Value& value);
  // Returns true if Use has something to return for an argument or an instruction: it has been defined in this block,
  // or crosses blocks.
  bool IsAvailable(const ir::Value& value) const;
  // Sets the nodes of an instruction or an argument, and copies them to registers if other blocks need them.
  void Define(const ir::Value& value, absl::Span<const SDValue> nodes);
  void Define(const ir::Value& value, SDValue node) { Define(value, absl::MakeConstSpan(&node, 1)); }
  // Makes the address of a stack object the value of an alloca, which is made again in each block.
  void DefineFrameIndex(const ir::Instruction& alloca, int index);
  // Returns the stack object of an alloca, or nullopt.
  std::optional<int> FrameIndexOf(const ir::Value& value) const;
  // Gives a value registers if it has none yet, and copies it there in the block that defines it, which must not have
  // ended. Lets blocks that are made on the way use it.
  void Export(const ir::Value& value);
  // Returns the registers of a value that has been exported.
  absl::Span<const Register> RegistersOf(const ir::Value& value) const;
  // Creates registers for the value of a PHI, or for a copy of a value of this type.
  absl::InlinedVector<Register, 4> NewRegisters(const IrType* type);
  // Copies nodes to registers in the block at hand.
  void CopyToRegisters(absl::Span<const SDValue> nodes, absl::Span<const Register> registers);
  ValueNodes Constant(const IrConstant& constant);

  // Nodes of the block at hand.
  SelectionDAG& dag() { return *dag_; }
  SDLoc Loc() const { return loc_; }
  SDValue Node(int16_t opcode, MVT type, std::initializer_list<SDValue> operands, uint32_t flags = 0) {
    return dag_->GetNode(opcode, loc_, type, operands, flags);
  }
  SDValue Number(int64_t value, MVT type) { return dag_->GetSignedConstant(value, type); }
  // Returns the value without what its undefined bits may hold: extended from `part.bits`.
  SDValue ZeroExtended(SDValue value, const ValuePart& part);
  SDValue SignExtended(SDValue value, const ValuePart& part);
  // Extends or cuts off an integer.
  SDValue Resize(SDValue value, MVT type, int16_t extension);
  // Converts an address. PTX converts from and to the generic space only. A CTA's shared memory is a part of its
  // cluster's, with the same addresses.
  SDValue AddrSpaceCast(SDValue address, MVT type, uint32_t from, uint32_t to);
  // Adds a number of bytes to an address.
  SDValue AddOffset(SDValue address, int64_t offset);

  // Split a node into parts that PTX registers hold, and join them again.
  ValueNodes Split(SDValue node);
  SDValue Join(absl::Span<const SDValue> parts, MVT type);
  // Converts between a vector and its elements.
  ValueNodes Lanes(const IrType* vector, absl::Span<const SDValue> nodes);
  ValueNodes FromLanes(const IrType* vector, absl::Span<const SDValue> lanes);
  // The part that each element of a vector is as a value of its own.
  ValuePart LanePart(const IrType* vector);
  // Converts between a value of up to 128 bits and an integer with the same bits. Refuse other values.
  SDValue ToBits(const IrType* type, absl::Span<const SDValue> nodes);
  ValueNodes FromBits(const IrType* type, SDValue bits);

  // Chains. Root() is the chain after all loads and stores so far. LoadRoot() is the chain that loads depend on.
  SDValue Root();
  void SetRoot(SDValue chain) { root_ = chain; }
  SDValue LoadRoot() const { return root_; }
  void AddPendingLoad(SDValue chain) { pending_loads_.push_back(chain); }
  // Returns the chain after everything in the block, copies to registers included. For terminators.
  SDValue ControlRoot();

  // Blocks. Null for unreachable blocks.
  MachineBasicBlock* BlockOf(const ir::BasicBlock& block) const { return blocks_[block.number()]; }
  MachineBasicBlock& block() const { return *block_; }
  // Makes a block of the function that stands for no block of IR, and puts it behind the one at hand.
  MachineBasicBlock& NewBlock();
  // Begins with the code of a block.
  void EnterBlock(MachineBasicBlock& block);
  // The block of IR that a machine block is made for. A switch makes several.
  const ir::BasicBlock& OwnerOf(const MachineBasicBlock& block) const { return *owners_[block.number()]; }
  void NoteOwner(const MachineBasicBlock& block, const ir::BasicBlock& owner);
  // Returns true for an instruction after which a thread does not go on: llvm.trap, or a call that says so itself.
  bool EndsThread(const ir::Instruction& instruction) const;

  // The registers that hold the value of a PHI at the end of a predecessor, if it is a constant or the like, which has
  // no registers of its own.
  void SetIncoming(const ir::Instruction& phi, const ir::BasicBlock& from, absl::Span<const Register> registers);
  bool HasIncoming(const ir::Instruction& phi, const ir::BasicBlock& from) const {
    return incoming_.contains(uint64_t{phi.order()} << 32 | from.number());
  }
  absl::Span<const Register> IncomingRegisters(const ir::Instruction& phi, const ir::BasicBlock& from) const;
  // Returns the types of the registers that carry a node from block to block.
  static TypeList CrossingTypesOf(MVT type);

  // Sets the instruction that nodes are made for from now on.
  void SetLocation(const ir::Instruction& instruction);
  void ClearLocation() { loc_.debug_loc = MachineInstr::kNoDebugLoc; }
  MetadataId IdOf(ir::MetadataRef reference);

  uint32_t NextCallSite() { return num_call_sites_++; }

 private:
  struct Place {
    uint32_t first_node = 0;  // index into nodes_
    uint32_t num_nodes = 0;
    uint32_t first_register = 0;
    uint32_t num_registers = 0;
    BlockNumber block = kNoBlock;  // the block that has the nodes: the one that defines the value, or the last user
    int frame_index = -1;
    bool is_imported = false;  // the block with the nodes has them from the registers or makes them again
    bool crosses = false;      // another block or a PHI uses the value
    bool is_exported = false;  // the value has been copied to its registers
  };
  static constexpr BlockNumber kNoBlock = ~BlockNumber{0};

  void FindCrossingValues();
  void ReserveRegisters(Place& place, const IrType* type);
  void MakeBlocks();
  uint32_t IndexOf(const ir::Value& value) const;
  void SetNodes(Place& place, absl::Span<const SDValue> nodes);
  ValueNodes Import(uint32_t index, const IrType* type);
  ValueNodes Undefined(const IrType* type);
  void AppendConstant(const IrConstant& constant, ValueNodes& out);
  SDValue ScalarConstant(const IrConstant& constant, const ValuePart& part);
  void AppendVectorConstant(const IrConstant& constant, ValueNodes& out);
  SDValue ComputedConstant(const IrConstant& constant, const ValuePart& part);
  bool ConstantOffset(const IrConstant& address, int64_t& offset) const;

  ir::Function& function_;
  DagFunction& dags_;
  PartTable& part_table_;
  const ir::BranchProbabilities* const probabilities_;
  DiagnosticEngine& diagnostics_;
  const bool is_kernel_;
  bool has_failed_ = false;

  std::vector<Place> places_;  // arguments, then instructions
  std::vector<SDValue> nodes_;
  std::vector<Register> registers_;
  std::vector<MachineBasicBlock*> blocks_;     // by number of the block of IR
  std::vector<const ir::BasicBlock*> owners_;  // by number of the machine block
  struct RegisterRange {
    uint32_t first;
    uint32_t count;
  };
  absl::flat_hash_map<uint64_t, RegisterRange> incoming_;  // by PHI and block

  // The block at hand.
  MachineBasicBlock* block_ = nullptr;
  SelectionDAG* dag_ = nullptr;
  SDValue root_;
  std::vector<SDValue> pending_loads_;
  std::vector<SDValue> exports_;  // the chains of copies to registers
  const ir::Instruction* instruction_ = nullptr;
  SDLoc loc_;
  uint32_t num_call_sites_ = 0;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_FROM_IR_FUNCTION_BUILDER_H_

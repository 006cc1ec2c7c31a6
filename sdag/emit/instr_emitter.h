// SPDX-License-Identifier: Apache-2.0

// InstrEmitter: makes machine instructions from the scheduled nodes of a SelectionDAG. EmitSchedule drives it
// (emit_schedule.h).
//
// A node's opcode is looked up in a bit table, which is made at compile time from the list of special nodes
// (instr_emitter.cc). An opcode whose bit is set has a handler of its own. Machine nodes take the common path. Any
// other node is an error, "should have been selected". cicc's three maps, from values to registers, from
// nodes to the last instruction that they became, and from values to records of results, are tables here, indexed by
// the numbers of nodes. Operands and results are in LLVM's order: results, operands without chain and glue, implicit
// registers.
//
// Differences from LLVM and cicc:
//   - Copies that operands need are put before the whole glue bundle if they copy a value from outside of it. The
//     bundle's instructions are therefore adjacent.
//   - The register that a CopyToReg defines becomes the result register of the copied value only if the DAG neither
//     reads that register nor defines it elsewhere.
//   - The results of a node with several are emitted in a loop. cicc recurses, and the input would control the depth.
//   - A node with SDNodeFlags::kImplicitGlue (cicc's bit 36) that is glued to another node makes no instruction. Its
//     values are its value operands, in order, which the glued nodes have computed.
//   - PTX has no sub-register indices. Sub-register nodes become instructions of the target at once.

#ifndef PTXMIR_SDAG_EMIT_INSTR_EMITTER_H_
#define PTXMIR_SDAG_EMIT_INSTR_EMITTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sdag/emit/dead_copy_elimination.h"
#include "sdag/emit/emit_target_hooks.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

class InstrEmitter {
 public:
  // A register class of fewer registers is not forced upon a value that lives in a larger class. The value is
  // copied instead.
  static constexpr unsigned kMinRegClassSize = 4;

  // Appends instructions to `block`. The nodes have been numbered (SelectionDAG::TopologicalOrder), and the DAG
  // does not change afterwards.
  InstrEmitter(SelectionDAG& dag, MachineBasicBlock& block, const EmitTargetHooks& hooks);

  // Begins a bundle. Until the next call, EmitNode is called for the nodes of this glue chain. The array must exist
  // until then.
  void BeginBundle(absl::Span<SDNode* const> nodes);
  // Emits a node. Returns InvalidArgument, naming the node, if it cannot be emitted.
  absl::Status EmitNode(SDNode* node);

  // Returns the register that holds a value, or an invalid one if the value has not been emitted.
  Register FindRegister(SDValue value) const;
  // Returns the last instruction that a node became, or null if it became none.
  MachineInstr* LastInstrOf(const SDNode& node) const;
  std::vector<EmitResultRecord>& records() { return records_; }
  MetadataId DebugLocOf(SDLoc loc) const { return dag_.function().DebugLocOf(loc); }
  // Returns true if nodes of this isd:: opcode have a handler of their own.
  static bool IsSpecial(int16_t opcode);

 private:
  using Operands = absl::InlinedVector<MachineOperand, 12>;
  using Handler = absl::Status (InstrEmitter::*)(SDNode*);
  struct SpecialNode {
    int16_t opcode;
    Handler handler;
  };
  static const SpecialNode kSpecialNodes[];
  friend struct SpecialNodeBits;

  absl::Status Error(const SDNode& node, std::string_view what) const;

  // Special nodes (instr_emitter.cc).
  absl::Status EmitNothing(SDNode* node);
  absl::Status EmitMergeValues(SDNode* node);
  absl::Status EmitCopyToReg(SDNode* node);
  absl::Status EmitCopyFromRegNode(SDNode* node);
  absl::Status EmitLabel(SDNode* node);
  absl::Status EmitLifetime(SDNode* node);
  absl::Status EmitPseudoProbe(SDNode* node);
  absl::Status EmitFakeUse(SDNode* node);
  absl::Status EmitInlineAsm(SDNode* node);
  absl::Status EmitInlineAsmGroup(SDNode* node, unsigned first, unsigned last, Operands& operands,
                                  std::vector<unsigned>& group_starts,
                                  std::vector<std::pair<unsigned, unsigned>>& ties);
  // Gives the values of a node the registers in which the nodes that it is glued to have computed them.
  absl::Status TakeGluedValues(SDNode* node);

  // Machine nodes (instr_emitter_machine_nodes.cc).
  absl::Status EmitMachineNode(SDNode* node);
  absl::Status EmitPlainMachineNode(SDNode* node);
  absl::Status EmitCopyToRegClass(SDNode* node);
  absl::Status EmitSubRegNode(SDNode* node);
  // Collects the parts that a sub-register node names. The part of an EXTRACT_SUBREG has no register.
  absl::Status CollectParts(SDNode* node, SubRegOperation& operation,
                            absl::InlinedVector<SubRegOperation::Part, 4>& parts);
  // Adds the implicit registers of the opcode, and marks definitions that nothing reads as dead. `copied` gets the
  // results that are in physical registers.
  void AddImplicitRegisters(SDNode* node, Operands& operands, std::vector<std::pair<Register, unsigned>>& copied);
  void CollectGlueUses(const SDNode& node, absl::flat_hash_set<Register>& used) const;

  // Registers and operands (instr_emitter_registers.cc).
  absl::Status CreateVirtualRegisters(SDNode* node, unsigned num_results, Operands& operands);
  // Returns the class for a result of a type: the class that the instruction demands, refined by the type's class.
  // kNoRegClass if neither demands one.
  RegClassId RefinedClass(RegClassId wanted, MVT type, bool is_divergent) const;
  // Returns the virtual register that a CopyToReg copies the value to, if the value may live there; otherwise an
  // invalid register.
  Register RegisterOfCopyToReg(SDValue value, RegClassId reg_class) const;
  // Returns the register of a value. An undefined value gets a new register at each use.
  absl::StatusOr<Register> GetRegister(SDValue value);
  absl::Status AddOperand(const SDNode& user, SDValue value, unsigned number, Operands& operands);
  absl::Status AddRegisterOperand(const SDNode& user, SDValue value, unsigned number, Operands& operands);
  absl::Status AddConstantFP(const SDNode& user, SDValue value, Operands& operands);
  absl::Status EmitCopyFromReg(SDNode* node, unsigned resno, Register source, MachineInstr* before);
  // The demands of the users of a value that is in a physical register.
  struct UserDemands {
    Register copied_to;                  // the virtual register of a CopyToReg
    RegClassId reg_class = kNoRegClass;  // a class that all instructions accept
    bool all_accept_source = true;       // whether the physical register itself may be their operand
  };
  UserDemands DemandsOf(SDValue value, Register source) const;
  // Returns true if the register can be an operand of the class.
  bool IsMember(Register reg, RegClassId reg_class) const;
  // Narrows a virtual register's class to a subclass of `wanted` that has at least `min_size` registers. Returns
  // false if there is none.
  bool ConstrainClass(Register reg, RegClassId wanted, unsigned min_size);
  RegClassId CommonSubClass(RegClassId a, RegClassId b) const;
  unsigned ClassSize(RegClassId reg_class) const;
  RegClassId MinimalPhysClass(Register reg) const;
  RegClassId ClassOfOperand(const SDNode& user, unsigned number) const;

  // Returns the place for instructions that prepare the operand `value` of a node of the bundle.
  MachineInstr* HelperPosition(SDValue value) const;
  // Must be called for each such instruction, so that the next one is placed after it.
  void NoteHelper(SDValue value, MachineInstr* instr);
  MachineInstr* Insert(MachineInstr* before, Opcode opcode, absl::Span<const MachineOperand> operands,
                       const SDNode& node);
  MachineInstr* InsertCopy(MachineInstr* before, Register target, Register source, const SDNode& node,
                           uint16_t source_flags = 0);
  void SetRegister(SDValue value, Register reg);
  void Record(MachineInstr* instr, SDNode* node, Register src, Register dst, uint32_t flags,
              uint32_t sub_reg_index = 0);
  // Returns true if the register was made here.
  bool IsOwn(Register reg) const { return reg.is_virtual() && reg.virtual_index() >= first_own_; }
  // Returns true if the node belongs to the bundle that is being emitted.
  bool IsInBundle(const SDNode* node) const { return std::find(bundle_.begin(), bundle_.end(), node) != bundle_.end(); }
  // Returns the index of a value in tables of values.
  size_t IndexOf(SDValue value) const {
    return first_value_[static_cast<size_t>(value.node()->node_id())] + value.resno();
  }
  bool HasCopyTo(Register reg) const { return std::binary_search(copies_to_.begin(), copies_to_.end(), reg); }
  Register CreateRegister(RegClassId reg_class);

  SelectionDAG& dag_;
  MachineFunction& function_;
  MachineRegisterInfo& info_;
  const TargetInfo& target_;
  MachineBasicBlock& block_;
  const EmitTargetHooks& hooks_;

  std::vector<uint32_t> first_value_;      // the index of a node's first value in tables of values, by node_id
  std::vector<ArenaId> instrs_;            // of nodes, by node_id; 0: none
  std::vector<Register> registers_;        // of values
  std::vector<uint32_t> record_of_value_;  // 1 more than the index into records_; 0: none
  std::vector<EmitResultRecord> records_;
  const uint32_t first_own_;  // the index of the first virtual register that is made here
  // Registers that hold several values. No use of one is known to be the last.
  absl::flat_hash_set<Register> shared_;
  std::vector<Register> copies_to_;    // the virtual registers that CopyToReg nodes define, sorted, each as often
  std::vector<Register> copied_from_;  // the virtual registers that CopyFromReg nodes read, sorted
  absl::Span<SDNode* const> bundle_;
  MachineInstr* before_bundle_ = nullptr;  // the instruction after which the bundle is placed
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_INSTR_EMITTER_H_

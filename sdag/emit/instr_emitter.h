// SPDX-License-Identifier: Apache-2.0

// InstrEmitter: makes machine instructions of the scheduled nodes of a SelectionDAG (reference: instr-emitter). What
// drives it is EmitSchedule (emit_schedule.h).
//
// A node's opcode is looked up in a table of bits, made at compile time from the list of special nodes
// (instr_emitter.cc): those that have a bit have a handler of their own, machine nodes go the common way, and all
// others are an error, "should have been selected". The three maps of the reference are flat maps: from values to
// registers, from nodes to the last instruction that they became, from values to records of results. Operands and
// results are in the order of LLVM's: results, operands without chain and glue, implicit registers.
//
// Where we differ from LLVM and from the notes:
//   - Copies that operands need are put before the whole glue bundle if what they copy comes from outside of it, so
//     that the bundle's instructions are adjacent.
//   - The register that a CopyToReg of another node defines is used for the result itself only if the DAG neither reads
//     that register nor defines it elsewhere.
//   - Every result of a node with several is emitted in a loop; the notes recurse, whose depth the input would control.
//   - A node with SDNodeFlags::kImplicitGlue (cicc's bit 36) that is glued to another one leaves no instruction: its
//     values are its value operands, in order, which the glued nodes have computed.
//   - PTX has no sub-register indices: sub-register nodes become the target's instructions at once.

#ifndef PTXMIR_SDAG_EMIT_INSTR_EMITTER_H_
#define PTXMIR_SDAG_EMIT_INSTR_EMITTER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
  // Classes of fewer registers are not forced upon a value that lives in a larger one: it is copied instead.
  static constexpr unsigned kMinRegClassSize = 4;

  // Instructions are appended to `block`.
  InstrEmitter(SelectionDAG& dag, MachineBasicBlock& block, const EmitTargetHooks& hooks);

  // Between the two, nodes are those of one glue chain.
  void BeginBundle(absl::Span<SDNode* const> nodes);
  // InvalidArgument, which names the node, when it cannot be emitted.
  absl::Status EmitNode(SDNode* node);

  // The register that has a value; invalid when it has not been emitted.
  Register FindRegister(SDValue value) const;
  // The last instruction that a node became; null when it became none.
  MachineInstr* LastInstrOf(const SDNode& node) const;
  std::vector<EmitResultRecord>& records() { return records_; }
  MetadataId DebugLocOf(SDLoc loc) const { return dag_.function().DebugLocOf(loc); }
  // Whether nodes of the (isd::) opcode have a handler of their own.
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
  // True when the glued nodes have made the node's values; they are known then.
  absl::StatusOr<bool> SkipImplicitGlue(SDNode* node);

  // Machine nodes (instr_emitter_machine_nodes.cc).
  absl::Status EmitMachineNode(SDNode* node);
  absl::Status EmitPlainMachineNode(SDNode* node);
  absl::Status EmitCopyToRegClass(SDNode* node);
  absl::Status EmitSubRegNode(SDNode* node);
  // The parts that a sub-register node names; EXTRACT_SUBREG's has no register.
  absl::Status CollectParts(SDNode* node, SubRegOperation& operation,
                            absl::InlinedVector<SubRegOperation::Part, 4>& parts);
  // Implicit registers of the opcode; those that nothing reads are dead. `copied`: results in physical registers.
  void AddImplicitRegisters(SDNode* node, Operands& operands, std::vector<std::pair<Register, unsigned>>& copied);
  void CollectGlueUses(const SDNode& node, absl::flat_hash_set<Register>& used) const;

  // Registers and operands (instr_emitter_registers.cc).
  absl::Status CreateVirtualRegisters(SDNode* node, unsigned num_results, Operands& operands);
  // The class for a result of a type: what the instruction asks for, refined by the type's; kNoRegClass if neither
  // says anything.
  RegClassId RefinedClass(RegClassId wanted, MVT type, bool is_divergent) const;
  // The virtual register that a CopyToReg wants the value in, if the value may live there; else invalid.
  Register RegisterOfCopyToReg(SDValue value, RegClassId reg_class) const;
  // The register of a value. Undefined ones get a new register at each use.
  absl::StatusOr<Register> GetRegister(SDValue value);
  absl::Status AddOperand(const SDNode& user, SDValue value, unsigned number, Operands& operands);
  absl::Status AddRegisterOperand(const SDNode& user, SDValue value, unsigned number, Operands& operands);
  absl::Status AddConstantFP(const SDNode& user, SDValue value, Operands& operands);
  absl::Status EmitCopyFromReg(SDNode* node, unsigned resno, Register source, MachineInstr* before);
  // What users of a value in a physical register ask of it.
  struct UserDemands {
    Register copied_to;                  // virtual register of a CopyToReg
    RegClassId reg_class = kNoRegClass;  // that all instructions accept
    bool all_accept_source = true;       // the physical register itself may be their operand
  };
  UserDemands DemandsOf(SDValue value, Register source) const;
  // Whether the register can be an operand of the class.
  bool IsMember(Register reg, RegClassId reg_class) const;
  // Narrows a virtual register's class so that it is a subclass of `wanted`, of at least `min_size` registers.
  bool ConstrainClass(Register reg, RegClassId wanted, unsigned min_size);
  RegClassId CommonSubClass(RegClassId a, RegClassId b) const;
  unsigned ClassSize(RegClassId reg_class) const;
  RegClassId MinimalPhysClass(Register reg) const;
  RegClassId ClassOfOperand(const SDNode& user, unsigned number) const;

  // Where instructions go that the operand `value` of a node of the bundle needs.
  MachineInstr* HelperPosition(SDValue value) const;
  // Has to be told of each, so that the next one comes behind it.
  void NoteHelper(SDValue value, MachineInstr* instr);
  MachineInstr* Insert(MachineInstr* before, Opcode opcode, absl::Span<const MachineOperand> operands,
                       const SDNode& node);
  MachineInstr* InsertCopy(MachineInstr* before, Register target, Register source, const SDNode& node,
                           uint16_t source_flags = 0);
  void SetRegister(SDValue value, Register reg);
  void Record(MachineInstr* instr, SDNode* node, Register src, Register dst, uint32_t flags,
              uint32_t sub_reg_index = 0);
  bool IsOwn(Register reg) const { return own_.contains(reg); }
  Register CreateRegister(RegClassId reg_class);

  SelectionDAG& dag_;
  MachineFunction& function_;
  MachineRegisterInfo& info_;
  const TargetInfo& target_;
  MachineBasicBlock& block_;
  const EmitTargetHooks& hooks_;

  absl::flat_hash_map<uint64_t, Register> registers_;      // of values (SDValue::Key)
  absl::flat_hash_map<NodeId, ArenaId> instrs_;            // of nodes
  absl::flat_hash_map<uint64_t, size_t> record_of_value_;  // index into records_, by SDValue::Key
  std::vector<EmitResultRecord> records_;
  absl::flat_hash_set<Register> own_;                  // made here
  absl::flat_hash_set<Register> shared_;               // that several values have: no use is known to be the last
  absl::flat_hash_map<Register, unsigned> copies_to_;  // virtual registers that CopyToReg nodes define
  absl::flat_hash_set<Register> copied_from_;          // that CopyFromReg nodes read
  absl::flat_hash_set<const SDNode*> bundle_;
  MachineInstr* before_bundle_ = nullptr;  // what the bundle's instructions come behind
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_INSTR_EMITTER_H_

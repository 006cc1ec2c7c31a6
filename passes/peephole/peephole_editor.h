// SPDX-License-Identifier: Apache-2.0

// PeepholeEditor, what the rules of the peephole passes know and do: facts about registers in SSA form, and edits that
// keep the worklist, the kill flags and the debug values right.

#ifndef PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_EDITOR_H_
#define PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_EDITOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "passes/pass_context.h"
#include "passes/peephole/constant_evaluator.h"
#include "ptx/isa/isa_enums.h"

namespace ptxmir::peephole {

// Kinds of sources, as bits. Few instructions have any of them, and a table by register says which.
enum SourceKind : uint8_t {
  kAnySource = 0,
  kMovedSource = 1,     // a register that a mov may define
  kSelectedSource = 2,  // a register that a selp may define
  kNoRegister = 4,      // none of the sources is a register
};

class PeepholeEditor {
 public:
  PeepholeEditor(MachineFunction& function, PassContext& context);
  ~PeepholeEditor();
  PeepholeEditor(const PeepholeEditor&) = delete;
  PeepholeEditor& operator=(const PeepholeEditor&) = delete;

  MachineFunction& function() { return function_; }
  MachineRegisterInfo& reg_info() { return reg_info_; }
  PassContext& context() { return context_; }

  // ---- Facts.
  // Returns the definition of the virtual register that the operand reads, or null if it is no such operand.
  MachineInstr* DefOf(const MachineOperand& use) const;
  // The same, or null if the instruction is of another family.
  MachineInstr* DefOf(const MachineOperand& use, ptx::Family family) const;
  // Returns the value of an operand that is a constant of at most `bits` bits, or a register that one is moved to.
  std::optional<uint64_t> Constant(const MachineOperand& operand, unsigned bits) const;
  // Returns the operand of the move of a constant that defines the register, or null.
  const MachineOperand* MovedConstant(const MachineOperand& use) const;
  // Returns true if nothing but this operand reads the register.
  bool IsOnlyUse(const MachineOperand& use) const;
  unsigned BitsOf(Register reg) const;
  // Returns the kinds of sources that the instruction may have.
  uint8_t SourceKinds(const MachineInstr& instr) const;
  bool Supports(Opcode opcode) const;
  // Returns the single result of the instruction with a register in place of which `value` stands; null stands for no
  // register. Returns nullopt if another register is not constant.
  std::optional<uint64_t> Evaluate(const MachineInstr& instr, Register reg, uint64_t value);

  // ---- Edits. Each returns true, so that a rule can end with it, or false if it is not possible.
  // Makes all users of the instruction's result read `value`, and erases the instruction.
  bool Replace(MachineInstr& instr, const MachineOperand& value);
  bool ReplaceByConstant(MachineInstr& instr, uint64_t value);
  // Replaces the instruction by one with the same result.
  bool Rewrite(MachineInstr& instr, std::optional<Opcode> opcode, absl::Span<const MachineOperand> sources,
               uint32_t flags = 0);
  // Inserts an instruction with a new result before `before`. The opcode must be supported.
  Register Insert(MachineInstr& before, Opcode opcode, RegClassId reg_class, absl::Span<const MachineOperand> sources);
  // Replaces an operand.
  bool SetOperand(MachineInstr& instr, unsigned operand, const MachineOperand& value);
  // Makes `instr` another opcode with the same operands.
  bool SetOpcode(MachineInstr& instr, Opcode opcode);
  // Makes `producer` another opcode that gives the result of `consumer`, which is erased.
  bool TakeResult(MachineInstr& producer, Opcode opcode, MachineInstr& consumer);
  // Erases an instruction without results, such as a branch.
  void Erase(MachineInstr& instr);
  // Removes one of the two edges from a block, whose branch no longer takes it.
  bool RemoveEdge(MachineBasicBlock& from, MachineBasicBlock& to);
  // Erases the blocks that control cannot reach since edges were removed. Returns true if there were any.
  bool EraseUnreachableBlocks();
  // Returns true if an edge was removed.
  bool changed_control_flow() const { return changed_control_flow_; }

  // ---- The worklist.
  void Push(MachineInstr& instr);
  // Returns the next instruction to look at, or null.
  MachineInstr* Pop();
  // Erases what the last edit has left unused.
  void EraseUnused();
  // Clears the kill flags that the edits may have made wrong.
  void ClearStaleKillFlags();

  // ---- What was refused, for a remark.
  void CountUnfused() { ++num_unfused_; }
  uint64_t num_unfused() const { return num_unfused_; }

 private:
  void PushUsers(Register reg);
  void NoteUse(const MachineOperand& operand);
  void NoteLostUses(const MachineInstr& instr);
  void EraseIfUnused(Register reg);

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  PassContext& context_;
  ConstantEvaluator evaluator_;
  std::vector<MachineInstr*> work_;
  // By virtual register: the kinds of the definitions that were ever pushed. A register may have lost them.
  std::vector<uint8_t> source_kinds_;
  std::vector<Register> lost_a_use_;
  std::vector<Register> read_longer_;
  bool changed_control_flow_ = false;
  bool may_have_unreachable_blocks_ = false;
  uint64_t num_unfused_ = 0;
};

// Returns an operand that reads the register of `use`, without what holds for that place only.
MachineOperand ReadOf(const MachineOperand& use);
inline MachineOperand Immediate(uint64_t value) { return MachineOperand::CreateImm(static_cast<int64_t>(value)); }

}  // namespace ptxmir::peephole

#endif  // PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_EDITOR_H_

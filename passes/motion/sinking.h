// SPDX-License-Identifier: Apache-2.0

// The vocabulary of sinking, which moves computations down the dominator tree: a move, the policy that finds moves,
// and the editor that carries them out.
//
// A policy answers in turn what may move, where to, whether that pays, to which place in the block, and whether it is
// safe there. There are three policies: sink_to_save_registers.h and sink_like_llvm.h, one of which machine-sink
// follows, and that of pressure-sink. register_saving.h has what those that save registers share.

#ifndef PTXMIR_PASSES_MOTION_SINKING_H_
#define PTXMIR_PASSES_MOTION_SINKING_H_

#include <cstdint>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct SinkMove {
  MachineInstr* instr;
  MachineBasicBlock* target;
  MachineInstr* place;  // the instruction of `target` before which `instr` is placed; null: at the end
};

// Returns the block in which a use needs its register. A PHI reads an operand at the end of the block that it comes
// from.
MachineBasicBlock& BlockOfUse(const MachineOperand& use);

class SinkPolicy {
 public:
  SinkPolicy() = default;
  SinkPolicy(const SinkPolicy&) = delete;
  SinkPolicy& operator=(const SinkPolicy&) = delete;
  virtual ~SinkPolicy() = default;

  // Called before the instructions of a block are visited, from the bottom up. Returns false if none may move.
  virtual bool EnterBlock(const MachineBasicBlock& /*block*/) { return true; }

  // Returns true if the instruction may move at all, wherever to.
  virtual bool MayMove(const MachineInstr& instr) = 0;
  // Returns the block to which it should move, or null if there is none.
  virtual MachineBasicBlock* FindTarget(const MachineInstr& instr) = 0;
  // Returns true if the move costs less than it saves.
  virtual bool Pays(const MachineInstr& instr, const MachineBasicBlock& target) = 0;
  virtual MachineInstr* FindPlace(const MachineInstr& instr, MachineBasicBlock& target) const = 0;
  // Returns true if the instruction does the same in its new place.
  virtual bool IsSafe(const SinkMove& /*move*/) { return true; }

  // Returns true if the instruction, if it is a copy, should be coalesced with its source instead.
  virtual bool ShouldCoalesce(const MachineInstr& /*instr*/) const { return false; }
  // Called for an instruction that stays in its block.
  virtual void DidKeep(const MachineInstr& /*instr*/) {}
};

// Carries out moves. machine-rpa follows them if it is given. Debug instructions that read the results of a moved
// instruction become undefined.
class SinkEditor {
 public:
  // `pressure` may be null.
  SinkEditor(MachineFunction& function, MachineRegisterPressure* pressure)
      : reg_info_(function.reg_info()), pressure_(pressure) {}

  void Move(const SinkMove& move);
  // Erases a copy, the only use of its source, which takes the place of the copy's result.
  void Coalesce(MachineInstr& copy);
  // Notes that a register is read at a new place.
  void DidExtend(Register reg) { extended_.push_back(reg); }
  // Clears the kill flags of all registers that are read at new places. To be called after the last edit.
  void Finish();

  uint64_t num_changes() const { return num_changes_; }  // instructions that were moved or erased

 private:
  MachineRegisterInfo& reg_info_;
  MachineRegisterPressure* const pressure_;
  std::vector<Register> extended_;
  uint64_t num_changes_ = 0;
};

// Sinks the instructions of a block as the policy says.
void SinkFrom(MachineBasicBlock& block, SinkPolicy& policy, SinkEditor& editor);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_SINKING_H_

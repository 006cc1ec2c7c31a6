// SPDX-License-Identifier: Apache-2.0

// The edits of nvptx-remat-block: inserts clones of definitions before uses, makes uses read the clones, undoes
// the edits if they did not help, and erases instructions that are no longer used.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_EDITOR_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_EDITOR_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "passes/remat/block_remat_values.h"

namespace ptxmir {

class RematEditor {
 public:
  // `pressure`, unless null, is notified of each clone and each rewritten use.
  explicit RematEditor(MachineFunction& function, MachineRegisterPressure* pressure = nullptr)
      : function_(function), reg_info_(function.reg_info()), pressure_(pressure) {}

  // Inserts a clone of `definition` into `block` before `before` (null: at the end) and returns the clone's
  // register that corresponds to `reg`. The clone reads the registers that `operands` maps the original's operands
  // to, and the original operands where there is no mapping.
  using Renaming = absl::flat_hash_map<uint32_t, Register>;
  Register Clone(MachineInstr& definition, Register reg, MachineBasicBlock& block, MachineInstr* before,
                 const Renaming& operands);
  // Makes the operand read `to`.
  void Rewrite(MachineOperand& use, Register to);
  // Returns the register before all edits that has the same value: for the result of a clone, the original's
  // result.
  Register Origin(Register reg) const {
    const uint32_t index = reg.virtual_index();
    return index < origins_.size() && origins_[index].is_valid() ? origins_[index] : reg;
  }

  // Treats the current state as the original from here on.
  void ForgetOrigins() { origins_.clear(); }

  // Undoes all edits since the last Keep. A pressure that was notified of them must be recomputed then.
  void Undo();
  // Makes the edits so far final. Erases original definitions that are no longer read and, transitively, the
  // computations that only they read. Debug instructions that name an erased register become undefined. Notifies
  // `pressure`, unless it is null, of what it erases. Returns the number of erased instructions.
  uint32_t Keep(RematValues& values, MachineRegisterPressure* pressure);

  bool has_edits() const { return !rewrites_.empty() || !clones_.empty(); }
  uint32_t num_clones() const { return static_cast<uint32_t>(clones_.size()); }
  uint32_t num_rewrites() const { return static_cast<uint32_t>(rewrites_.size()); }

 private:
  struct RewrittenUse {
    MachineOperand* operand;
    Register from;
  };

  void NoteOrigin(Register clone, Register original);
  bool IsUnused(const MachineInstr& instr) const;
  void EraseUnused(MachineInstr& instr, RematValues& values, MachineRegisterPressure* pressure);

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  MachineRegisterPressure* const pressure_;
  std::vector<MachineInstr*> clones_;
  std::vector<RewrittenUse> rewrites_;
  std::vector<Register> origins_;    // by register
  std::vector<bool> without_kills_;  // by register: its kill flags have been cleared
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_EDITOR_H_

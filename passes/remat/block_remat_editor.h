// SPDX-License-Identifier: Apache-2.0

// Edits of nvptx-remat-block: puts clones of definitions before uses, lets uses read them, takes all of it back when
// it did not help, and removes what nothing reads any more.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_EDITOR_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_EDITOR_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/machine_register_pressure.h"
#include "passes/remat/block_remat_values.h"

namespace ptxmir {

class RematEditor {
 public:
  // `pressure`, unless null, is told of each edit.
  explicit RematEditor(MachineFunction& function, MachineRegisterPressure* pressure = nullptr)
      : function_(function), reg_info_(function.reg_info()), pressure_(pressure) {}

  // A clone of `definition` in `block` before `before` (null: at the end), which computes what the original computed
  // in `reg`. It reads `operands` in place of the registers that the original first read; what is not there it reads
  // itself.
  using Renaming = absl::flat_hash_map<uint32_t, Register>;
  Register Clone(MachineInstr& definition, Register reg, MachineBasicBlock& block, MachineInstr* before,
                 const Renaming& operands);
  // Lets the operand read `to`.
  void Rewrite(MachineOperand& use, Register to);
  // The register of before all edits that has the same value: of one that a clone defines, that of the original.
  Register Origin(Register reg) const {
    const uint32_t index = reg.virtual_index();
    return index < origins_.size() && origins_[index].is_valid() ? origins_[index] : reg;
  }

  // What there is now counts as original from here on.
  void ForgetOrigins() { origins_.clear(); }

  // Takes all edits since the last Keep back. Not for who wants the pressure to be told.
  void Undo();
  // Makes the edits so far final. Removes original definitions that nothing reads any more and, in a cascade, what
  // only they read. Debug instructions that name what goes say "undefined". Returns the number of instructions.
  uint32_t Keep(RematValues& values);

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
  void EraseUnused(MachineInstr& instr);

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

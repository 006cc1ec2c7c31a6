// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/dead_instr_elimination.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// Returns true if nothing but the results of the instruction can be needed, and all of them are virtual registers.
bool IsErasedIfUnneeded(const MachineInstr& instr) {
  if (instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) return false;
  if (instr.num_operands() == 0 || !instr.operand(0).is_def()) return false;
  const bool has_virtual_results =
      std::all_of(instr.operands().begin(), instr.operands().end(),
                  [](const MachineOperand& operand) { return !operand.is_def() || operand.reg().is_virtual(); });
  return has_virtual_results && (instr.is_phi() || IsDeletableIfUnused(instr));
}

// The virtual registers that needed instructions read.
class NeededRegisters {
 public:
  explicit NeededRegisters(const MachineFunction& function)
      : reg_info_(function.reg_info()), is_needed_(reg_info_.num_virtual_registers()) {}

  // Marks what a needed instruction reads, but not yet what the definitions of that read.
  void AddOperands(const MachineInstr& instr) {
    for (const MachineOperand& use : VirtualUses(instr)) {
      if (is_needed_[use.reg().virtual_index()]) continue;
      is_needed_[use.reg().virtual_index()] = true;
      work_.push_back(use.reg());
    }
  }

  // Marks what the definitions of all marked registers read, and so on.
  void Close() {
    while (!work_.empty()) {
      const Register reg = work_.back();
      work_.pop_back();
      for (const MachineOperand& def : reg_info_.Defs(reg)) AddOperands(*def.parent());
    }
  }

  bool ContainsResultOf(const MachineInstr& instr) const {
    const auto defs = VirtualDefs(instr);
    return std::any_of(defs.begin(), defs.end(),
                       [&](const MachineOperand& def) { return is_needed_[def.reg().virtual_index()]; });
  }

 private:
  const MachineRegisterInfo& reg_info_;
  std::vector<bool> is_needed_;  // by virtual register
  std::vector<Register> work_;
};

}  // namespace

PassResult RunDeadInstrElimination(MachineFunction& function, PassContext& context) {
  NeededRegisters needed(function);
  std::vector<MachineInstr*> candidates;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      if (IsErasedIfUnneeded(instr)) {
        candidates.push_back(&instr);
      } else if (!instr.is_debug()) {
        needed.AddOperands(instr);
      }
    }
  }
  needed.Close();
  uint64_t num_erased = 0;
  for (MachineInstr* const instr : candidates) {
    if (needed.ContainsResultOf(*instr)) continue;
    for (const MachineOperand& def : VirtualDefs(*instr)) DropDebugUses(function.reg_info(), def.reg());
    instr->EraseFromParent();
    ++num_erased;
  }
  context.AddStatistic("dead instructions erased", num_erased);
  return {.changed = num_erased > 0, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir

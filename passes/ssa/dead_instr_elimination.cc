// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/dead_instr_elimination.h"

#include <algorithm>
#include <cstdint>
#include <utility>
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

// Looks for a reason to run the pass, from the uses of registers. Among unneeded instructions in SSA form is one whose
// results nothing reads, or a cycle, which has a PHI. (Without a PHI, it is in unreachable code, and stays.)
class QuickLook {
 public:
  explicit QuickLook(const MachineFunction& function)
      : function_(function), reg_info_(function.reg_info()), followed_for_(reg_info_.num_virtual_registers()) {}

  // Returns true if all instructions are needed. Returns false if one is not, or if that would take long to find out.
  bool FindsAllNeeded() { return AreAllResultsRead() && AreAllPhisNeeded(); }

 private:
  static constexpr uint32_t kNeeded = ~uint32_t{0};

  bool IsUnread(const MachineInstr& instr) const {
    const auto defs = VirtualDefs(instr);
    return std::all_of(defs.begin(), defs.end(),
                       [&](const MachineOperand& def) { return reg_info_.NonDebugUses(def.reg()).empty(); });
  }

  bool AreAllResultsRead() const {
    for (uint32_t i = 0; i < reg_info_.num_virtual_registers(); ++i) {
      const Register reg = Register::Virtual(i);
      if (!reg_info_.NonDebugUses(reg).empty()) continue;
      for (const MachineOperand& def : reg_info_.Defs(reg)) {
        if (IsErasedIfUnneeded(*def.parent()) && IsUnread(*def.parent())) return false;
      }
    }
    return true;
  }

  bool AreAllPhisNeeded() {
    if (!function_.MayContain(generic::kPhi)) return true;
    for (const MachineBasicBlock& block : function_) {
      for (const MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
        const Register result = phi->operand(0).reg();
        if (!LeadsToNeeded(result)) return false;
        followed_for_[result.virtual_index()] = kNeeded;
      }
    }
    return true;
  }

  // Returns true if the register is found to be read, through others, by an instruction that is needed.
  bool LeadsToNeeded(Register first) {
    followed_.assign(1, first);
    ++num_phis_;
    for (size_t i = 0; i < followed_.size(); ++i) {
      for (const MachineOperand& use : reg_info_.NonDebugUses(followed_[i])) {
        const MachineInstr& user = *use.parent();
        if (!IsErasedIfUnneeded(user)) return true;
        const Register result = user.operand(0).reg();
        uint32_t& followed_for = followed_for_[result.virtual_index()];
        if (followed_for == kNeeded) return true;
        if (std::exchange(followed_for, num_phis_) == num_phis_) continue;
        followed_.push_back(result);
        if (++num_followed_ > followed_for_.size()) return false;
      }
    }
    return false;
  }

  const MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  // By virtual register: the last PHI, counted from 1, from which it was followed, or kNeeded.
  std::vector<uint32_t> followed_for_;
  std::vector<Register> followed_;
  uint32_t num_phis_ = 0;
  size_t num_followed_ = 0;
};

}  // namespace

PassResult RunDeadInstrElimination(MachineFunction& function, PassContext& context) {
  if (function.HasProperty(FunctionProperty::kIsSsa) && QuickLook(function).FindsAllNeeded()) {
    context.AddStatistic("dead instructions erased", 0);
    return {};
  }
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

// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/hoist_common_code.h"

#include <algorithm>
#include <vector>

#include "passes/ssa/expression_table.h"
#include "passes/ssa/instr_properties_like_llvm.h"
#include "passes/support/block_ending.h"

namespace ptxmir {
namespace {

// A register mask affects many registers at once.
bool IsRegisterMask(const MachineOperand& operand) { return operand.kind() == MachineOperand::Kind::kRegisterMask; }

class CommonCodeHoister {
 public:
  // Hoists code above the branch at the end of `block`.
  explicit CommonCodeHoister(MachineBasicBlock& block) : block_(block) { FindPlace(); }

  uint64_t Hoist(MachineBasicBlock& taken, MachineBasicBlock& otherwise) {
    uint64_t num_hoisted = 0;
    while (place_ != nullptr && BeginAlike(taken, otherwise)) {
      MachineInstr *const first = taken.FirstNonDebug(), *const second = otherwise.FirstNonDebug();
      if (!MayPassPlace(*first)) break;
      JoinFlags(*first, *second);
      if (first->debug_loc() != second->debug_loc()) first->set_debug_loc(MachineInstr::kNoDebugLoc);
      second->EraseFromParent();
      first->RemoveFromParent();
      block_.Insert(place_, first);
      ++num_hoisted;
    }
    return num_hoisted;
  }

  static bool BeginAlike(const MachineBasicBlock& a, const MachineBasicBlock& b) {
    const MachineInstr *const first = a.FirstNonDebug(), *const second = b.FirstNonDebug();
    if (first == nullptr || second == nullptr || !MayMove(*first) || !MayMove(*second) ||
        !IsSameExpression(*first, *second, SourceOrder::kGiven)) {
      return false;
    }
    for (unsigned i = 0; i < first->num_explicit_defs(); ++i) {
      if (!first->operand(i).IsIdenticalTo(second->operand(i))) return false;
    }
    return true;
  }

 private:
  using Registers = std::vector<Register>;  // only a few

  static bool Contains(const Registers& registers, Register reg) {
    return std::find(registers.begin(), registers.end(), reg) != registers.end();
  }

  // Finds the place for hoisted code, and collects the registers that are read and written from there to the end
  // of the block.
  void FindPlace() {
    MachineInstr* const branch = block_.FirstTerminator();
    if (branch == nullptr || !Note(*branch) || !written_.empty()) return;
    place_ = branch;
    MachineInstr* previous = branch->previous();
    while (previous != nullptr && previous->is_debug()) previous = previous->previous();
    if (previous == nullptr) return;
    const auto operands = previous->operands();
    const bool is_condition = std::any_of(operands.begin(), operands.end(), [&](const MachineOperand& operand) {
      return operand.is_def() && Contains(read_, operand.reg());
    });
    if (!is_condition) return;
    place_ = MayMove(*previous) && Note(*previous) ? previous : nullptr;
  }

  // Collects the registers of an instruction. Returns false if it is not certain that these are all.
  bool Note(const MachineInstr& instr) {
    for (const MachineOperand& operand : instr.operands()) {
      if (IsRegisterMask(operand)) return false;
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      (operand.is_def() ? written_ : read_).push_back(operand.reg());
    }
    return true;
  }

  static bool MayMove(const MachineInstr& instr) {
    bool saw_store = true;
    return like_llvm::IsSafeToMove(instr, saw_store) && !like_llvm::IsConvergent(instr);
  }

  // Returns true if the instruction writes no register that is read or written after the place and reads none that
  // is written there.
  bool MayPassPlace(const MachineInstr& instr) const {
    return std::all_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
      if (!operand.is_reg() || !operand.reg().is_valid()) return !IsRegisterMask(operand);
      return !Contains(written_, operand.reg()) && (operand.is_use() || !Contains(read_, operand.reg()));
    });
  }

  // Merges flags. A use is the last one if it is so in both targets and the register is not read after the place.
  void JoinFlags(MachineInstr& kept, const MachineInstr& gone) const {
    KeepCommonPromises(kept, gone);
    for (unsigned i = 0; i < kept.num_operands(); ++i) {
      MachineOperand& operand = kept.operand(i);
      if (!operand.is_use() || !operand.is_kill()) continue;
      if (!gone.operand(i).is_kill() || Contains(read_, operand.reg())) {
        operand.set_reg_flag(MachineOperand::kKill, false);
      }
    }
  }

  MachineBasicBlock& block_;
  MachineInstr* place_ = nullptr;  // null if there is none
  Registers read_, written_;
};

}  // namespace

uint64_t HoistCommonCode(MachineFunction& function) {
  uint64_t num_hoisted = 0;
  for (MachineBasicBlock& block : function) {
    const BlockEnding ending = EndingOf(block);
    if (!ending.is_conditional()) continue;
    MachineBasicBlock* const taken = ending.taken;
    MachineBasicBlock* const otherwise = ending.otherwise != nullptr ? ending.otherwise : block.next();
    if (otherwise == nullptr || taken == otherwise || taken == &block || otherwise == &block ||
        taken->predecessors().size() > 1 || otherwise->predecessors().size() > 1 ||
        !CommonCodeHoister::BeginAlike(*taken, *otherwise)) {
      continue;
    }
    num_hoisted += CommonCodeHoister(block).Hoist(*taken, *otherwise);
  }
  return num_hoisted;
}

}  // namespace ptxmir

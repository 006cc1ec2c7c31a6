// SPDX-License-Identifier: Apache-2.0

// Determines which values can be recomputed and at what cost, for nvptx-remat-block.
//
// A value can be recomputed wherever its operands are available if its register has a single definition (cicc's
// MULTIDEF check) and the instruction meets one of two conditions. Either it has no effect and always gives the
// same result; this is a property in the instruction tables (PtxInstrInfo::is_rematerializable) that covers
// special registers, constants, addresses and arithmetic. Or it is a plain load of memory that is not written
// while the function runs, as memory-dependence proves. Convergent, volatile and atomic instructions never
// qualify. Answers are cached by register, so edits must not change definitions; Forget() announces one that is erased.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_VALUES_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_VALUES_H_

#include <cstdint>
#include <vector>

#include "analysis/values/memory_dependence.h"
#include "mir/code/operand_ranges.h"
#include "passes/pass_context.h"
#include "passes/remat/block_remat_pressure.h"

namespace ptxmir {

class RematValues {
 public:
  RematValues(MachineFunction& function, PassContext& context, RegisterFile file = RegisterFile::kRegisters);

  // Returns the instruction that can be executed again to compute the register, or null if there is none.
  MachineInstr* Definition(Register reg) {
    if (!reg.is_virtual()) return nullptr;
    const uint32_t index = reg.virtual_index();
    return index < answers_.size() && answers_[index].is_known ? answers_[index].definition : FindDefinition(reg);
  }
  // To be called before the definition of the register is erased.
  void Forget(Register reg) {
    if (reg.is_virtual() && reg.virtual_index() < answers_.size()) answers_[reg.virtual_index()] = {nullptr, true};
  }
  // Returns the cost of executing the instruction once, in units of a plain instruction: 1 for cheap instructions,
  // -nv-remat-block-load-cost for loads, and for others a value derived from how long they occupy their functional
  // unit.
  uint32_t Cost(const MachineInstr& instr) const;
  // Returns the number of registers of the file that `reg` needs; 0 if it is in the other one.
  uint32_t Units(Register reg) const { return units_[reg_info_.reg_class(reg)]; }
  // Calls `visit` with each register that the instruction reads.
  template <typename Visit>
  static void ForEachOperand(const MachineInstr& instr, Visit visit) {
    for (const MachineOperand& use : VirtualUses(instr)) visit(use.reg());
  }

 private:
  struct Answer {
    MachineInstr* definition = nullptr;  // null: it cannot be recomputed
    bool is_known = false;
  };

  MachineInstr* FindDefinition(Register reg);
  bool CanClone(const MachineInstr& instr);
  bool HasPlainOperands(const MachineInstr& instr) const;
  bool IsCloneableLoad(const MachineInstr& instr);

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  MemoryDependence* memory_ = nullptr;  // requested when the first load is seen
  const bool loads_;
  const bool parameter_loads_;
  const bool address_conversions_;
  const uint32_t load_cost_;
  std::vector<uint32_t> units_;  // by register class
  std::vector<Answer> answers_;  // by register
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_VALUES_H_

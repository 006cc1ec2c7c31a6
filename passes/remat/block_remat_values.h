// SPDX-License-Identifier: Apache-2.0

// Which values can be computed again, and what that costs: for nvptx-remat-block.
//
// A value can be computed again where its operands are at hand if its register has one definition (the reference's
// MULTIDEF check) and the instruction has no effect and always gives the same: a property of the instruction tables
// (PtxInstrInfo::is_rematerializable), with which special registers, constants, addresses and arithmetic are covered;
// or if it is a plain load of memory that nobody writes while the function runs, as memory-dependence proves. What is
// convergent, volatile or atomic never is. Answers are kept by register; an edit must not change what defines one.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_VALUES_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_VALUES_H_

#include <cstdint>
#include <vector>

#include "analysis/memory_dependence.h"
#include "passes/pass.h"

namespace ptxmir {

class RematValues {
 public:
  RematValues(MachineFunction& function, PassContext& context);

  // The instruction that may be executed again to give the register; null when there is none.
  MachineInstr* Definition(Register reg);
  // Executing it once, in plain instructions: 1 for those that are cheap, -nv-remat-block-load-cost for loads, for
  // others by how long they keep their unit busy.
  uint32_t Cost(const MachineInstr& instr) const;
  // 32-bit registers; 0 for predicates.
  uint32_t Units(Register reg) const { return units_[reg_info_.reg_class(reg)]; }
  // Calls `visit` with each register that the instruction reads.
  template <typename Visit>
  static void ForEachOperand(const MachineInstr& instr, Visit visit) {
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_use() && operand.reg().is_virtual()) visit(operand.reg());
    }
  }

 private:
  enum class Answer : uint8_t { kUnknown, kNo, kYes };

  bool CanClone(const MachineInstr& instr);
  bool HasPlainOperands(const MachineInstr& instr) const;
  bool IsCloneableLoad(const MachineInstr& instr);

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  MemoryDependence* memory_ = nullptr;  // asked for when there is a load
  const bool loads_;
  const bool parameter_loads_;
  const bool address_conversions_;
  const uint32_t load_cost_;
  std::vector<uint32_t> units_;  // by register class
  std::vector<Answer> answers_;  // by register
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_VALUES_H_

// SPDX-License-Identifier: Apache-2.0

// The registers that a thread has at each point of a kernel that changes their number with setmaxnreg.
//
// Kernels whose warps have different tasks hand registers from some warps to others: warps that only copy give up all
// but 24 or 40 (setmaxnreg.dec), and warps that compute get 232 or 240 (setmaxnreg.inc). The instruction is an opcode
// or, in most programs, inline assembly. Experiments show what ptxas 13 makes of it (docs/ptxas.md):
//
// - It compiles the code after a setmaxnreg into that many registers, and spills what exceeds them.
// - Where paths with different counts meet, the lowest one counts.
// - It ignores all setmaxnreg of a kernel unless the count at the entry is given, by -maxreg, .maxnreg, or
//   .minnctapersm with the size of a CTA. The size alone is not enough.
//
// The counts solve a forward data-flow problem with the minimum as its meet.

#ifndef PTXMIR_ANALYSIS_PRESSURE_RECONFIGURED_REGISTERS_H_
#define PTXMIR_ANALYSIS_PRESSURE_RECONFIGURED_REGISTERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/pressure/register_budget.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// The 32-bit registers that are taken away from a thread, compared with the entry of the function. Negative numbers are
// registers that it was given. A pass that adds them to the pressure can compare the sum with the target of the
// function.
class ReconfiguredRegisters {
 public:
  // Returns nothing if a thread has as many registers everywhere. Takes time in proportion to the function.
  static std::optional<ReconfiguredRegisters> Of(const MachineFunction& function, const RegisterBudget& budget);

  // Returns true for a setmaxnreg.
  static bool IsChange(const MachineInstr& instr);

  // Returns true if the block has a setmaxnreg.
  bool ChangesIn(const MachineBasicBlock& block) const { return blocks_[block.number()].changes; }
  int32_t TakenAtStart(const MachineBasicBlock& block) const { return TakenAway(blocks_[block.number()].at_start); }
  int32_t TakenAtEnd(const MachineBasicBlock& block) const { return TakenAway(blocks_[block.number()].at_end); }
  // Returns the registers taken away just before an instruction. Searches up to the setmaxnreg before it.
  int32_t TakenBefore(const MachineInstr& instr) const;
  // Replaces `taken` by the registers taken away at each instruction of the block, in order. Debug instructions are
  // left out. A setmaxnreg has those before or after it, whichever are more.
  void TakenAtInstrs(const MachineBasicBlock& block, std::vector<int32_t>& taken) const;

 private:
  struct BlockCounts {
    uint32_t at_start;
    uint32_t at_end;
    bool changes;
  };

  explicit ReconfiguredRegisters(uint32_t at_entry) : at_entry_(at_entry) {}
  int32_t TakenAway(uint32_t count) const { return static_cast<int32_t>(at_entry_) - static_cast<int32_t>(count); }
  void Solve(const MachineFunction& function);

  uint32_t at_entry_;
  std::vector<BlockCounts> blocks_;  // by block number
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_RECONFIGURED_REGISTERS_H_

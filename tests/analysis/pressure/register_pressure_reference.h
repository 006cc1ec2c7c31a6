// SPDX-License-Identifier: Apache-2.0

// Register pressure by its definition, computed for each instruction and register: a register is live at a point if
// a path leads from there to a read of the register without passing a definition.

#ifndef PTXMIR_TESTS_ANALYSIS_PRESSURE_REGISTER_PRESSURE_REFERENCE_H_
#define PTXMIR_TESTS_ANALYSIS_PRESSURE_REGISTER_PRESSURE_REFERENCE_H_

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir::reference {

class RegisterPressures {
 public:
  explicit RegisterPressures(const MachineFunction& function);

  struct Block {
    std::vector<const MachineInstr*> phis;
    std::vector<const MachineInstr*> body;        // neither PHIs nor debug instructions
    std::vector<std::set<uint32_t>> live_before;  // before each instruction of the body; then at the end
    std::set<uint32_t> live_in;                   // without results of PHIs
  };
  const Block& block(BlockNumber number) const { return blocks_[number]; }

  // Returns the pressures in the form of MachineRegisterPressure.
  std::vector<InstrPressure> Instrs(BlockNumber number) const;
  BlockPressure Pressure(BlockNumber number) const;

 private:
  bool Counts(uint32_t reg) const;
  RegisterPressure Count(const std::set<uint32_t>& registers) const;
  std::set<uint32_t> AfterPhis(const Block& block) const { return block.live_before.front(); }
  std::set<uint32_t> Results(const MachineInstr& instr) const;
  std::set<uint32_t> Reads(const MachineInstr& instr) const;
  std::set<uint32_t> AtEntry(const Block& block) const;
  InstrPressure At(const MachineInstr& instr, const std::set<uint32_t>& before, const std::set<uint32_t>& after) const;
  void Reach(uint32_t reg, BlockNumber block, size_t point);

  const MachineFunction& function_;
  std::vector<Block> blocks_;
};

}  // namespace ptxmir::reference

#endif  // PTXMIR_TESTS_ANALYSIS_PRESSURE_REGISTER_PRESSURE_REFERENCE_H_

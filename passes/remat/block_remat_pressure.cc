// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_pressure.h"

namespace ptxmir {

void RematPressure::AtInstrs(const MachineBasicBlock& block, std::vector<uint32_t>& amounts) const {
  if (file_ == RegisterFile::kRegisters) {
    measured_.UnitsAtInstrs(block, amounts);
    return;
  }
  amounts.clear();
  for (const InstrPressure& at_instr : measured_.Instrs(block)) amounts.push_back(at_instr.peak().predicates());
}

}  // namespace ptxmir

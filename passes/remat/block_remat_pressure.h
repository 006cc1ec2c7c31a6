// SPDX-License-Identifier: Apache-2.0

// The register pressure that a rematerialization is to lower. ptxas has two register files: 32-bit registers, of which
// a value takes as many as its class needs, and predicates, which it moves into those registers when more than seven
// are live.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_PRESSURE_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_PRESSURE_H_

#include <cstdint>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/reconfigured_registers.h"

namespace ptxmir {

enum class RegisterFile : uint8_t { kRegisters, kPredicates };

// The measurements of machine-rpa for one of the files. Registers that setmaxnreg takes away from a thread count as if
// they were live, so that one target holds for the whole function.
class RematPressure {
 public:
  // `reconfigured` may be null.
  RematPressure(const MachineRegisterPressure& measured, RegisterFile file, const ReconfiguredRegisters* reconfigured)
      : measured_(measured), file_(file), reconfigured_(reconfigured) {}

  uint32_t Max() const;
  uint32_t Peak(const MachineBasicBlock& block) const;
  uint32_t AtEnd(const MachineBasicBlock& block) const;
  // Replaces `amounts` by the pressure at each instruction of the block, in order.
  void AtInstrs(const MachineBasicBlock& block, std::vector<uint32_t>& amounts) const;
  // Returns the blocks with a peak above the limit, in layout order.
  std::vector<MachineBasicBlock*> BlocksOver(uint32_t limit) const;

 private:
  uint32_t OfPeak(const PeakPressure& peak) const {
    return file_ == RegisterFile::kPredicates ? peak.predicates() : peak.units;
  }

  const MachineRegisterPressure& measured_;
  const RegisterFile file_;
  const ReconfiguredRegisters* const reconfigured_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_PRESSURE_H_

// SPDX-License-Identifier: Apache-2.0

// The bits of each virtual register that anything depends on. A mask or an extension that only changes bits that nobody
// demands is not needed.
//
// The search is backward from the instructions that do more than compute, and optimistic: nothing is demanded until
// something demands it (LLVM's DemandedBits). What an operation demands of its operands follows from what is demanded
// of its result; no known bits are used, so that the answer stays right while masks are removed. A register whose
// demand grows often is demanded as a whole, so the search is linear.

#ifndef PTXMIR_PASSES_INTEGERS_DEMANDED_BITS_H_
#define PTXMIR_PASSES_INTEGERS_DEMANDED_BITS_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

class DemandedBits {
 public:
  explicit DemandedBits(const MachineFunction& function);

  // Returns the bits of a virtual register that matter.
  uint64_t Of(Register reg) const { return demanded_[reg.virtual_index()]; }

 private:
  static constexpr uint8_t kMaxUpdates = 6;

  void AddDemandsOf(const MachineInstr& instr);
  void Demand(const MachineOperand& use, uint64_t bits);
  void DemandAllSources(const MachineInstr& instr);

  const MachineFunction& function_;
  std::vector<uint64_t> demanded_;  // by virtual register
  std::vector<uint8_t> num_updates_;
  std::vector<Register> work_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_INTEGERS_DEMANDED_BITS_H_

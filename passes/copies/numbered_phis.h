// SPDX-License-Identifier: Apache-2.0

// The PHIs of a function, numbered in layout order, for the two parts of opt-phis.

#ifndef PTXMIR_PASSES_COPIES_NUMBERED_PHIS_H_
#define PTXMIR_PASSES_COPIES_NUMBERED_PHIS_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

class NumberedPhis {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  explicit NumberedPhis(MachineFunction& function) : number_of_(function.reg_info().num_virtual_registers(), kNone) {
    for (MachineBasicBlock& block : function) {
      for (MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
        number_of_[phi->operand(0).reg().virtual_index()] = size();
        phis_.push_back(phi);
      }
    }
  }

  // Returns the number of PHIs, with those that were erased.
  uint32_t size() const { return static_cast<uint32_t>(phis_.size()); }
  // The PHI must not be erased.
  MachineInstr& phi(uint32_t number) const { return *phis_[number]; }
  Register ResultOf(uint32_t number) const { return phi(number).operand(0).reg(); }
  // Returns the number of the PHI that defines the register, also after it was erased, or kNone.
  uint32_t NumberOf(Register reg) const { return reg.is_virtual() ? number_of_[reg.virtual_index()] : kNone; }

  bool IsErased(uint32_t number) const { return phis_[number] == nullptr; }
  void Erase(uint32_t number) {
    phis_[number]->EraseFromParent();
    phis_[number] = nullptr;
  }

 private:
  std::vector<MachineInstr*> phis_;  // null: erased
  std::vector<uint32_t> number_of_;  // by virtual register
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_NUMBERED_PHIS_H_

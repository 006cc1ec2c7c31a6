// SPDX-License-Identifier: Apache-2.0

// Deleting instructions whose results are used, for the reducer's steps.

#ifndef PTXMIR_TOOLS_REDUCE_VALUE_REPLACEMENT_H_
#define PTXMIR_TOOLS_REDUCE_VALUE_REPLACEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/machine_function.h"
#include "mir/verify/verifier_dominance.h"

namespace ptxmir {

// Finds a register that can stand for another, in a function whose control flow does not change meanwhile. Only
// registers with one definition are considered. Instructions that are put in place of others later are unknown as
// places, but their registers are known by where their first definition was.
class ValueReplacement {
 public:
  explicit ValueReplacement(MachineFunction& function);

  // Deletes an instruction. Uses of a result read, where there is one, another register of its class: one that the
  // instruction itself reads, or the first of the function that is defined on all ways to here; otherwise (and
  // always with `leave_undefined`) the result is defined by an IMPLICIT_DEF in the place of the instruction.
  void Delete(MachineInstr& instr, bool leave_undefined);
  // The register of the class that is defined first, in the order of the text, among those that have a value at
  // `instr`; invalid when there is none.
  Register FirstAvailable(const MachineInstr& instr, RegClassId reg_class) const;

 private:
  struct Place {
    const MachineBasicBlock* block = nullptr;
    uint32_t position = 0;  // in the order of the text
  };
  struct Definition {
    Register reg;
    Place place;
  };

  bool IsAvailable(Register reg, const Place& defined, const MachineInstr& instr, const Place& used) const;
  // Of what the instruction reads itself.
  Register AvailableOperand(const MachineInstr& instr, Register result) const;

  MachineFunction& function_;
  BlockDominance dominance_;
  absl::flat_hash_map<const MachineInstr*, Place> places_;
  std::vector<Place> definitions_;                          // by virtual register
  std::vector<std::vector<Definition>> class_definitions_;  // by class, in the order of the text
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_VALUE_REPLACEMENT_H_

// SPDX-License-Identifier: Apache-2.0

// ValueReplacement: deletes instructions whose results are used, for the reducer's steps.

#ifndef PTXMIR_TOOLS_REDUCE_VALUE_REPLACEMENT_H_
#define PTXMIR_TOOLS_REDUCE_VALUE_REPLACEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/machine_function.h"
#include "mir/verify/verifier_dominance.h"

namespace ptxmir {

// Finds a register that can replace another, in a function whose control flow must not change in the meantime.
// Only registers with one definition are considered. The positions of instructions that later replace others are
// unknown, but the positions of their registers are known from the original definitions.
class ValueReplacement {
 public:
  explicit ValueReplacement(MachineFunction& function);

  // Deletes an instruction. Uses of a result are replaced by another register of its class, if there is one: a
  // register that the instruction reads, or the first register of the function that is defined on all paths to the
  // instruction. Otherwise (and always with `leave_undefined`) an IMPLICIT_DEF in place of the instruction defines
  // the result.
  void Delete(MachineInstr& instr, bool leave_undefined);
  // Returns the register of the class with the first definition, in text order, among those that have a value at
  // `instr`. Returns an invalid register if there is none.
  Register FirstAvailable(const MachineInstr& instr, RegClassId reg_class) const;

 private:
  struct Place {
    const MachineBasicBlock* block = nullptr;
    uint32_t position = 0;  // in text order
  };
  struct Definition {
    Register reg;
    Place place;
  };

  bool IsAvailable(Register reg, const Place& defined, const MachineInstr& instr, const Place& used) const;
  // Returns a register that the instruction reads and that can replace `result`, or an invalid register.
  Register AvailableOperand(const MachineInstr& instr, Register result) const;

  MachineFunction& function_;
  BlockDominance dominance_;
  absl::flat_hash_map<const MachineInstr*, Place> places_;
  std::vector<Place> definitions_;                          // indexed by virtual register
  std::vector<std::vector<Definition>> class_definitions_;  // indexed by class, in text order
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_VALUE_REPLACEMENT_H_

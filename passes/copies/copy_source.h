// SPDX-License-Identifier: Apache-2.0

#ifndef PTXMIR_PASSES_COPIES_COPY_SOURCE_H_
#define PTXMIR_PASSES_COPIES_COPY_SOURCE_H_

#include "mir/code/machine_function.h"

namespace ptxmir {

// The number of copies that are looked through in a row.
inline constexpr int kMaxCopies = 16;

// Returns the register that `reg` is a copy of, if its only definition is a plain copy within a register class.
// Otherwise returns an invalid register.
inline Register CopySource(const MachineRegisterInfo& reg_info, Register reg) {
  const MachineInstr* const def = reg_info.UniqueDef(reg);
  if (def == nullptr || !def->is_copy() || def->num_operands() != 2 || !def->operand(1).reads_reg()) return Register();
  const Register source = def->operand(1).reg();
  if (!source.is_virtual() || reg_info.reg_class(source) != reg_info.reg_class(reg)) return Register();
  return source;
}

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_COPY_SOURCE_H_

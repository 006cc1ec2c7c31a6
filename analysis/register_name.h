// SPDX-License-Identifier: Apache-2.0

// RegisterName: a register as MIR spells it, "%5", "%named" or "$physical", for printers of analyses.

#ifndef PTXMIR_ANALYSIS_REGISTER_NAME_H_
#define PTXMIR_ANALYSIS_REGISTER_NAME_H_

#include <string>

#include "base/str_cat.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

inline std::string RegisterName(const MachineFunction& function, Register reg) {
  if (!reg.is_valid()) return "$noreg";
  if (reg.is_virtual()) {
    const std::string_view name = function.reg_info().name(reg);
    return name.empty() ? StrCat("%", reg.virtual_index()) : StrCat("%", name);
  }
  const absl::Span<const PhysRegDesc> registers = function.target().phys_regs;
  return reg.bits() < registers.size() ? StrCat("$", registers[reg.bits()].name) : StrCat("$", reg.bits());
}

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_REGISTER_NAME_H_

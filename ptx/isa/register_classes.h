// SPDX-License-Identifier: Apache-2.0

// The register classes of PTX: one table for the generator of the instruction tables and for the target.

#ifndef PTXMIR_PTX_ISA_REGISTER_CLASSES_H_
#define PTXMIR_PTX_ISA_REGISTER_CLASSES_H_

#include <cstdint>
#include <iterator>
#include <string_view>

#include "mir/code/instr_desc.h"

namespace ptxmir::ptx {

// Register classes, with LLVM 22's numbers (inline asm operands contain the number plus 1).
namespace reg_class {
enum : RegClassId {
  kB1 = 0,
  kB16 = 1,
  kSpecialRegs = 2,  // frame registers and %envreg0..31
  kB32 = 3,
  kB32AndSpecialRegs = 4,
  kB64 = 5,
  kB128 = 6,
  kCount = 7,
};
}  // namespace reg_class

struct RegisterClass {
  std::string_view isa_name;  // as the instruction tables spell it
  std::string_view mir_name;  // as MIR spells it
  uint16_t bits;              // the width of one register
  uint16_t pressure_units;    // the cost of one value in 32-bit registers; see RegClassDesc
  // These are empty for classes without virtual registers.
  std::string_view prefix;     // of the printed number
  std::string_view decl_type;  // in `.reg .b32 %r<10>;`

  constexpr bool has_virtual_registers() const { return !prefix.empty(); }
};

// Indexed by class. Pressure is counted in 32-bit registers. Predicates have a file of their own and count nothing
// here.
inline constexpr RegisterClass kRegisterClasses[] = {
    {"B1", "b1", 1, 0, "%p", ".pred"},
    {"B16", "b16", 16, 1, "%rs", ".b16"},
    {"SpecialRegs", "specialregs", 32, 0, "", ""},
    {"B32", "b32", 32, 1, "%r", ".b32"},
    {"B32_and_SpecialRegs", "b32_and_specialregs", 32, 0, "", ""},
    {"B64", "b64", 64, 2, "%rd", ".b64"},
    {"B128", "b128", 128, 4, "%rq", ".b128"},
};
static_assert(std::size(kRegisterClasses) == reg_class::kCount);

// The classes that have virtual registers.
inline constexpr RegClassId kVirtualRegisterClasses[] = {reg_class::kB1, reg_class::kB16, reg_class::kB32,
                                                         reg_class::kB64, reg_class::kB128};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_ISA_REGISTER_CLASSES_H_

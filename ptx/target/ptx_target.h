// SPDX-License-Identifier: Apache-2.0

// The PTX target as `mir` sees it: TargetInfo with opcodes, register classes and physical registers. Also the facts
// about registers that the PTX writer needs.

#ifndef PTXMIR_PTX_TARGET_PTX_TARGET_H_
#define PTXMIR_PTX_TARGET_PTX_TARGET_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "mir/code/instr_desc.h"
#include "ptx/isa/register_classes.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::ptx {

const TargetInfo& PtxTargetInfo();

// Physical registers with a meaning. The others (P0, R0, RL0 ...) are stand-ins for virtual ones, and instructions
// never name them.
namespace phys_reg {
enum : uint32_t {
  kNoReg = 0,
  kDepot = 1,          // %Depot
  kEnvReg0 = 2,        // .. kEnvReg0 + 31
  kFrame32 = 59,       // %SP
  kFrame64 = 60,       // %SP
  kFrameLocal32 = 61,  // %SPL
  kFrameLocal64 = 62,  // %SPL
};
}  // namespace phys_reg

// Returns the prefix of the printed number: "%r" for B32. Empty for classes without virtual registers.
constexpr std::string_view RegisterPrefix(RegClassId reg_class) {
  return reg_class < reg_class::kCount ? kRegisterClasses[reg_class].prefix : std::string_view();
}

// Returns the type in `.reg .b32 %r<10>;`: ".b32" for B32. Empty for classes without virtual registers.
constexpr std::string_view RegisterDeclType(RegClassId reg_class) {
  return reg_class < reg_class::kCount ? kRegisterClasses[reg_class].decl_type : std::string_view();
}

// Returns the printed text: "%SP" for VRFrame64, "" for a number that names no register.
std::string_view PhysicalRegisterText(uint32_t number);

// Returns the instruction that copies a register of the class; nullopt for classes without virtual registers.
std::optional<Opcode> RegisterMoveOpcode(RegClassId reg_class);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_PTX_TARGET_H_

// SPDX-License-Identifier: Apache-2.0

// Looks up the special registers of PTX by name. PTX ISA, chapter "Special Registers".

#ifndef PTXMIR_PTX_INTERPRETER_CODE_SPECIAL_REGISTERS_H_
#define PTXMIR_PTX_INTERPRETER_CODE_SPECIAL_REGISTERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxmir::ptx {

struct SpecialRegister {
  enum class Kind : uint8_t {
    // Registers with an axis.
    kTid,
    kNtid,
    kCtaid,
    kNctaid,
    kClusterid,
    kNclusterid,
    kClusterCtaid,
    kClusterNctaid,
    // Registers without an axis.
    kClusterCtarank,
    kClusterNctarank,
    kIsExplicitCluster,
    kLaneid,
    kWarpid,
    kNwarpid,
    kSmid,
    kNsmid,
    kGridid,
    kLanemaskEq,
    kLanemaskLe,
    kLanemaskLt,
    kLanemaskGe,
    kLanemaskGt,
    kClock,
    kClockHi,
    kDynamicSharedSize,
    kTotalSharedSize,
    kEnvreg1,
    kEnvreg2,
    kZero,  // reads as 0: fourth components, performance counters, other environment registers ...
  };
  Kind kind = Kind::kZero;
  uint8_t axis = 0;
};

// Returns the register with a name such as "%tid.x" or "%laneid", or nullopt if there is none.
std::optional<SpecialRegister> FindSpecialRegister(std::string_view name);
// Returns true for the name of a special register, without the ".x" if it has an axis: "%tid", "%laneid".
bool IsSpecialRegister(std::string_view name);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_SPECIAL_REGISTERS_H_

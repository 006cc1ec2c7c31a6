// SPDX-License-Identifier: Apache-2.0

// The special registers of PTX by name. PTX ISA, chapter "Special Registers".

#ifndef PTXMIR_PTX_INTERPRETER_CODE_SPECIAL_REGISTERS_H_
#define PTXMIR_PTX_INTERPRETER_CODE_SPECIAL_REGISTERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxmir::ptx {

struct SpecialRegister {
  enum class Kind : uint8_t {
    // With an axis.
    kTid,
    kNtid,
    kCtaid,
    kNctaid,
    kClusterid,
    kNclusterid,
    kClusterCtaid,
    kClusterNctaid,
    // Without.
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
    kZero,  // what reads as 0: fourth components, performance counters, other environment registers ...
  };
  Kind kind = Kind::kZero;
  uint8_t axis = 0;
};

// "%tid.x", "%laneid"; nullopt for names that are none.
std::optional<SpecialRegister> FindSpecialRegister(std::string_view name);
// Whether that is one without the ".x" of those that have it: "%tid", "%laneid".
bool IsSpecialRegister(std::string_view name);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_SPECIAL_REGISTERS_H_

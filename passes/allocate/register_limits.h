// SPDX-License-Identifier: Apache-2.0

// The number of registers that allocation has to respect in a function, and the means that it may use for that.

#ifndef PTXMIR_PASSES_ALLOCATE_REGISTER_LIMITS_H_
#define PTXMIR_PASSES_ALLOCATE_REGISTER_LIMITS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "passes/pass_context.h"
#include "ptx/isa/register_classes.h"

namespace ptxmir {

// The limits that allocation has to respect.
struct RegisterLimits {
  static constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

  int32_t units = kNone;                                // units of 32 bits
  std::array<int32_t, ptx::reg_class::kCount> classes;  // the registers of each class
  bool uses_memory = false;                             // whether values may be put into memory to meet the limits
  int32_t base_units = 0;  // the part of `units` that spilling itself needs: the address of shared memory
};

// Returns the limits, or nullopt if there is no hard limit or the limit is not to be enforced here. A limit of a single
// class (-ra-class-limits) is always hard. ptxas cannot be told of it; so with -ra-spill=auto, registers are spilled
// for it here, while the total is left to ptxas.
std::optional<RegisterLimits> RegisterLimitsOf(MachineFunction& function, PassContext& context);
// Returns true if the frame has been laid out, so that no more slots can be created.
bool HasFinalFrame(const MachineFunction& function);
// Returns true if the function respects the limits as it is.
bool FitsInto(const RegisterLimits& limits, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_REGISTER_LIMITS_H_

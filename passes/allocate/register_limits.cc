// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/register_limits.h"

#include <algorithm>

#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "passes/allocate/spill/shared_spill_room.h"
#include "passes/schedule/machine_scheduler.h"
#include "passes/support/frame_registers.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// Returns true if spilled values will go to shared memory, from which ptxas does not promote them back into
// registers.
bool SpillsToShared(const MachineFunction& function, const PassContext& context) {
  const Knobs& knobs = context.knobs;
  const ptx::Subtarget* subtarget = context.analyses.inputs().subtarget;
  return context.opt_level > 0 && knobs.ra_spill_space() == SpillSpace::kShared && subtarget != nullptr &&
         FindSharedSpillRoom(function, knobs, subtarget->sm()).words > 0;
}

// The percentage of the registers live at the peak that must be in values of 64 bits or more for the peak to count
// as wide.
constexpr uint32_t kWidePercent = 75;

bool IsWideAtPeak(const MachineFunction& function, const MachineRegisterPressure& pressure) {
  for (const MachineBasicBlock& block : function) {
    if (pressure.Block(block).peak.units < pressure.MaxUnits()) continue;
    uint32_t units = 0, wide_units = 0;
    for (const Register reg : pressure.LiveAtPeak(block).live) {
      const uint32_t own = PressureUnitsOf(function, reg);
      units += own;
      if (own > 1) wide_units += own;
    }
    return uint64_t{wide_units} * 100 >= uint64_t{units} * kWidePercent;
  }
  return false;
}

// Decides for -ra-spill=auto, if -ra-spill-excess was given, whether to spill here. Otherwise spilling is left to
// ptxas, which costs no more on average over many kernels (docs/performance.md). ptxas reorders instructions
// before it allocates, so the pressure of a good order counts, not the pressure of the present one. 64-bit values
// need aligned pairs of its registers; it is for these that ptxas sometimes spills far more than we would.
bool SpillingPays(uint32_t registers, MachineFunction& function, PassContext& context) {
  const auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  const uint64_t excess = uint64_t{registers} * static_cast<uint32_t>(context.knobs.ra_spill_excess()) / 100;
  return pressure.MaxUnits() > excess && IsWideAtPeak(function, pressure) &&
         !CanBeScheduledInto(static_cast<uint32_t>(excess), function, context);
}

}  // namespace

bool HasFinalFrame(const MachineFunction& function) {
  return !function.reg_info().Defs(FrameRegistersOf(function).local).empty();
}

bool FitsInto(const RegisterLimits& limits, PassContext& context) {
  const auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  return pressure.MaxUnits() <= static_cast<uint32_t>(limits.units) &&
         pressure.MaxPredicates() <= static_cast<uint32_t>(limits.predicates);
}

std::optional<RegisterLimits> RegisterLimitsOf(MachineFunction& function, PassContext& context) {
  const Knobs& knobs = context.knobs;
  if (function.empty()) return std::nullopt;
  const bool can_spill = knobs.ra_spill() != SpillPolicy::kNever && !HasFinalFrame(function);
  const bool to_shared = can_spill && SpillsToShared(function, context);
  RegisterLimits limits;
  limits.uses_memory = can_spill && (knobs.ra_spill() == SpillPolicy::kAlways || to_shared);
  limits.base_units = to_shared ? 1 : 0;
  const bool may_pay =
      can_spill && !limits.uses_memory && knobs.ra_limit() == 0 && context.opt_level > 0 && knobs.ra_spill_excess() > 0;
  if (!limits.uses_memory && !may_pay && !knobs.ra_remat()) return std::nullopt;
  if (knobs.ra_limit() > 0) {
    limits.units = knobs.ra_limit();
    limits.predicates = std::min<int32_t>(knobs.ra_limit(), kPredicateRegisters);
  } else {
    const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
    if (!budget.is_hard) return std::nullopt;
    limits.units = static_cast<int32_t>(budget.registers);
    limits.predicates = static_cast<int32_t>(budget.predicates);
    if (may_pay) limits.uses_memory = SpillingPays(budget.registers, function, context);
  }
  if (!limits.uses_memory && !knobs.ra_remat()) return std::nullopt;
  return limits;
}

}  // namespace ptxmir

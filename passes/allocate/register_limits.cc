// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/register_limits.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "passes/allocate/spill/shared_spill_room.h"
#include "passes/schedule/machine_scheduler.h"
#include "passes/support/frame_registers.h"
#include "ptx/target/subtarget.h"

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

// The classes of the pressure analysis are those of the table, in its order.
constexpr bool HaveSameNames() {
  for (size_t i = 0; i < kNumPressureClasses; ++i) {
    if (kPressureClassNames[i] != ptx::kRegisterClasses[ptx::kVirtualRegisterClasses[i]].mir_name) return false;
  }
  return std::size(ptx::kVirtualRegisterClasses) == kNumPressureClasses;
}
static_assert(HaveSameNames());

// Adds the limits of -ra-class-limits. They replace the budget's limit of predicates.
void AddClassLimits(const std::vector<std::string>& elements, RegisterLimits& limits) {
  for (const std::string& element : elements) {
    const std::optional<RegisterCount> limit = ParseRegisterCount(element);
    if (!limit.has_value()) continue;  // setting the knob has reported it
    for (const RegClassId reg_class : ptx::kVirtualRegisterClasses) {
      if (ptx::kRegisterClasses[reg_class].mir_name == limit->class_name) limits.classes[reg_class] = limit->count;
    }
  }
}

}  // namespace

bool HasFinalFrame(const MachineFunction& function) {
  return !function.reg_info().Defs(FrameRegistersOf(function).local).empty();
}

bool FitsInto(const RegisterLimits& limits, PassContext& context) {
  const PeakPressure max = context.analyses.Get<MachineRegisterPressure>().MaxPressure();
  for (size_t i = 0; i < kNumPressureClasses; ++i) {
    const int32_t limit = limits.classes[ptx::kVirtualRegisterClasses[i]];
    if (max.classes.counts[i] > static_cast<uint32_t>(limit)) return false;
  }
  return max.units <= static_cast<uint32_t>(limits.units);
}

std::optional<RegisterLimits> RegisterLimitsOf(MachineFunction& function, PassContext& context) {
  const Knobs& knobs = context.knobs;
  if (function.empty()) return std::nullopt;
  const bool can_spill = knobs.ra_spill() != SpillPolicy::kNever && !HasFinalFrame(function);
  const bool to_shared = can_spill && SpillsToShared(function, context);
  const bool has_class_limits = !knobs.ra_class_limits().empty();
  RegisterLimits limits;
  limits.classes.fill(RegisterLimits::kNone);
  limits.uses_memory = can_spill && (knobs.ra_spill() == SpillPolicy::kAlways || to_shared);
  limits.base_units = to_shared ? 1 : 0;
  const bool may_pay =
      can_spill && !limits.uses_memory && knobs.ra_limit() == 0 && context.opt_level > 0 && knobs.ra_spill_excess() > 0;
  if (!limits.uses_memory && !may_pay && !knobs.ra_remat() && !has_class_limits) return std::nullopt;
  if (knobs.ra_limit() > 0) {
    limits.units = knobs.ra_limit();
    limits.classes[ptx::reg_class::kB1] = std::min<int32_t>(knobs.ra_limit(), kPredicateRegisters);
  } else if (const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs()); budget.is_hard) {
    limits.units = static_cast<int32_t>(budget.registers);
    limits.classes[ptx::reg_class::kB1] = static_cast<int32_t>(budget.predicates);
    if (may_pay) limits.uses_memory = SpillingPays(budget.registers, function, context);
  } else if (!has_class_limits) {
    return std::nullopt;
  }
  if (!limits.uses_memory && !knobs.ra_remat()) {
    if (!has_class_limits || !can_spill) return std::nullopt;
    limits.units = limits.classes[ptx::reg_class::kB1] = RegisterLimits::kNone;
    limits.uses_memory = true;
  }
  AddClassLimits(knobs.ra_class_limits(), limits);
  return limits;
}

}  // namespace ptxmir

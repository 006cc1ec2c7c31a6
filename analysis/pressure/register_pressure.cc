// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/register_pressure.h"

#include <cassert>

namespace ptxmir {

PressureClassMap::PressureClassMap(const TargetInfo& target) {
  classes_.fill(kNotCounted);
  for (size_t i = 0; i < target.reg_classes.size(); ++i) {
    const RegClassDesc& desc = target.reg_classes[i];
    if (!desc.allocatable) continue;
    PressureClass c = PressureClass::kPredicate;
    if (desc.bits > 64) {
      c = PressureClass::kB128;
    } else if (desc.bits > 32) {
      c = PressureClass::kB64;
    } else if (desc.bits > 16) {
      c = PressureClass::kB32;
    } else if (desc.bits > 1) {
      c = PressureClass::kB16;
    }
    assert(kPressureUnits[static_cast<size_t>(c)] == desc.pressure_units);
    classes_[i] = static_cast<uint8_t>(c);
  }
}

}  // namespace ptxmir

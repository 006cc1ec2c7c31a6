// SPDX-License-Identifier: Apache-2.0

// The values that analyses take special registers to have, from
// ptx/target/special_register_bounds.h. -nvvm-intr-range-sm says whose limits apply to the grid; by default, those of
// the GPU compiled for.

#ifndef PTXMIR_ANALYSIS_VALUES_SPECIAL_REGISTER_RANGES_H_
#define PTXMIR_ANALYSIS_VALUES_SPECIAL_REGISTER_RANGES_H_

#include "analysis/analysis_manager.h"
#include "analysis/values/integer_facts.h"
#include "ptx/target/special_register_bounds.h"

namespace ptxmir {

class SpecialRegisterRanges {
 public:
  SpecialRegisterRanges(const MachineFunction& function, const AnalysisInputs& inputs);

  // Returns what holds for the result of an opcode that reads a special register.
  IntegerFacts Of(Opcode opcode, unsigned bits) const;

 private:
  const ptx::SpecialRegisterBounds bounds_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_SPECIAL_REGISTER_RANGES_H_

// SPDX-License-Identifier: Apache-2.0

// The values that special registers can have: %tid, %ctaid and the like, bounded by the launch bounds of the kernel and
// by the limits of the GPU. This is what nvvm-intr-range does for IR.
//
// .reqntid fixes the shape of a CTA. .maxntid bounds the product of the dimensions only, as PTX says: with .maxntid
// 16x16, a CTA may be 256x1. (cicc's pass takes %tid <= %ntid and %laneid in [32, 33), which is wrong by one.)
// -nvvm-intr-range-sm says whose limits apply to the grid; by default, those of the GPU compiled for.

#ifndef PTXMIR_ANALYSIS_VALUES_SPECIAL_REGISTER_RANGES_H_
#define PTXMIR_ANALYSIS_VALUES_SPECIAL_REGISTER_RANGES_H_

#include <array>
#include <cstdint>

#include "analysis/analysis_manager.h"
#include "analysis/values/integer_facts.h"

namespace ptxmir {

class SpecialRegisterRanges {
 public:
  SpecialRegisterRanges(const MachineFunction& function, const AnalysisInputs& inputs);

  // Returns what holds for the result of an opcode that reads a special register.
  IntegerFacts Of(Opcode opcode, unsigned bits) const;

 private:
  struct Bounds {
    uint64_t least = 1;
    uint64_t most = 1;
  };

  // The sizes per dimension: of a CTA in threads, of the grid in CTAs, of a cluster in CTAs.
  std::array<Bounds, 3> cta_{};
  std::array<Bounds, 3> grid_{};
  std::array<Bounds, 3> cluster_{};
  Bounds cluster_rank_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_SPECIAL_REGISTER_RANGES_H_

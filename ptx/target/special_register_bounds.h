// SPDX-License-Identifier: Apache-2.0

// The values that special registers can have: %tid, %ctaid and the like, bounded by the launch bounds of the kernel and
// by the limits of the GPU. nvvm-intr-range states them in LLVM IR, and analyses of machine code take them as facts.
//
// .reqntid fixes the shape of a CTA. .maxntid bounds the product of the dimensions only, as PTX says: with .maxntid
// 16x16, a CTA may be 256x1. (cicc's pass takes %tid <= %ntid and %laneid in [32, 33), which is wrong by one.)

#ifndef PTXMIR_PTX_TARGET_SPECIAL_REGISTER_BOUNDS_H_
#define PTXMIR_PTX_TARGET_SPECIAL_REGISTER_BOUNDS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/module.h"

namespace ptxmir::ptx {

// The meaning of a special register.
enum class SpecialQuantity : uint8_t {
  kNone,
  kThread,
  kNumThreads,
  kCta,
  kNumCtas,
  kCluster,
  kNumClusters,
  kClusterCta,
  kNumClusterCtas,
  kClusterRank,
  kClusterSize,
  kWarpSize,
  kLane,
};

struct BoundedRegister {
  SpecialQuantity quantity = SpecialQuantity::kNone;
  unsigned axis = 0;  // 0 to 2 for x to z
};

// Parses the part of a name that says which register is read: "tid.x" or "laneid", as in llvm.nvvm.read.ptx.sreg.tid.x.
// Names of opcodes have capitals and '_' instead: "TID_x". The quantity is kNone for other registers.
BoundedRegister ParseBoundedRegister(std::string_view name);

class SpecialRegisterBounds {
 public:
  struct Bounds {
    uint64_t least = 1;
    uint64_t most = 1;  // inclusive
  };

  // The launch bounds of a kernel count; any other function may be called from any kernel. `function` is one of the
  // module, or both are null. `sm` is the number of the GPU whose limits apply to the grid: 90 for sm_90; 0: not known.
  SpecialRegisterBounds(const Module* module, const IrFunction* function, int sm);

  // Returns nullopt for a register that is not bounded.
  std::optional<Bounds> Of(const BoundedRegister& special) const;

 private:
  // The sizes per dimension: of a CTA in threads, of the grid in CTAs, of a cluster in CTAs.
  std::array<Bounds, 3> cta_{};
  std::array<Bounds, 3> grid_{};
  std::array<Bounds, 3> cluster_{};
  Bounds cluster_rank_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_SPECIAL_REGISTER_BOUNDS_H_

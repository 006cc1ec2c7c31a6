// SPDX-License-Identifier: Apache-2.0

// Occupancy: how many CTAs of a kernel an SM holds at once, which resource limits that, and how many registers a
// thread may use for a higher occupancy. Follows NVIDIA's occupancy calculator (cuda_occupancy.h), for the default
// carve-out (all of an SM's shared memory is available).

#ifndef PTXMIR_PTX_TARGET_OCCUPANCY_H_
#define PTXMIR_PTX_TARGET_OCCUPANCY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/target/subtarget.h"

namespace ptxmir::ptx {

inline constexpr unsigned kMaxCtaThreads = 1024;

// The resources that one CTA of a kernel takes.
struct KernelResources {
  unsigned threads = 0;       // per CTA
  unsigned registers = 0;     // per thread; 0: not known, no limit
  uint32_t shared_bytes = 0;  // static and dynamic
  unsigned barriers = 0;      // 0: not known, no limit
};

// The resources that may limit the number of CTAs, as bits.
struct OccupancyLimit {
  enum : uint8_t {
    kWarps = 1 << 0,
    kCtas = 1 << 1,
    kRegisters = 1 << 2,
    kSharedMemory = 1 << 3,
    kBarriers = 1 << 4,
  };
};

struct Occupancy {
  unsigned ctas = 0;   // resident on an SM; 0: the kernel cannot be launched
  unsigned warps = 0;  // in these CTAs
  unsigned max_warps = 0;
  uint8_t limits = 0;  // the resources that allow no more than `ctas`

  double fraction() const { return max_warps == 0 ? 0 : static_cast<double>(warps) / max_warps; }
};

Occupancy ComputeOccupancy(const SmLimits& limits, const KernelResources& kernel);

// Returns the most registers that a thread may use such that `ctas` CTAs are resident. The result is a multiple of
// the granularity unless it is the most that a thread can address. Returns 0 if no number of registers reaches that.
unsigned RegistersForCtas(const SmLimits& limits, const KernelResources& kernel, unsigned ctas);

struct OccupancyStep {
  unsigned registers;  // the most registers with this occupancy
  Occupancy occupancy;
};
// Returns all occupancies that the kernel can reach by changing its registers alone, the highest first.
std::vector<OccupancyStep> OccupancySteps(const SmLimits& limits, const KernelResources& kernel);
// Return the step next above or next below the occupancy with kernel.registers; nullopt if there is none.
std::optional<OccupancyStep> NextStepUp(const SmLimits& limits, const KernelResources& kernel);
std::optional<OccupancyStep> NextStepDown(const SmLimits& limits, const KernelResources& kernel);

// Returns the names of the limits: "registers, shared memory".
std::string OccupancyLimitNames(uint8_t limits);
// Returns a description, for every place where registers are shown: "70 registers: 3 CTAs, 24 of 64 warps (37.5%),
// limited by registers; 80 registers give the same; 64 registers: 32 warps (50%); 81 registers: 16 warps (25%)".
// Leaves out the parts that do not apply.
std::string DescribeOccupancy(const SmLimits& limits, const KernelResources& kernel);
// Returns the output of -occupancy: the SM's limits and a row for each step, by registers.
std::string OccupancyTable(const SmInfo& sm, const KernelResources& kernel);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_OCCUPANCY_H_

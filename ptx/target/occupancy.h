// SPDX-License-Identifier: Apache-2.0

// Occupancy: how many CTAs of a kernel an SM holds at once, what limits that, and how many registers a thread may use
// for it to be more. As NVIDIA's occupancy calculator has it (cuda_occupancy.h), for the default carve-out (all of an
// SM's shared memory can be had).

#ifndef PTXMIR_PTX_TARGET_OCCUPANCY_H_
#define PTXMIR_PTX_TARGET_OCCUPANCY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/target/subtarget.h"

namespace ptxmir::ptx {

inline constexpr unsigned kMaxCtaThreads = 1024;

// What one CTA of a kernel takes.
struct KernelResources {
  unsigned threads = 0;       // of a CTA
  unsigned registers = 0;     // of a thread; 0: not known, no limit
  uint32_t shared_bytes = 0;  // static and dynamic
  unsigned barriers = 0;      // 0: not known, no limit
};

// What may limit the number of CTAs, as bits.
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
  unsigned warps = 0;  // of these
  unsigned max_warps = 0;
  uint8_t limits = 0;  // those that allow no more than `ctas`

  double fraction() const { return max_warps == 0 ? 0 : static_cast<double>(warps) / max_warps; }
};

Occupancy ComputeOccupancy(const SmLimits& limits, const KernelResources& kernel);

// The most registers that a thread may use so that `ctas` CTAs are resident, and a multiple of the granularity unless
// it is the most that a thread can address. 0 if that cannot be reached whatever the registers.
unsigned RegistersForCtas(const SmLimits& limits, const KernelResources& kernel, unsigned ctas);

struct OccupancyStep {
  unsigned registers;  // the most with this occupancy
  Occupancy occupancy;
};
// All occupancies that the kernel can have by its registers alone, the highest first.
std::vector<OccupancyStep> OccupancySteps(const SmLimits& limits, const KernelResources& kernel);
// Of these the next above and below that of kernel.registers; nullopt where there is none.
std::optional<OccupancyStep> NextStepUp(const SmLimits& limits, const KernelResources& kernel);
std::optional<OccupancyStep> NextStepDown(const SmLimits& limits, const KernelResources& kernel);

// "registers, shared memory".
std::string OccupancyLimitNames(uint8_t limits);
// "70 registers: 3 CTAs, 24 of 64 warps (37.5%), limited by registers; 80 registers give the same; 64 registers: 32
// warps (50%); 81 registers: 16 warps (25%)", as far as there are such: for wherever registers are shown.
std::string DescribeOccupancy(const SmLimits& limits, const KernelResources& kernel);
// What -occupancy prints: the SM's limits and a row for each step, by registers.
std::string OccupancyTable(const SmInfo& sm, const KernelResources& kernel);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_OCCUPANCY_H_

// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/occupancy.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/str_cat.h"

namespace ptxmir::ptx {
namespace {

constexpr unsigned kUnlimited = ~0u;

unsigned RoundUp(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }
unsigned WarpsOfCta(const KernelResources& kernel) {
  return (kernel.threads + SmLimits::kWarpSize - 1) / SmLimits::kWarpSize;
}

// The number of CTAs that each resource has room for.

unsigned CtasByWarps(const SmLimits& limits, const KernelResources& kernel) {
  return kernel.threads > kMaxCtaThreads ? 0 : limits.max_warps / WarpsOfCta(kernel);
}

unsigned CtasByRegisters(const SmLimits& limits, const KernelResources& kernel) {
  if (kernel.registers == 0) return kUnlimited;
  if (kernel.registers > limits.max_registers) return 0;
  const unsigned of_warp = SmLimits::kWarpSize * limits.RoundUpRegisters(kernel.registers);
  const unsigned warps = WarpsOfCta(kernel);
  // A CTA's warps are distributed over the partitions in turn, so the fullest partition counts.
  if (of_warp * RoundUp(warps, limits.partitions) > limits.max_cta_registers) return 0;
  return limits.registers / limits.partitions / of_warp * limits.partitions / warps;
}

unsigned CtasBySharedMemory(const SmLimits& limits, const KernelResources& kernel) {
  if (kernel.shared_bytes > limits.max_shared_bytes) return 0;
  const unsigned allocated = RoundUp(kernel.shared_bytes + limits.reserved_shared, limits.shared_granularity);
  return allocated == 0 ? kUnlimited : limits.shared_bytes / allocated;
}

unsigned CtasByBarriers(const SmLimits& limits, const KernelResources& kernel) {
  return kernel.barriers == 0 || limits.barriers == 0 ? kUnlimited : limits.barriers / kernel.barriers;
}

std::string Percent(double fraction) {
  const unsigned tenths = static_cast<unsigned>(fraction * 1000 + 0.5);
  return tenths % 10 == 0 ? StrCat(tenths / 10, "%") : StrCat(tenths / 10, ".", tenths % 10, "%");
}

// Appends `text`, right-aligned in a column.
void AppendRight(std::string& out, std::string_view text, size_t width) {
  out.append(width > text.size() ? width - text.size() : 0, ' ');
  out.append(text);
}

}  // namespace

Occupancy ComputeOccupancy(const SmLimits& limits, const KernelResources& kernel) {
  Occupancy occupancy;
  occupancy.max_warps = limits.max_warps;
  if (kernel.threads == 0) return occupancy;
  const struct {
    unsigned ctas;
    uint8_t limit;
  } by[] = {
      {CtasByWarps(limits, kernel), OccupancyLimit::kWarps},
      {limits.max_ctas, OccupancyLimit::kCtas},
      {CtasByRegisters(limits, kernel), OccupancyLimit::kRegisters},
      {CtasBySharedMemory(limits, kernel), OccupancyLimit::kSharedMemory},
      {CtasByBarriers(limits, kernel), OccupancyLimit::kBarriers},
  };
  occupancy.ctas = kUnlimited;
  for (const auto& resource : by) occupancy.ctas = std::min(occupancy.ctas, resource.ctas);
  for (const auto& resource : by) {
    if (resource.ctas == occupancy.ctas) occupancy.limits |= resource.limit;
  }
  occupancy.warps = occupancy.ctas * WarpsOfCta(kernel);
  return occupancy;
}

unsigned RegistersForCtas(const SmLimits& limits, const KernelResources& kernel, unsigned ctas) {
  if (ctas == 0) return limits.max_registers;
  KernelResources with = kernel;
  // Occupancy falls as registers rise. There are at most 256 values to try, in steps of the granularity.
  const unsigned granules = (limits.max_registers + limits.register_granularity - 1) / limits.register_granularity;
  for (unsigned n = granules; n > 0; --n) {
    with.registers = std::min<unsigned>(n * limits.register_granularity, limits.max_registers);
    if (ComputeOccupancy(limits, with).ctas >= ctas) return with.registers;
  }
  return 0;
}

std::vector<OccupancyStep> OccupancySteps(const SmLimits& limits, const KernelResources& kernel) {
  std::vector<OccupancyStep> steps;
  KernelResources with = kernel;
  with.registers = limits.register_granularity;
  unsigned ctas = ComputeOccupancy(limits, with).ctas;
  while (ctas > 0) {
    with.registers = RegistersForCtas(limits, kernel, ctas);
    steps.push_back({with.registers, ComputeOccupancy(limits, with)});
    if (with.registers == limits.max_registers) break;
    ++with.registers;
    ctas = ComputeOccupancy(limits, with).ctas;
  }
  return steps;
}

std::optional<OccupancyStep> NextStepUp(const SmLimits& limits, const KernelResources& kernel) {
  std::optional<OccupancyStep> found;
  for (const OccupancyStep& step : OccupancySteps(limits, kernel)) {
    if (step.occupancy.ctas > ComputeOccupancy(limits, kernel).ctas) found = step;
  }
  return found;
}

std::optional<OccupancyStep> NextStepDown(const SmLimits& limits, const KernelResources& kernel) {
  for (const OccupancyStep& step : OccupancySteps(limits, kernel)) {
    if (step.occupancy.ctas < ComputeOccupancy(limits, kernel).ctas) return step;
  }
  return std::nullopt;
}

std::string OccupancyLimitNames(uint8_t limits) {
  constexpr std::string_view kNames[] = {"warps", "CTAs", "registers", "shared memory", "barriers"};
  std::string text;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if ((limits >> i & 1) != 0) StrAppend(&text, text.empty() ? "" : ", ", kNames[i]);
  }
  return text;
}

std::string DescribeOccupancy(const SmLimits& limits, const KernelResources& kernel) {
  const Occupancy occupancy = ComputeOccupancy(limits, kernel);
  std::string text =
      StrCat(kernel.registers, " registers: ", occupancy.ctas, occupancy.ctas == 1 ? " CTA, " : " CTAs, ",
             occupancy.warps, " of ", occupancy.max_warps, " warps (", Percent(occupancy.fraction()), "), limited by ",
             OccupancyLimitNames(occupancy.limits));
  const unsigned same = occupancy.ctas == 0 ? 0 : RegistersForCtas(limits, kernel, occupancy.ctas);
  if (same > kernel.registers) StrAppend(&text, "; ", same, " registers give the same");
  if (const std::optional<OccupancyStep> up = NextStepUp(limits, kernel)) {
    StrAppend(&text, "; ", up->registers, " registers: ", up->occupancy.warps, " warps (",
              Percent(up->occupancy.fraction()), ")");
  }
  if (const std::optional<OccupancyStep> down = NextStepDown(limits, kernel)) {
    StrAppend(&text, "; ", same + 1, " registers: ", down->occupancy.warps, " warps (",
              Percent(down->occupancy.fraction()), ")");
  }
  return text;
}

std::string OccupancyTable(const SmInfo& sm, const KernelResources& kernel) {
  const SmLimits& limits = sm.limits;
  std::string out = StrCat(sm.name, ": ", limits.registers, " registers in units of ", limits.register_granularity,
                           " a thread, ", limits.max_warps, " warps, ", limits.max_ctas, " CTAs, ", limits.shared_bytes,
                           " bytes of shared memory (", limits.max_shared_bytes, " a CTA, in units of ",
                           limits.shared_granularity, ")\n", kernel.threads, " threads and ", kernel.shared_bytes,
                           " bytes of shared memory a CTA\n", "  registers  CTAs  warps  occupancy  limited by\n");
  for (const OccupancyStep& step : OccupancySteps(limits, kernel)) {
    AppendRight(out, StrCat("<= ", step.registers), 11);
    AppendRight(out, StrCat(step.occupancy.ctas), 6);
    AppendRight(out, StrCat(step.occupancy.warps), 7);
    AppendRight(out, Percent(step.occupancy.fraction()), 11);
    StrAppend(&out, "  ", OccupancyLimitNames(step.occupancy.limits), "\n");
  }
  return out;
}

}  // namespace ptxmir::ptx

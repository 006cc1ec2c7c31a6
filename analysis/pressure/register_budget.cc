// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/register_budget.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {
namespace {

// The register target of a function that nothing else bounds, as in cicc.
constexpr int32_t kDefaultTarget = 70;

// A limit and the words for it.
struct Limit {
  unsigned registers = 0;  // 0: no limit
  std::string text;
};

// The size of a CTA as the function declares it.
struct CtaSize {
  unsigned threads = 0;
  std::string text;  // ".maxntid 16x16"
};

CtaSize CtaSizeOf(const NvvmFunctionInfo& info) {
  const std::vector<uint32_t>& ntid = info.req_ntid.empty() ? info.max_ntid : info.req_ntid;
  if (ntid.empty()) return {};
  CtaSize size;
  uint64_t threads = 1;
  for (const uint32_t n : ntid) {
    threads = std::min<uint64_t>(threads * std::max(n, 1u), 1u << 20);
    StrAppend(&size.text, size.text.empty() ? (info.req_ntid.empty() ? ".maxntid " : ".reqntid ") : "x", n);
  }
  size.threads = static_cast<unsigned>(threads);
  return size;
}

// Returns the most registers with which one CTA can be launched.
Limit OfCtaSize(const CtaSize& size, const ptx::SmInfo& sm) {
  if (size.threads == 0) return {};
  const ptx::SmLimits& limits = sm.limits;
  const unsigned warps = (size.threads + ptx::SmLimits::kWarpSize - 1) / ptx::SmLimits::kWarpSize;
  const unsigned warps_at_once = (warps + limits.partitions - 1) / limits.partitions * limits.partitions;
  const unsigned registers = limits.max_cta_registers / (warps_at_once * ptx::SmLimits::kWarpSize);
  const unsigned on_grid = registers / limits.register_granularity * limits.register_granularity;
  return {std::clamp<unsigned>(on_grid, limits.register_granularity, limits.max_registers),
          StrCat(size.text, " on ", sm.name)};
}

// Sets `ignored` to a note about what ptxas will ignore.
Limit OfMinCtas(const NvvmFunctionInfo& info, const CtaSize& size, const ptx::SmInfo& sm, std::string& ignored) {
  if (!info.min_cta_per_sm.has_value() || *info.min_cta_per_sm == 0) return {};
  const unsigned ctas = *info.min_cta_per_sm;
  if (size.threads == 0) {
    ignored = StrCat(".minnctapersm ", ctas, " without .maxntid or .reqntid is ignored");
    return {};
  }
  const unsigned registers = ptx::RegistersForCtas(sm.limits, {.threads = size.threads}, ctas);
  if (registers == 0) {
    ignored = StrCat(sm.name, " cannot hold ", ctas, " CTAs of ", size.text, ": .minnctapersm is ignored");
    return {};
  }
  return {registers, StrCat(size.text, " with .minnctapersm ", ctas, " on ", sm.name)};
}

// Returns the most registers with which as many warps are resident as with few. CTAs of a known size may leave room for
// warps that no number of registers fills.
unsigned AtFullOccupancy(const ptx::SmLimits& limits, unsigned cta_threads) {
  if (cta_threads == 0) return limits.RegistersForWarps(limits.max_warps);
  const ptx::KernelResources least = {.threads = cta_threads, .registers = limits.register_granularity};
  return ptx::RegistersForCtas(limits, least, ptx::ComputeOccupancy(limits, least).ctas);
}

// Adds the adjustments, and the description.
void Finish(const Knobs& knobs, const ptx::SmInfo& sm, const Limit& limit, std::string note, RegisterBudget& budget) {
  const ptx::SmLimits& limits = sm.limits;
  unsigned registers = std::min<unsigned>(limit.registers, limits.max_registers);
  if (budget.is_hard && registers < kLeastRegisterLimit) {
    registers = kLeastRegisterLimit;
    StrAppend(&note, "; ptxas takes no fewer than ", kLeastRegisterLimit);
  }
  if (budget.is_hard) budget.limit = registers;
  const int adjusted = static_cast<int>(registers) + knobs.reg_target_adjust();
  budget.registers = static_cast<unsigned>(std::clamp<int>(adjusted, 1, limits.max_registers));
  budget.granularity = limits.register_granularity;
  budget.full = AtFullOccupancy(limits, budget.cta_threads);
  budget.allocated = std::min<unsigned>(limits.RoundUpRegisters(budget.registers), limits.max_registers);
  const int predicates = static_cast<int>(kPredicateRegisters) + knobs.pred_target_adjust();
  budget.predicates = static_cast<unsigned>(std::max(predicates, 1));
  if (knobs.reg_target_adjust() != 0) StrAppend(&note, "; adjusted by ", knobs.reg_target_adjust());
  if (budget.allocated != budget.registers) StrAppend(&note, "; ", sm.name, " sets ", budget.allocated, " aside");
  budget.text = StrCat(budget.registers, " registers: ", limit.text, note);
}

}  // namespace

ptx::KernelResources ResourcesOf(const RegisterBudget& budget, uint32_t units, const ptx::SmLimits& limits) {
  return {.threads = budget.cta_threads != 0 ? budget.cta_threads : kAssumedCtaThreads,
          .registers = std::clamp<unsigned>(units, kLeastRegisterLimit, limits.max_registers)};
}

RegisterBudget ComputeRegisterBudget(const NvvmFunctionInfo& info, const Knobs& knobs, const ptx::SmInfo& sm) {
  using Origin = RegisterBudget::Origin;
  std::string ignored;
  const CtaSize size = CtaSizeOf(info);
  const Limit min_ctas = OfMinCtas(info, size, sm, ignored);
  const Limit cta_size = OfCtaSize(size, sm);
  RegisterBudget budget;
  budget.cta_threads = size.threads;
  std::string note;
  Limit limit;
  if (knobs.maxreg() > 0) {
    limit = {static_cast<unsigned>(knobs.maxreg()), StrCat("-maxreg ", knobs.maxreg())};
    budget.origin = Origin::kMaxReg;
  } else if (info.max_nreg.value_or(0) > 0) {
    limit = {*info.max_nreg, StrCat(".maxnreg ", *info.max_nreg)};
    budget.origin = Origin::kMaxNReg;
  }
  if (limit.registers > 0 && min_ctas.registers > 0 && min_ctas.registers < limit.registers) {
    note = StrCat(", which is less than ", limit.text);
    limit = min_ctas;
    budget.origin = Origin::kMinCtas;
  } else if (limit.registers == 0 && min_ctas.registers > 0) {
    limit = min_ctas;
    budget.origin = Origin::kMinCtas;
  }
  if (limit.registers == 0) {
    const unsigned wanted = static_cast<unsigned>(knobs.nv_remat_default_max_reg().value_or(kDefaultTarget));
    limit = {sm.limits.RoundUpRegisters(wanted), StrCat("default of ", wanted, " on ", sm.name, ", soft")};
    if (cta_size.registers > 0 && cta_size.registers < limit.registers) {
      limit = cta_size;
      budget.origin = Origin::kCtaSize;
    }
  }
  budget.is_hard = budget.origin != Origin::kDefault;
  budget.limit = cta_size.registers > 0 ? cta_size.registers : sm.limits.max_registers;
  if (!ignored.empty()) StrAppend(&note, "; ", ignored);
  Finish(knobs, sm, limit, std::move(note), budget);
  return budget;
}

RegisterBudget ComputeRegisterBudget(const MachineFunction& function, const Knobs& knobs, const ptx::SmInfo& sm) {
  const IrFunction* ir_function = FindIrFunction(function);
  NvvmFunctionInfo info;
  // Only kernels have directives.
  if (ir_function != nullptr && IsKernel(*function.module(), *ir_function)) {
    info = GetNvvmFunctionInfo(*function.module(), *ir_function);
  }
  return ComputeRegisterBudget(info, knobs, sm);
}

RegisterBudget ComputeRegisterBudget(const MachineFunction& function, const AnalysisInputs& inputs) {
  const ptx::SmInfo& sm = inputs.subtarget != nullptr ? inputs.subtarget->sm() : *ptx::FindSm("sm_80");
  return ComputeRegisterBudget(function, *inputs.knobs, sm);
}

}  // namespace ptxmir

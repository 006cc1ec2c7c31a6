// SPDX-License-Identifier: Apache-2.0

// The register budget of a function: how many 32-bit registers and how many predicates each of its threads should
// use at most, and which option or directive decides that.
//
// In order of priority, these decide: -maxreg; .maxnreg; .maxntid or .reqntid together with .minnctapersm, by the
// SM's occupancy. Without any of them there is a default (-nv-remat-default-max-reg). It is a target for
// rematerialization and scheduling and no reason to spill. The remaining rules follow the observed behavior of
// ptxas 13:
//
// - The stricter of .maxnreg and .minnctapersm applies. So -maxreg and .maxnreg are lowered to what .minnctapersm
//   allows.
// - .minnctapersm counts only together with a CTA size, and is ignored if the SM cannot hold that many CTAs.
// - A CTA size alone limits the registers to what lets one CTA run (64 for 1,024 threads), unless there is a
//   .maxnreg.
// - A limit is enforced exactly (`.maxnreg 70` is 70, not 72, although a thread is allocated 72), but limits below
//   24 are raised to 24. The default is not enforced, and is rounded up to the allocation: 72.

#ifndef PTXMIR_ANALYSIS_PRESSURE_REGISTER_BUDGET_H_
#define PTXMIR_ANALYSIS_PRESSURE_REGISTER_BUDGET_H_

#include <cstdint>
#include <string>

#include "analysis/analysis_manager.h"
#include "ir/ir_nvvm.h"
#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "ptx/target/occupancy.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {

struct RegisterBudget {
  enum class Origin : uint8_t {
    kMaxReg,   // -maxreg
    kMaxNReg,  // .maxnreg
    kMinCtas,  // .minnctapersm with .maxntid or .reqntid
    kCtaSize,  // .maxntid or .reqntid: one CTA must fit
    kDefault,
  };

  unsigned registers = 0;    // the target, including adjustments (-reg-target-adjust)
  unsigned allocated = 0;    // the registers that an SM allocates for a thread that uses `registers`
  unsigned granularity = 1;  // the granularity of that allocation
  unsigned predicates = 0;   // the target for predicates: 7, adjusted (-pred-target-adjust)
  unsigned full = 0;         // the most registers at the highest occupancy; using fewer gains nothing
  bool is_hard = false;      // the target is a limit: ptxas spills what exceeds it
  unsigned limit = 0;        // the most registers that ptxas uses, whatever the target; 255 if there is no limit
  Origin origin = Origin::kDefault;
  unsigned cta_threads = 0;  // the largest CTA that the function may be launched with; 0: not known
  // For example, "64 registers: .maxntid 256 with .minnctapersm 4 on sm_80".
  std::string text;
};

// The predicate registers of a thread (P0 to P6; the eighth is the constant true).
inline constexpr unsigned kPredicateRegisters = 7;
// The assumed size of a CTA if it is not known.
inline constexpr unsigned kAssumedCtaThreads = 256;
// The lowest limit that ptxas accepts.
inline constexpr unsigned kLeastRegisterLimit = 24;

// Returns what a CTA of the function takes if ptxas uses `units` registers for a thread. The CTA is the largest that
// the function may be launched with, or of kAssumedCtaThreads threads.
ptx::KernelResources ResourcesOf(const RegisterBudget& budget, uint32_t units, const ptx::SmLimits& limits);

RegisterBudget ComputeRegisterBudget(const NvvmFunctionInfo& info, const Knobs& knobs, const ptx::SmInfo& sm);
// Computes the budget of a function. It need not be in a module.
RegisterBudget ComputeRegisterBudget(const MachineFunction& function, const Knobs& knobs, const ptx::SmInfo& sm);
// Computes the budget for the GPU and the knobs of a pipeline, or for sm_80 if the pipeline has no GPU.
RegisterBudget ComputeRegisterBudget(const MachineFunction& function, const AnalysisInputs& inputs);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_REGISTER_BUDGET_H_

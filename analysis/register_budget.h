// SPDX-License-Identifier: Apache-2.0

// The register budget of a function: how many 32-bit registers, and how many predicates, its threads should get by
// with, and who says so.
//
// In this order: -maxreg; .maxnreg; .maxntid or .reqntid with .minnctapersm, by the SM's occupancy; and without any of
// them a default (-nv-remat-default-max-reg), which is a target for rematerialization and scheduling and no reason to
// spill. What ptxas 13 was seen to enforce decides the rest:
//
// - Of .maxnreg and .minnctapersm the stricter holds. So -maxreg and .maxnreg are lowered to what the other allows.
// - .minnctapersm counts only beside a CTA size, and is ignored when the SM cannot hold that many CTAs.
// - A CTA size alone bounds the registers to what lets one CTA run (64 for 1,024 threads), unless there is a .maxnreg.
// - A limit is enforced to the register (`.maxnreg 70` is 70, not 72, although a thread is given 72), but none below
//   24. The default, which nobody enforces, is moved up to what a thread is given anyway: 72.

#ifndef PTXMIR_ANALYSIS_REGISTER_BUDGET_H_
#define PTXMIR_ANALYSIS_REGISTER_BUDGET_H_

#include <cstdint>
#include <string>

#include "analysis/analysis_manager.h"
#include "ir/ir_nvvm.h"
#include "mir/code/machine_function.h"
#include "options/knobs.h"
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

  unsigned registers = 0;    // the target, adjustments (-reg-target-adjust) included
  unsigned allocated = 0;    // what an SM sets aside for a thread that uses them: on its allocation grid
  unsigned granularity = 1;  // the steps of that grid
  unsigned predicates = 0;   // the target for predicates: 7, adjusted (-pred-target-adjust)
  unsigned full = 0;         // up to which all the warps that an SM holds are resident: fewer gain nothing there
  bool is_hard = false;      // the target is somebody's limit: ptxas will spill what goes beyond
  unsigned limit = 0;        // what ptxas will not exceed, whatever the target; 255 if nobody limits it
  Origin origin = Origin::kDefault;
  unsigned cta_threads = 0;  // the largest CTA that the function may be launched with; 0: not known
  // "64 registers: .maxntid 256 with .minnctapersm 4 on sm_80".
  std::string text;
};

// Predicate registers of a thread (P0 to P6; the eighth is the constant true).
inline constexpr unsigned kPredicateRegisters = 7;
// What a CTA is taken to have where nobody says how large it is.
inline constexpr unsigned kAssumedCtaThreads = 256;
// ptxas takes no limit below.
inline constexpr unsigned kLeastRegisterLimit = 24;

RegisterBudget ComputeRegisterBudget(const NvvmFunctionInfo& info, const Knobs& knobs, const ptx::SmInfo& sm);
// Of a function in a module, or of one without.
RegisterBudget ComputeRegisterBudget(const MachineFunction& function, const Knobs& knobs, const ptx::SmInfo& sm);
// For the GPU and with the knobs that a pipeline was given; for sm_80 where it was given no GPU.
RegisterBudget ComputeRegisterBudget(const MachineFunction& function, const AnalysisInputs& inputs);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_REGISTER_BUDGET_H_

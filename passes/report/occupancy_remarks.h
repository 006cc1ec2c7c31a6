// SPDX-License-Identifier: Apache-2.0

// Remarks of the pseudo pass "occupancy": which pass made fewer warps of a kernel fit on an SM, and what keeps the
// kernel from the next occupancy step.
//
// OccupancyLowered (missed): the registers that live at once crossed an occupancy step in a pass and stayed there to
// the end, with the values that live at the new peak and did not at the old one. OccupancyLimited (analysis), at the
// end: the step that max-live allows, the next one, and whether what lives at the peak could be had back, and how.
//
// Max-live is what ptxmir knows; ptxas may do with fewer registers or need more. Costs a look at the pressure after
// each pass that changed the function, and nothing where nobody asked for these remarks.

#ifndef PTXMIR_PASSES_REPORT_OCCUPANCY_REMARKS_H_
#define PTXMIR_PASSES_REPORT_OCCUPANCY_REMARKS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/register_budget.h"
#include "mir/code/machine_function.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {

inline constexpr std::string_view kOccupancyRemarks = "occupancy";

class OccupancyRemarks {
 public:
  // Of a kernel, as it was read.
  OccupancyRemarks(MachineFunction& function, AnalysisManager& analyses, const ptx::SmInfo& sm);

  // A pass has changed the kernel; `pass` is kept.
  void NotePass(std::string_view pass);
  // Behind the last pass.
  void Emit();

 private:
  struct Step {
    uint32_t units = 0;
    unsigned ctas = 0;
    std::vector<Register> live;  // at the peak, ascending
  };
  struct Fall {
    std::string_view pass;
    uint32_t units_before;
    uint32_t units_after;
    unsigned ctas_before;
    std::string values;  // that live at the new peak alone
  };

  Step Measure();
  std::string ValuesOf(const Step& now) const;
  ptx::KernelResources Resources(uint32_t units) const;
  void EmitFall(const Fall& fall);
  void EmitLimit();

  MachineFunction& function_;
  AnalysisManager& analyses_;
  const ptx::SmInfo& sm_;
  RegisterBudget budget_;
  Step last_;
  std::vector<Fall> falls_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_OCCUPANCY_REMARKS_H_

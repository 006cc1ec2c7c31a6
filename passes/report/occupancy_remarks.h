// SPDX-License-Identifier: Apache-2.0

// The remarks of the pseudo pass "occupancy": which pass reduced the number of a kernel's warps that fit on an SM,
// and what keeps the kernel from the next occupancy step.
//
// OccupancyLowered (missed): in some pass, the number of registers live at once crossed an occupancy step, and it
// stayed there to the end. The remark lists the values that are live at the new peak but were not live at the old
// one. OccupancyLimited (analysis), at the end: the step that max-live allows, the next step, and which of the
// values live at the peak could be removed from it, and how.
//
// Max-live is ptxmir's measure; ptxas may manage with fewer registers or need more. The cost is one pressure query
// after each pass that changed the function, and nothing if these remarks are not requested.

#ifndef PTXMIR_PASSES_REPORT_OCCUPANCY_REMARKS_H_
#define PTXMIR_PASSES_REPORT_OCCUPANCY_REMARKS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/pressure/register_budget.h"
#include "mir/code/machine_function.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {

inline constexpr std::string_view kOccupancyRemarks = "occupancy";

class OccupancyRemarks {
 public:
  // Starts tracking a kernel, as it was read.
  OccupancyRemarks(MachineFunction& function, AnalysisManager& analyses, const ptx::SmInfo& sm);

  // Records that a pass has changed the kernel. Keeps a reference to `pass`.
  void NotePass(std::string_view pass);
  // Emits the remarks. To be called after the last pass.
  void Emit();

 private:
  struct Step {
    uint32_t units = 0;
    unsigned ctas = 0;
    std::vector<Register> live;  // at the peak, in ascending order
  };
  struct Fall {
    std::string_view pass;
    uint32_t units_before;
    uint32_t units_after;
    unsigned ctas_before;
    std::string values;  // the values that are live only at the new peak
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

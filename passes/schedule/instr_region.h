// SPDX-License-Identifier: Apache-2.0

// InstrRegion: a piece of a block whose instructions a scheduler may put in another order.

#ifndef PTXMIR_PASSES_SCHEDULE_INSTR_REGION_H_
#define PTXMIR_PASSES_SCHEDULE_INSTR_REGION_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "mir/code/machine_function.h"
#include "passes/schedule/schedule_region.h"

namespace ptxmir {

// The instructions between two boundaries, without debug instructions.
struct InstrRegion {
  MachineBasicBlock& block;
  MachineInstr* below;                      // null at the end of the block
  std::vector<MachineInstr*> instrs;        // in program order
  std::vector<MachineInstr*> debug_instrs;  // the debug instructions between them, in program order
};

// Visits a block from the last instruction up to its PHIs: the instructions that bound regions, and the regions.
void VisitUpwards(MachineBasicBlock& block, absl::FunctionRef<void(MachineInstr&)> visit_boundary,
                  absl::FunctionRef<void(const InstrRegion&)> visit_region);

// Steps over the region from below. Returns the most units that are live in it.
uint32_t PeakOf(const InstrRegion& region, LiveUnits& live);

// Puts the region in another order: `sequence` has positions in the old one, from the top. Debug instructions stay
// after the instruction that they followed and after the definition that they describe. If that is impossible because
// the register has been overwritten since, the variable becomes undefined.
void Reorder(const InstrRegion& region, const std::vector<uint32_t>& sequence);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_INSTR_REGION_H_

// SPDX-License-Identifier: Apache-2.0

// early-ifcvt's judgment of a region: whether straight-line code is worth more than the branch.
//
// Three questions, in LLVM's order of EarlyIfConverter::shouldConvertIf, with what is different on a GPU:
// - Issue. LLVM compares the resource length of the trace after conversion with its critical path, to see whether idle
//   units can take the speculated instructions. An SM fills idle units with other warps, so what counts is the number
//   of issue cycles: those of both sides and of the selects, against those of the branch and of the sides as often as a
//   warp executes them. Under a uniform branch that is the side's probability. Under a divergent one, a warp skips a
//   side only if none of its 32 threads takes it, and it also pays for coming together again.
// - Depth. LLVM accepts that the critical path grows by half of a mispredicted branch. No GPU predicts branches: before
//   conversion, nothing after the branch is issued before its condition is known. So only a value of a side can make
//   the tail wait longer, and only a side that the warp would not have executed. The depths and the slack of the PHIs
//   are those of machine-trace-metrics.
// - Registers. All values of the sides are live at the end of the head. The estimate is an upper bound, and may exceed
//   neither the target (as machine-cse has it: of the budget and the registers of full occupancy the smaller) nor what
//   the function needs elsewhere.

#ifndef PTXMIR_PASSES_CONTROL_FLOW_IF_CONVERSION_PROFIT_H_
#define PTXMIR_PASSES_CONTROL_FLOW_IF_CONVERSION_PROFIT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "analysis/frequency/machine_trace_metrics.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/values/uniformity.h"
#include "passes/control_flow/if_region.h"
#include "passes/pass_context.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

class IfConversionProfit {
 public:
  IfConversionProfit(MachineFunction& function, PassContext& context);

  struct Verdict {
    std::string_view refusal;  // empty: convert
    // In hundredths of issue cycles per execution of the branch.
    uint64_t before = 0, after = 0;
    bool is_uniform = false;
  };
  Verdict Judge(const IfRegion& region, absl::Span<const IfSelect> selects);

 private:
  // Returns the issue cycles of a side's instructions, without its jump.
  uint64_t IssueOf(const MachineBasicBlock* side) const;
  // Returns how often a warp that executes the branch executes the side, in hundredths.
  uint64_t ShareOf(const IfRegion& region, const MachineBasicBlock* side, bool is_uniform) const;
  bool DelaysTail(const IfRegion& region, absl::Span<const IfSelect> selects, const Verdict& verdict);
  bool FitsRegisters(const IfRegion& region, absl::Span<const IfSelect> selects) const;

  const MachineFunction& function_;
  const ptx::MachineModel& model_;
  const MachineBranchProbabilities& probabilities_;
  const Uniformity& uniformity_;
  const MachineRegisterPressure& pressure_;
  TraceEnsemble& traces_;
  uint32_t max_units_ = 0;
  uint32_t max_predicates_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_CONTROL_FLOW_IF_CONVERSION_PROFIT_H_

// SPDX-License-Identifier: Apache-2.0

#include "passes/run/size_remarks.h"

#include <cstdint>

#include "analysis/frequency/machine_opt_remark_emitter.h"

namespace ptxmir {

void SizeRemarks::BeforeStep(const PipelineStep& step) {
  if (step.pass != nullptr) before_ = function_.CountInstrs();
}

void SizeRemarks::AfterStep(const PipelineStep& step, StepReport&) {
  if (step.pass == nullptr) return;
  const size_t after = function_.CountInstrs();
  if (after == before_) return;
  const int64_t delta = static_cast<int64_t>(after) - static_cast<int64_t>(before_);
  analyses_.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kAnalysis, kSizeInfo, "FunctionMISizeChange", function_)
           << RemarkArg("Pass", step.pass->description) << ": Function: " << RemarkArg("Function", function_.name())
           << ": "
           << "MI Instruction count changed from " << RemarkArg("MIInstrsBefore", before_) << " to "
           << RemarkArg("MIInstrsAfter", after) << "; Delta: " << RemarkArg("Delta", delta);
  });
}

}  // namespace ptxmir

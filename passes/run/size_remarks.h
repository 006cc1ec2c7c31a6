// SPDX-License-Identifier: Apache-2.0

// The remarks "size-info" about passes that add or remove instructions, in LLVM's words. As in LLVM, they are reported
// only to a user who requests them on stderr.

#ifndef PTXMIR_PASSES_RUN_SIZE_REMARKS_H_
#define PTXMIR_PASSES_RUN_SIZE_REMARKS_H_

#include <cstddef>
#include <string_view>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"
#include "passes/run/pipeline_observer.h"

namespace ptxmir {

inline constexpr std::string_view kSizeInfo = "size-info";

class SizeRemarks : public PipelineObserver {
 public:
  SizeRemarks(const MachineFunction& function, AnalysisManager& analyses) : function_(function), analyses_(analyses) {}

  void BeforeStep(const PipelineStep& step) override;
  void AfterStep(const PipelineStep& step, StepReport& report) override;

 private:
  const MachineFunction& function_;
  AnalysisManager& analyses_;
  size_t before_ = 0;  // the number of instructions before the step
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_SIZE_REMARKS_H_

// SPDX-License-Identifier: Apache-2.0

// -time-passes: measures the time that each step takes.

#ifndef PTXMIR_PASSES_RUN_STEP_TIMING_H_
#define PTXMIR_PASSES_RUN_STEP_TIMING_H_

#include <chrono>

#include "passes/run/pipeline_observer.h"

namespace ptxmir {

class StepTiming : public PipelineObserver {
 public:
  void BeforeStep(const PipelineStep& step) override;
  void AfterStep(const PipelineStep& step, StepReport& report) override;

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_STEP_TIMING_H_

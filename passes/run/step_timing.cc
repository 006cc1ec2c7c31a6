// SPDX-License-Identifier: Apache-2.0

#include "passes/run/step_timing.h"

namespace ptxmir {

void StepTiming::BeforeStep(const PipelineStep&) { start_ = std::chrono::steady_clock::now(); }

void StepTiming::AfterStep(const PipelineStep&, StepReport& report) {
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace ptxmir

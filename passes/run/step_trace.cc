// SPDX-License-Identifier: Apache-2.0

#include "passes/run/step_trace.h"

namespace ptxmir {
namespace {

bool IsTraced(const PipelineStep& step) { return step.action != PipelineStep::Action::kBanner; }

}  // namespace

void StepTrace::BeforeStep(const PipelineStep& step) {
  if (!IsTraced(step)) return;
  name_ = step.Name();
  events_.Begin(name_, function_.name());
}

void StepTrace::AfterStep(const PipelineStep& step, StepReport&) {
  if (IsTraced(step)) events_.End();
}

}  // namespace ptxmir

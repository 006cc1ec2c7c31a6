// SPDX-License-Identifier: Apache-2.0

#include "passes/run/execution_observer.h"

namespace ptxmir {

void ExecutionObserver::BeginFunction() { checker_.Begin(function_); }

bool ExecutionObserver::AfterPass(const PipelineStep& step, bool changed) {
  return !changed || checker_.Check(function_, *step.pass, diagnostics_);
}

void ExecutionObserver::EndFunction() { checker_.EmitRemarks(function_, analyses_.Get<MachineOptRemarkEmitter>()); }

}  // namespace ptxmir

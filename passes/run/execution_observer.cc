// SPDX-License-Identifier: Apache-2.0

#include "passes/run/execution_observer.h"

namespace ptxmir {

void ExecutionObserver::BeginFunction() { checker_.Begin(function_); }

// CheckModulePass has made the module with its functions after that pass the input of what follows.
void ExecutionObserver::ResumeFunction() { checker_.Begin(function_); }

bool ExecutionObserver::AfterPass(const PipelineStep& step, bool changed) {
  // A function after a pass over the module runs only together with the others: CheckModulePass.
  if (step.pass->run_on_module != nullptr) return true;
  return !changed || checker_.Check(function_, *step.pass, diagnostics_);
}

void ExecutionObserver::EndFunction() { checker_.EmitRemarks(function_, analyses_.Get<MachineOptRemarkEmitter>()); }

}  // namespace ptxmir

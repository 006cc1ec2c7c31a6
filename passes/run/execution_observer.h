// SPDX-License-Identifier: Apache-2.0

// -verify-exec: has the execution checker compare the function with its previous version after passes that changed it.

#ifndef PTXMIR_PASSES_RUN_EXECUTION_OBSERVER_H_
#define PTXMIR_PASSES_RUN_EXECUTION_OBSERVER_H_

#include "analysis/analysis_manager.h"
#include "base/diagnostics.h"
#include "mir/code/machine_function.h"
#include "passes/equivalence/execution_check.h"
#include "passes/run/pipeline_observer.h"

namespace ptxmir {

class ExecutionObserver : public PipelineObserver {
 public:
  ExecutionObserver(const MachineFunction& function, AnalysisManager& analyses, ExecutionChecker& checker,
                    DiagnosticEngine& diagnostics)
      : function_(function), analyses_(analyses), checker_(checker), diagnostics_(diagnostics) {}

  void BeginFunction() override;
  void ResumeFunction() override;
  bool AfterPass(const PipelineStep& step, bool changed) override;
  void EndFunction() override;

 private:
  const MachineFunction& function_;
  AnalysisManager& analyses_;
  ExecutionChecker& checker_;
  DiagnosticEngine& diagnostics_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_EXECUTION_OBSERVER_H_

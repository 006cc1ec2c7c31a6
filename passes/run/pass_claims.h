// SPDX-License-Identifier: Apache-2.0

// Checks that what passes return is true: a pass that says that it changed nothing has left the function as it was,
// and the analyses that it says are preserved equal recomputed ones.

#ifndef PTXMIR_PASSES_RUN_PASS_CLAIMS_H_
#define PTXMIR_PASSES_RUN_PASS_CLAIMS_H_

#include <cstdint>

#include "analysis/analysis_manager.h"
#include "base/diagnostics.h"
#include "mir/code/machine_function.h"
#include "passes/run/pipeline_observer.h"

namespace ptxmir {

class PassClaims : public PipelineObserver {
 public:
  // Checks the passes of clients, and all other passes too if `checks_all`.
  PassClaims(const MachineFunction& function, AnalysisManager& analyses, bool checks_all, DiagnosticEngine& diagnostics)
      : function_(function), analyses_(analyses), checks_all_(checks_all), diagnostics_(diagnostics) {}

  void BeforeStep(const PipelineStep& step) override;
  bool AfterPass(const PipelineStep& step, bool changed) override;

 private:
  bool IsChecked(const PipelineStep& step) const {
    return step.pass != nullptr && (checks_all_ || step.client != nullptr);
  }

  const MachineFunction& function_;
  AnalysisManager& analyses_;
  const bool checks_all_;
  DiagnosticEngine& diagnostics_;
  uint64_t fingerprint_ = 0;  // of the function before the step
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_PASS_CLAIMS_H_

// SPDX-License-Identifier: Apache-2.0

// Runs the machine verifier after passes.

#ifndef PTXMIR_PASSES_RUN_PASS_VERIFICATION_H_
#define PTXMIR_PASSES_RUN_PASS_VERIFICATION_H_

#include <string>

#include "base/diagnostics.h"
#include "base/time_trace.h"
#include "mir/code/machine_function.h"
#include "passes/run/pipeline_observer.h"

namespace ptxmir {

// Runs the machine verifier as an event of the trace, which may be null. Returns false if an error was reported; its
// message begins with the banner.
bool VerifyFunction(const MachineFunction& function, const std::string& banner, TimeTrace* time_trace,
                    DiagnosticEngine& diagnostics);

class PassVerification : public PipelineObserver {
 public:
  // Verifies the function after the passes of clients, and after all other passes too if `verifies_all`.
  PassVerification(const MachineFunction& function, bool verifies_all, TimeTrace* time_trace,
                   DiagnosticEngine& diagnostics)
      : function_(function), verifies_all_(verifies_all), time_trace_(time_trace), diagnostics_(diagnostics) {}

  bool AfterPass(const PipelineStep& step, bool changed) override;

 private:
  const MachineFunction& function_;
  const bool verifies_all_;
  TimeTrace* const time_trace_;  // may be null
  DiagnosticEngine& diagnostics_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_PASS_VERIFICATION_H_

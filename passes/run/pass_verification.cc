// SPDX-License-Identifier: Apache-2.0

#include "passes/run/pass_verification.h"

#include "base/str_cat.h"
#include "mir/verify/verifier.h"

namespace ptxmir {

bool VerifyFunction(const MachineFunction& function, const std::string& banner, TimeTrace* time_trace,
                    DiagnosticEngine& diagnostics) {
  const TimeTraceScope traced(time_trace, "Verify", function.name());
  return VerifyMachineFunction(function, diagnostics, banner.c_str());
}

bool PassVerification::AfterPass(const PipelineStep& step, bool /*changed*/) {
  if (!verifies_all_ && step.client == nullptr) return true;
  return VerifyFunction(function_, StrCat("After ", step.pass->description), time_trace_, diagnostics_);
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "passes/run/pass_claims.h"

#include <string>

#include "base/str_cat.h"
#include "mir/code/function_fingerprint.h"

namespace ptxmir {

void PassClaims::BeforeStep(const PipelineStep& step) {
  if (IsChecked(step)) fingerprint_ = FunctionFingerprint(function_);
}

bool PassClaims::AfterPass(const PipelineStep& step, bool changed) {
  if (!IsChecked(step)) return true;
  std::string wrong;
  if (!changed && FunctionFingerprint(function_) != fingerprint_) {
    wrong = "changed the function and says that it did not";
  } else if (const std::string stale = analyses_.CheckCached(); !stale.empty()) {
    wrong = StrCat("says that it preserved an analysis that no longer holds: ", stale);
  }
  if (wrong.empty()) return true;
  diagnostics_.Error(StrCat("pass '", step.pass->name, "' on function '", function_.name(), "' ", wrong));
  return false;
}

}  // namespace ptxmir

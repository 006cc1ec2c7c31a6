// SPDX-License-Identifier: Apache-2.0

// Compilations for comparison: what -autotune and -opt-bisect share.

#ifndef PTXMIR_TOOLS_TRIAL_H_
#define PTXMIR_TOOLS_TRIAL_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "ptx/target/subtarget.h"
#include "tools/support/ptxas.h"

namespace ptxmir {

// Returns the options without output and checks around a compilation.
DriverOptions OptionsForTrials(const DriverOptions& options);

// Reads the input. Returns null after an error was reported.
std::shared_ptr<const SourceBuffer> ReadTrialInput(const DriverOptions& options, DiagnosticEngine& diagnostics);

// Returns ptxas with the flags and the cache that the options ask for (-autotune-ptxas-flags, -autotune-cache).
absl::StatusOr<Ptxas> PtxasForTrials(const DriverOptions& options, const ptx::Subtarget& subtarget);

// Returns the whole output of a compilation.
std::string OutputOf(const Compilation& compilation);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_TRIAL_H_

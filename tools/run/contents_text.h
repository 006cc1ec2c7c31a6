// SPDX-License-Identifier: Apache-2.0

// The contents of the buffers and surfaces after a run, as ptxmir-run prints them.

#ifndef PTXMIR_TOOLS_RUN_CONTENTS_TEXT_H_
#define PTXMIR_TOOLS_RUN_CONTENTS_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "tools/run/kernel_run.h"
#include "tools/run/kernel_run_options.h"

namespace ptxmir {

// Returns for each buffer and surface (those of arguments first) a line with its hash. If the options ask for
// values, lines with its first elements follow; those of a surface are printed by row.
std::string ContentsText(const KernelRunOptions& options, const KernelRun& run);

// Writes the contents of the arguments' buffers to files in options.save_folder; see saved_run.h.
absl::Status SaveContents(const KernelRunOptions& options, const KernelRun& run);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_CONTENTS_TEXT_H_

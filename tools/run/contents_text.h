// SPDX-License-Identifier: Apache-2.0

// What became of the buffers and surfaces of a run, as ptxmir-run prints it.

#ifndef PTXMIR_TOOLS_RUN_CONTENTS_TEXT_H_
#define PTXMIR_TOOLS_RUN_CONTENTS_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "tools/run/kernel_run.h"
#include "tools/run/run_options.h"

namespace ptxmir {

// For each buffer and surface, of arguments first: a line with its hash, and lines with its first elements if the
// options ask for values; those of a surface by row.
std::string ContentsText(const KernelRunOptions& options, const KernelRun& run);

// Writes what the buffers of arguments hold to files in options.save_folder; see saved_run.h.
absl::Status SaveContents(const KernelRunOptions& options, const KernelRun& run);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_CONTENTS_TEXT_H_

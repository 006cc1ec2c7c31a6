// SPDX-License-Identifier: Apache-2.0

// Files of a run: what buffers hold before and after it, and the options that run the same once more, in the
// interpreter or on a GPU.
//
//     options              one a line: --grid=2,1,1, --arg=buffer:u32:64:file:FOLDER/argument_0.before ...
//     argument_N.before    of each buffer that somebody has written
//     argument_N.after     undefined bits are 0
//     argument_N.undefined which these are, if there are any

#ifndef PTXMIR_TOOLS_RUN_SAVED_RUN_H_
#define PTXMIR_TOOLS_RUN_SAVED_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tools/run/run_options.h"

namespace ptxmir {

// `what`: before, after or undefined. The folder must exist. Errors: the file cannot be written.
absl::Status SaveArgument(std::string_view folder, size_t argument, std::string_view what,
                          absl::Span<const uint8_t> bytes);

// Writes `options` and the contents before the run. Errors also where there are surfaces or variables to set, of which
// no file tells.
absl::Status SaveInput(std::string_view folder, const KernelRunOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_SAVED_RUN_H_

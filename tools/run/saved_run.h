// SPDX-License-Identifier: Apache-2.0

// The files of a saved run: the contents of buffers before and after it, and the options that repeat the run in
// the interpreter or on a GPU.
//
//     options              one per line: --grid=2,1,1, --arg=buffer:u32:64:file:FOLDER/argument_0.before ...
//     argument_N.before    for each buffer that has been written
//     argument_N.after     with undefined bits as 0
//     argument_N.undefined the undefined bits, if there are any

#ifndef PTXMIR_TOOLS_RUN_SAVED_RUN_H_
#define PTXMIR_TOOLS_RUN_SAVED_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tools/run/kernel_run_options.h"

namespace ptxmir {

// Writes one file of an argument. `what` is before, after or undefined. The folder must exist. Returns an error if
// the file cannot be written.
absl::Status SaveArgument(std::string_view folder, size_t argument, std::string_view what,
                          absl::Span<const uint8_t> bytes);

// Writes `options` and the contents before the run. Also returns an error if there are surfaces or variables to
// set, which the files cannot express.
absl::Status SaveInput(std::string_view folder, const KernelRunOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_SAVED_RUN_H_

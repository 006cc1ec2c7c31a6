// SPDX-License-Identifier: Apache-2.0

// `ptxmir` as a function, so that tests can run it without a process.

#ifndef PTXMIR_TOOLS_DRIVER_H_
#define PTXMIR_TOOLS_DRIVER_H_

#include <string_view>

#include "absl/types/span.h"

namespace ptxmir {

// Runs the tool on the arguments behind the program's name. Returns the exit status: 0, or 1 when an error
// was printed to stderr; then nothing has been written to the output.
int RunDriver(absl::Span<const std::string_view> arguments);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_DRIVER_H_

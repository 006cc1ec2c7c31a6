// SPDX-License-Identifier: Apache-2.0

// The tool `ptxmir` as a function, so that tests can run it without a process.

#ifndef PTXMIR_TOOLS_DRIVER_H_
#define PTXMIR_TOOLS_DRIVER_H_

#include <string_view>

#include "absl/types/span.h"

namespace ptxmir {

// Runs the tool on the arguments after the program's name. Returns the exit status: 0, or 1 if an error was
// printed to stderr. In case of an error nothing has been written to the output.
int RunDriver(absl::Span<const std::string_view> arguments);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_DRIVER_H_

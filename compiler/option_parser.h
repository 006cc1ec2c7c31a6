// SPDX-License-Identifier: Apache-2.0

// The parser of the command line.

#ifndef PTXMIR_COMPILER_OPTION_PARSER_H_
#define PTXMIR_COMPILER_OPTION_PARSER_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/driver_options.h"

namespace ptxmir {

// Parses the arguments after the program's name, with LLVM's conventions: one dash or two, `-name=value` or
// `-name value`, switches with or without `=true` and `=false`, and files after `--`. Knobs, pass options and options
// of llc are accepted in the same form. An error (kInvalidArgument) names the argument and, if it is unknown, its
// counterpart here or the nearest option. `options.warnings` says which options have no effect.
absl::Status ParseCommandLine(absl::Span<const std::string_view> arguments, DriverOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_PARSER_H_

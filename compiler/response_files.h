// SPDX-License-Identifier: Apache-2.0

// Response files: an argument "@file" stands for the arguments in the file.

#ifndef PTXMIR_COMPILER_RESPONSE_FILES_H_
#define PTXMIR_COMPILER_RESPONSE_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace ptxmir {

// Splits a text into arguments by LLVM's rules for a GNU command line: white space separates; a backslash keeps the
// next character; single quotes keep what is between them; so do double quotes, except for backslashes. A quotation
// without an end ends with the text.
std::vector<std::string> SplitArguments(std::string_view text);

// Replaces each "@file" by the arguments in the file, which may be such arguments themselves. Errors
// (kInvalidArgument, kNotFound): a file cannot be read, or includes itself.
absl::StatusOr<std::vector<std::string>> ExpandResponseFiles(absl::Span<const std::string_view> arguments);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_RESPONSE_FILES_H_

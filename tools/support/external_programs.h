// SPDX-License-Identifier: Apache-2.0

// External programs that ours are compared with.

#ifndef PTXMIR_TOOLS_SUPPORT_EXTERNAL_PROGRAMS_H_
#define PTXMIR_TOOLS_SUPPORT_EXTERNAL_PROGRAMS_H_

#include <string>
#include <string_view>
#include <vector>

namespace ptxmir {

// Return the paths of the programs, or an empty string if there is none. FindPtxas searches PATH, $CUDA_HOME/bin
// and /usr/local/cuda/bin.
std::string FindLlc();
std::string FindRemarkutil();
std::string FindOpt();
std::string FindPtxas();

// Returns the argument as a shell takes it.
std::string QuotedForShell(std::string_view argument);

// Returns true if the command (program and arguments) exits with 0. Its output goes to `output`.
bool RunCommand(const std::vector<std::string>& command, std::string& output);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_SUPPORT_EXTERNAL_PROGRAMS_H_

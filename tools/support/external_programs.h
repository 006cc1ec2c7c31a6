// SPDX-License-Identifier: Apache-2.0

// Programs that others made and that ours are compared with.

#ifndef PTXMIR_TOOLS_SUPPORT_EXTERNAL_PROGRAMS_H_
#define PTXMIR_TOOLS_SUPPORT_EXTERNAL_PROGRAMS_H_

#include <string>
#include <vector>

namespace ptxmir {

// Paths of the programs; empty when there is none. ptxas is sought on PATH, in $CUDA_HOME/bin and in
// /usr/local/cuda/bin.
std::string FindLlc();
std::string FindRemarkutil();
std::string FindPtxas();

// Whether the command (program and arguments) exits with 0. What it prints goes to `output`.
bool RunCommand(const std::vector<std::string>& command, std::string& output);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_SUPPORT_EXTERNAL_PROGRAMS_H_

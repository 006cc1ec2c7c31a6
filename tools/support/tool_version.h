// SPDX-License-Identifier: Apache-2.0

// --version, which is the same for every tool.

#ifndef PTXMIR_TOOLS_SUPPORT_TOOL_VERSION_H_
#define PTXMIR_TOOLS_SUPPORT_TOOL_VERSION_H_

#include <string>
#include <string_view>

namespace ptxmir {

// Returns true for --version and -version.
inline bool IsVersionFlag(std::string_view argument) { return argument == "--version" || argument == "-version"; }

// Returns the output of --version.
std::string ToolVersionText(std::string_view tool);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_SUPPORT_TOOL_VERSION_H_

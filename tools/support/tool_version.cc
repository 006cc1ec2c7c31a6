// SPDX-License-Identifier: Apache-2.0

#include "tools/support/tool_version.h"

#include "base/str_cat.h"
#include "ptxmir/version.h"

namespace ptxmir {

std::string ToolVersionText(std::string_view tool) {
  return StrCat(tool, " version " PTXMIR_VERSION_STRING
                      "\n"
                      "  MIR:  LLVM 22, NVPTX\n"
                      "  PTX:  nvptx, nvptx64\n");
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// The files of the folder `page`, as the build puts them into the tool (embed_files.cc).

#ifndef PTXMIR_TOOLS_EXPLORE_PAGE_FILES_H_
#define PTXMIR_TOOLS_EXPLORE_PAGE_FILES_H_

#include <string_view>

#include "absl/types/span.h"

namespace ptxmir {

struct PageFile {
  std::string_view name;  // without its folder
  std::string_view text;
};

// Returns the files in the order of the BUILD file.
absl::Span<const PageFile> PageFiles();

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_EXPLORE_PAGE_FILES_H_

// SPDX-License-Identifier: Apache-2.0

#ifndef PTXMIR_TOOLS_EXPLORE_PAGE_H_
#define PTXMIR_TOOLS_EXPLORE_PAGE_H_

#include <string>

#include "absl/functional/function_ref.h"

namespace ptxmir {

// Returns the page that shows the data: one file of HTML that needs no other. `append_json` appends the data to it, as
// JSON without "<", so that no text in it can end the element that it is in.
std::string ExplorePage(absl::FunctionRef<void(std::string&)> append_json);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_EXPLORE_PAGE_H_

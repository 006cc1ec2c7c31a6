// SPDX-License-Identifier: Apache-2.0

#ifndef PTXMIR_TOOLS_EXPLORE_PAGE_H_
#define PTXMIR_TOOLS_EXPLORE_PAGE_H_

#include <string>
#include <string_view>

namespace ptxmir {

// Returns the page that shows the data: one file of HTML that needs no other. `json` is written such that no text in it
// can end the element that it is in.
std::string ExplorePage(std::string_view json);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_EXPLORE_PAGE_H_

// SPDX-License-Identifier: Apache-2.0

// FirstDifference: the first line in which two texts differ.

#ifndef PTXMIR_TOOLS_FUZZ_TEXT_DIFFERENCE_H_
#define PTXMIR_TOOLS_FUZZ_TEXT_DIFFERENCE_H_

#include <algorithm>
#include <string>
#include <string_view>

#include "base/str_cat.h"

namespace ptxmir::fuzz {

// Returns text such as "line 7: 'one' / 'other'".
inline std::string FirstDifference(std::string_view one, std::string_view other) {
  size_t line = 1;
  while (!one.empty() || !other.empty()) {
    const std::string_view a = one.substr(0, one.find('\n'));
    const std::string_view b = other.substr(0, other.find('\n'));
    if (a != b) return StrCat("line ", line, ": '", a.substr(0, 200), "' / '", b.substr(0, 200), "'");
    one.remove_prefix(std::min(one.size(), a.size() + 1));
    other.remove_prefix(std::min(other.size(), b.size() + 1));
    ++line;
  }
  return "no difference";
}

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_DIFFERENCE_H_

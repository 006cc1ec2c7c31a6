// SPDX-License-Identifier: Apache-2.0

// The difference between two texts, line by line, as diff(1) finds it.
//
// The algorithm is Myers's in linear space ("An O(ND) Difference Algorithm and Its Variations", 1986): a shortest edit
// script is split at its middle, and both halves are found in the same way. Where the texts differ in thousands of
// places, the script is split before its middle is known. It is then correct, but may not be the shortest.

#ifndef PTXMIR_BASE_LINE_DIFF_H_
#define PTXMIR_BASE_LINE_DIFF_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptxmir {

struct DiffLine {
  enum class Kind : uint8_t { kCommon, kRemoved, kAdded };
  Kind kind;
  std::string_view text;  // without the end of the line

  friend bool operator==(const DiffLine&, const DiffLine&) = default;
};

// Returns the lines of both texts in order. Between two common lines, those that were removed come first. The lines
// point into the texts.
std::vector<DiffLine> DiffLines(std::string_view before, std::string_view after);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_LINE_DIFF_H_

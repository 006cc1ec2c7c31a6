// SPDX-License-Identifier: Apache-2.0

// Matches text against CHECK lines, like LLVM's FileCheck. Only the part of it that our tests use is implemented.
//
//   CHECK: text           the text occurs somewhere after the previous match
//   CHECK-NEXT: text      the text occurs on the line after the previous match
//   CHECK-SAME: text      the text occurs on the same line, after the previous match
//   CHECK-NOT: text       the text does not occur between the surrounding matches
//   CHECK-DAG: text       a group of these may match in any order
//   CHECK-LABEL: text     splits the input: lines between two labels match only there
//   CHECK-EMPTY:          the next line is empty
//   CHECK-COUNT-3: text   the text occurs this many times, one after another
//
// In a text, {{...}} is a regular expression (RE2). [[NAME:...]] is one whose match is stored as NAME, and [[NAME]]
// is the stored match. A run of blanks matches any run of blanks.

#ifndef PTXMIR_TESTS_SUPPORT_FILE_CHECK_H_
#define PTXMIR_TESTS_SUPPORT_FILE_CHECK_H_

#include <string>
#include <string_view>

namespace ptxmir::testing {

// Checks `input` against the lines of `check_text` that have this prefix. Returns the first mismatch, or an empty
// string. A check text without any such line is an error.
std::string FileCheck(std::string_view check_text, std::string_view input, std::string_view prefix = "CHECK");

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_SUPPORT_FILE_CHECK_H_

// SPDX-License-Identifier: Apache-2.0

// Matching of text against CHECK lines, after LLVM's FileCheck: the part of it that our tests use.
//
//   CHECK: text           text occurs, somewhere after the previous match
//   CHECK-NEXT: text      on the line after the previous match
//   CHECK-SAME: text      on the same line, after the previous match
//   CHECK-NOT: text       does not occur between the matches around it
//   CHECK-DAG: text       a group of these may match in any order
//   CHECK-LABEL: text     splits the input: lines between two labels match only there
//   CHECK-EMPTY:          the next line is empty
//   CHECK-COUNT-3: text   that many matches, one after the other
//
// In a text, {{...}} is a regular expression (RE2), [[NAME:...]] one whose match is remembered as NAME, and
// [[NAME]] what was remembered. Runs of blanks match any run of blanks.

#ifndef PTXMIR_TESTS_SUPPORT_FILE_CHECK_H_
#define PTXMIR_TESTS_SUPPORT_FILE_CHECK_H_

#include <string>
#include <string_view>

namespace ptxmir::testing {

// Checks `input` against the lines of `check_text` that carry `prefix`. Returns what is wrong, or an empty
// string. A check text without any such line is wrong.
std::string FileCheck(std::string_view check_text, std::string_view input, std::string_view prefix = "CHECK");

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_SUPPORT_FILE_CHECK_H_

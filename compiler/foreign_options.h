// SPDX-License-Identifier: Apache-2.0

// Hints for options of nvcc, ptxas and clang that users know but that ptxmir does not have.

#ifndef PTXMIR_COMPILER_FOREIGN_OPTIONS_H_
#define PTXMIR_COMPILER_FOREIGN_OPTIONS_H_

#include <string>
#include <string_view>

namespace ptxmir {

// Returns the words that say which option of ptxmir to use, or an empty string if the option is not known. `name` is
// without dashes. `value` is the text after "=", or the next argument.
std::string ForeignOptionHint(std::string_view name, std::string_view value);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_FOREIGN_OPTIONS_H_

// SPDX-License-Identifier: Apache-2.0

// Texts that describe the options. All are made from the table of options.

#ifndef PTXMIR_COMPILER_OPTION_HELP_H_
#define PTXMIR_COMPILER_OPTION_HELP_H_

#include <string>

namespace ptxmir {

// Returns the output of --help.
std::string HelpText();

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_HELP_H_

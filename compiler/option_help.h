// SPDX-License-Identifier: Apache-2.0

// Texts that describe the options. All are made from the list of options.

#ifndef PTXMIR_COMPILER_OPTION_HELP_H_
#define PTXMIR_COMPILER_OPTION_HELP_H_

#include <string>
#include <string_view>

namespace ptxmir {

// Returns the output of --help, or of -help-hidden.
std::string HelpText(bool with_hidden = false);

// Returns the output of -help-list, or of -help-list-hidden: the options in alphabetical order.
std::string HelpListText(bool with_hidden);

// Returns the man page, in the language of man(7).
std::string ManPage();

// Returns docs/option-reference.md.
std::string OptionReference();

// Returns the completion of "bash", "zsh" or "fish".
std::string CompletionScript(std::string_view shell);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_HELP_H_

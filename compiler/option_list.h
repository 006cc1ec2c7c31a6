// SPDX-License-Identifier: Apache-2.0

// One list of everything that the command line takes: the tool's own options, those of remarks, knobs, flags of pass
// options, and what is accepted because llc has it. Help, man page, completion and reference are made from it.

#ifndef PTXMIR_COMPILER_OPTION_LIST_H_
#define PTXMIR_COMPILER_OPTION_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "compiler/option_table.h"

namespace ptxmir {

struct ListedOption {
  std::string_view name;  // without dashes
  OptionArgument argument;
  std::string value_name;  // empty for OptionArgument::kNone
  std::string help;
  std::string_view heading;
  bool is_hidden;

  // Returns the option as a user writes it: "-mcpu=<sm_NN>".
  std::string Usage() const;
};

// Returns the options that --help shows, by heading: those that are used most first.
std::vector<ListedOption> ShownOptions();

// Returns all options: those shown, hidden ones, knobs, and options of llc.
std::vector<ListedOption> AllOptions();

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_LIST_H_

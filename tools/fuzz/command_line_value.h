// SPDX-License-Identifier: Apache-2.0

// TakeValue: parses the options on the fuzzers' command lines.

#ifndef PTXMIR_TOOLS_FUZZ_COMMAND_LINE_VALUE_H_
#define PTXMIR_TOOLS_FUZZ_COMMAND_LINE_VALUE_H_

#include <string_view>

namespace ptxmir::fuzz {

// Parses "--name=value", where `name` is "--name=". Returns false if the argument does not begin with `name`.
inline bool TakeValue(std::string_view argument, std::string_view name, std::string_view& value) {
  if (!argument.starts_with(name)) return false;
  value = argument.substr(name.size());
  return true;
}

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_COMMAND_LINE_VALUE_H_

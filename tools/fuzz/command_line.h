// SPDX-License-Identifier: Apache-2.0

// The parts that the fuzzers' command lines share.

#ifndef PTXMIR_TOOLS_FUZZ_COMMAND_LINE_H_
#define PTXMIR_TOOLS_FUZZ_COMMAND_LINE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace ptxmir::fuzz {

// Parses "--name=value", where `name` is "--name=". Returns false if the argument does not begin with `name`.
inline bool TakeValue(std::string_view argument, std::string_view name, std::string_view& value) {
  if (!argument.starts_with(name)) return false;
  value = argument.substr(name.size());
  return true;
}

// Makes the folder for findings if there is none. Returns an error, or an empty string.
inline std::string MakeFindingsFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? "cannot make the folder '" + folder + "': " + error.message() : std::string();
}

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_COMMAND_LINE_H_

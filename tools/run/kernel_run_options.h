// SPDX-License-Identifier: Apache-2.0

// The command line of ptxmir-run.

#ifndef PTXMIR_TOOLS_RUN_KERNEL_RUN_OPTIONS_H_
#define PTXMIR_TOOLS_RUN_KERNEL_RUN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/interpreter/exec/device.h"
#include "tools/run/kernel_argument.h"

namespace ptxmir {

struct KernelRunOptions {
  enum class Show : uint8_t { kHash, kValues, kNothing };

  std::string input;  // "-" is standard input
  ptx::LaunchConfig launch;
  std::vector<KernelArgumentSpec> arguments;
  std::vector<std::pair<std::string, KernelArgumentSpec>> variables;  // by name
  std::optional<uint64_t> generated_input;  // the number of the input; grid, block and arguments are generated
  std::string save_folder;                  // empty: nothing is saved
  Show show = Show::kHash;
  uint64_t max_shown = 64;
  bool show_counts = false;
  bool show_help = false;
  bool show_version = false;
};

// Errors (kInvalidArgument) name the wrong option and say what it expects.
absl::Status ParseRunCommandLine(absl::Span<const std::string_view> arguments, KernelRunOptions& options);

std::string RunHelpText();

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_KERNEL_RUN_OPTIONS_H_

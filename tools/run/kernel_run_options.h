// SPDX-License-Identifier: Apache-2.0

// The command lines of ptxmir-run and ptxmir-gpu-run.

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

// Where a kernel runs: ptxmir-run is the interpreter's tool and ptxmir-gpu-run the GPU's. Most options are for both.
enum class RunTool : uint8_t { kInterpreter, kGpu };

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
  // For a GPU alone.
  uint32_t copies = 1;        // the grid is launched with so many times its extent in z
  uint32_t num_timed = 0;     // launches that are timed after the run
  uint32_t fill_time = 0;     // microseconds; how many copies take so long is found out after the run
  std::string commands_file;  // runs to do, one command line per line; "-" is standard input
  bool show_help = false;
  bool show_version = false;
};

// Errors (kInvalidArgument) name the wrong option and say what it expects.
absl::Status ParseRunCommandLine(RunTool tool, absl::Span<const std::string_view> arguments, KernelRunOptions& options);

std::string RunHelpText(RunTool tool);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_KERNEL_RUN_OPTIONS_H_

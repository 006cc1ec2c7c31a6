// SPDX-License-Identifier: Apache-2.0

// The command line of `ptxmir`: one table of options, which the parser and --help read.

#ifndef PTXMIR_COMPILER_DRIVER_OPTIONS_H_
#define PTXMIR_COMPILER_DRIVER_OPTIONS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/time_trace.h"
#include "compiler/option_sets.h"
#include "options/knobs.h"
#include "options/pass_option_registry.h"
#include "options/remark_options.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/pipeline_runner.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {

struct DriverOptions {
  std::string input;  // "-": standard input; empty: none given
  std::string output = "-";
  std::string cpu;         // -mcpu
  std::string attributes;  // -mattr
  PipelineOptions pipeline;
  RunOptions run;
  Knobs knobs;
  // NVVMPassOptions as given; what is filled from it points into it.
  std::shared_ptr<PassOptionRegistry> pass_options = std::make_shared<PassOptionRegistry>();
  RemarkOptions remarks;
  bool time_trace = false;
  std::string time_trace_file;  // empty: the output's name with .time-trace behind it
  std::chrono::microseconds time_trace_granularity = TimeTrace::kDefaultGranularity;
  // -pressure-report: where it goes; empty: nowhere.
  std::string pressure_report_file;
  bool explain_registers = false;
  // -count-executed: generated launches of each kernel, before and after compilation; 0: none.
  unsigned count_executed_launches = 0;
  bool fail_on_spill = false;
  // -max-registers-expected: more live at once in a function is an error; 0: no limit.
  unsigned max_registers_expected = 0;
  // -occupancy: the kernel to describe; without threads: none.
  ptx::KernelResources occupancy;
  // -autotune=ptxas: choose the knobs of each kernel by what ptxas makes of it.
  bool autotune = false;
  // Beside the sets that there are anyway: "NAME: FLAGS".
  std::vector<OptionSet> autotune_sets;
  std::vector<std::string> autotune_ptxas_flags;  // beside -arch
  std::optional<std::string> autotune_cache;      // folder; empty: none; not given: the user's
  unsigned verify_exec_inputs = 0;                // -verify-exec: launches of each kernel after each pass; 0: off
  bool simplify_mir = false;
  bool shows_progress = false;  // on a terminal, when it takes long
  bool print_stats = false;
  bool show_help = false;
  bool show_version = false;
  bool print_isa_coverage = false;
  bool print_passes = false;
  bool print_knobs = false;
  bool print_options = false;
};

// Parses everything behind the program's name. LLVM's conventions: one dash or two, `-name=value` or
// `-name value`. Knobs and pass options are taken in the same way. Errors (kInvalidArgument) name the argument and,
// for an unknown one, the nearest option.
absl::Status ParseCommandLine(absl::Span<const std::string_view> arguments, DriverOptions& options);

std::string HelpText();

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_DRIVER_OPTIONS_H_

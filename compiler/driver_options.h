// SPDX-License-Identifier: Apache-2.0

// The settings of a compilation that the command line of `ptxmir` gives.

#ifndef PTXMIR_COMPILER_DRIVER_OPTIONS_H_
#define PTXMIR_COMPILER_DRIVER_OPTIONS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time_trace.h"
#include "compiler/option_sets.h"
#include "options/knobs.h"
#include "options/pass_option_registry.h"
#include "options/remark_options.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/opt_bisect.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {

// The figure by which a run of a pass is searched (tools/bisect_search.h).
enum class BisectGoal { kNone, kPtxas, kExec };

// -filetype: the output that is written unless the pipeline stops early.
enum class OutputFileType { kAssembly, kNull, kObject };

// -debug-pass: the description of the pipeline that is printed to stderr before it runs.
enum class PipelineDump { kNone, kArguments, kStructure };

struct DriverOptions {
  std::string input;                     // "-": standard input; empty if not given
  std::vector<std::string> more_inputs;  // files of LLVM IR to link with the first
  bool only_needed = false;              // -only-needed: link only what is mentioned of them
  std::string output = "-";
  bool reads_ir = false;   // -x ir
  bool emit_llvm = false;  // write LLVM IR
  OutputFileType file_type = OutputFileType::kAssembly;
  bool asm_verbose = true;  // comments in PTX
  PipelineDump pipeline_dump = PipelineDump::kNone;
  std::vector<std::string> debug_only;        // the passes of -debug-only
  std::vector<std::string> warnings;          // of options that have no effect
  std::vector<std::string> warnings_for_mir;  // of options that are only heeded for LLVM IR
  // Attributes that functions of LLVM IR get that do not have them: names and values.
  std::vector<std::pair<std::string, std::string>> default_attributes;
  bool shows_warnings = true;
  std::string architecture;  // of -mtriple or -march: "nvptx" or "nvptx64"; empty if not given
  std::string cpu;           // -mcpu
  std::string attributes;    // -mattr
  PipelineOptions pipeline;
  RunOptions run;
  Knobs knobs;
  // NVVMPassOptions as given. The structs that are filled from it point into it.
  bool has_opt_level = false;  // -O was given
  std::shared_ptr<PassOptionRegistry> pass_options = std::make_shared<PassOptionRegistry>();
  RemarkOptions remarks;
  bool time_trace = false;
  std::string time_trace_file;  // empty: the name of the output followed by .time-trace
  std::chrono::microseconds time_trace_granularity = TimeTrace::kDefaultGranularity;
  // -pressure-report: the output file; empty: no report.
  std::string pressure_report_file;
  bool explain_registers = false;
  // -explore and -explore-json: the output files; empty: none.
  std::string explore_page;
  std::string explore_json;
  // -explore-with: the options, and perhaps the input, of a second compilation to compare with.
  std::optional<std::string> explore_with;
  bool explore_peers = true;  // whether ptxas and llc are asked, where they are there
  std::string command;        // the command line, for -explore
  bool explores() const { return !explore_page.empty() || !explore_json.empty(); }
  // -count-executed: the number of generated launches of each kernel, before and after compilation; 0: none.
  unsigned count_executed_launches = 0;
  // Returns true if kernels of the input are executed as well as those of the output.
  bool executes() const { return count_executed_launches != 0 || verify_exec_inputs != 0; }
  bool fail_on_spill = false;
  // -max-registers-expected: the maximum number of live registers; a function that exceeds it is an error. 0: no
  // limit.
  unsigned max_registers_expected = 0;
  // -occupancy: the kernel to describe, or what differs from those of the input; none if its number of threads is 0.
  ptx::KernelResources occupancy;
  // -autotune: what decides which option set a kernel is compiled under.
  enum class Autotune : uint8_t {
    kNone,   // nothing: all have the same knobs
    kPtxas,  // the code that ptxas generates
    kModel,  // the registers that the model of ptxas predicts; -O3
  };
  std::optional<Autotune> autotune;  // not given: as the level says
  Autotune autotuner() const { return autotune.value_or(pipeline.opt_level == 3 ? Autotune::kModel : Autotune::kNone); }
  bool autotune_exhaustive = false;
  // Option sets in addition to the built-in ones: "NAME: FLAGS".
  std::vector<OptionSet> autotune_sets;
  std::vector<std::string> autotune_ptxas_flags;  // in addition to -arch
  std::optional<std::string> autotune_cache;      // folder; empty: no cache; not given: the user's cache folder
  unsigned verify_exec_inputs = 0;                // -verify-exec: launches of each kernel after each pass; 0: off
  // -opt-bisect-limit and LLVM's -opt-bisect: the runs of passes to execute. If not given, all, without a word.
  std::optional<BisectIntervals> bisect;
  bool bisect_is_verbose = true;
  // -opt-bisect=ptxas or exec: what the search compares.
  BisectGoal bisect_goal = BisectGoal::kNone;
  unsigned dag_pictures = 0;  // bit i: before step i of SelectionDAGs (dag_steps.h)
  bool simplify_mir = false;
  bool shows_progress = false;  // show a progress line on a terminal if compilation takes long
  bool print_stats = false;
  bool stats_as_json = false;
  bool show_help = false;
  bool show_hidden_help = false;
  bool show_help_list = false;
  bool show_hidden_help_list = false;
  bool print_man_page = false;
  bool print_option_reference = false;
  std::string completion_shell;  // -print-completion
  bool lists_targets = false;    // -mcpu=help or -mattr=help
  bool show_version = false;
  bool print_isa_coverage = false;
  bool print_passes = false;
  bool print_machine_model = false;
  bool print_option_sets = false;
  bool print_knobs = false;
  std::string knob_pattern;  // -print-knobs=REGEX; empty: all knobs
  bool print_options = false;
};

// Returns the number of threads that -j or NVVMPassOptions ask for; at most 0: one for each processor.
int RequestedThreads(const DriverOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_DRIVER_OPTIONS_H_

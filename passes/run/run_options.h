// SPDX-License-Identifier: Apache-2.0

// The options of running a pipeline.

#ifndef PTXMIR_PASSES_RUN_RUN_OPTIONS_H_
#define PTXMIR_PASSES_RUN_RUN_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "options/remark_options.h"

namespace ptxmir {

class ExecutionChecker;
class HistoryBook;
class IrExecutionChecker;
class OptBisect;
class PipelineGates;

// The form in which -print-changed shows a change.
enum class ChangeFormat : uint8_t {
  kNone,
  kFunction,   // the function
  kDiff,       // all lines of it and of what it was before, with the changes marked
  kColorDiff,  // the same in colors
  kDotCfg,     // a file with a picture of both control flow graphs
};

// Selects the dumps that are written to the log (stderr) around passes.
struct PrintOptions {
  bool before_all = false;
  bool after_all = false;
  ChangeFormat changed = ChangeFormat::kNone;
  bool changed_is_quiet = false;        // say nothing of passes that changed nothing or are filtered out
  bool before_changed = false;          // print what was there before a change, too
  std::vector<std::string> changed_by;  // only changes by these passes; if empty, by all passes
  std::vector<std::string> before;      // pass names
  std::vector<std::string> after;
  std::vector<std::string> functions;  // only these functions; if empty, all functions
  bool module_scope = false;           // print functions as files that can be read again
  bool stable_names = false;
  bool schedule_pictures = false;  // pictures of what machine-scheduler will schedule
  bool dot_cfg = false;            // a picture of each function's control flow graph after the last pass
  std::string dot_folder = ".";    // where pictures go

  // Returns true if there are dumps around passes.
  bool dumps_passes() const { return before_all || after_all || !before.empty() || !after.empty(); }
};

struct RunOptions {
  int opt_level = 2;
  PrintOptions print;
  // The inputs that functions are compiled with, unless their attributes override them.
  AnalysisInputs inputs;
  // Returns the knobs that a function starts with, which replace those of `inputs`. If null, all functions start
  // with those of `inputs`.
  std::function<const Knobs*(const MachineFunction&)> knobs_of;
  // Selects the remarks to collect. If null, none are collected.
  const RemarkFilter* remark_filter = nullptr;
  // Whether the result of the pipeline is printed as PTX. The remarks of asm-printer describe that PTX.
  bool is_printed = false;
  // The gates of the pipeline that is run. If null, the runner builds gates that no pass option closes.
  const PipelineGates* gates = nullptr;
  // Called after every step, on the thread that runs the step. May be empty.
  std::function<void()> poll;
  // If not null, executes each function before and after every pass.
  ExecutionChecker* execution_checker = nullptr;
  // The same for passes on LLVM IR.
  IrExecutionChecker* ir_execution_checker = nullptr;
  // If not null, decides which runs of passes that correct code does not need are executed. Functions must then be
  // compiled one at a time.
  OptBisect* opt_bisect = nullptr;
  // Whether to run the machine verifier after every pass, to compare preserved analyses with recomputed ones, and
  // to compare a function that a pass claims not to have changed with its earlier state. The input is always
  // verified.
  bool verify_each = false;
  // The number of threads for passes on LLVM IR. (Machine code has a FunctionPool.)
  int threads = 1;
  bool time_passes = false;
  // Whether to record each pass's effect on register pressure.
  bool report_pressure = false;
  // If not null, takes the code of each function at the input and after each pass that changed it.
  HistoryBook* history = nullptr;
  // Whether to record each function's register budget, for -stats.
  bool report_budgets = false;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_RUN_OPTIONS_H_

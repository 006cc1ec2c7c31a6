// Which passes run, and running them.
//
// The pipeline is the pass table's order, cut by -start-*/-stop-* and by the optimization level, or the
// list that -run-pass gives.

#ifndef PTXMIR_PASSES_PIPELINE_H_
#define PTXMIR_PASSES_PIPELINE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "mir/module.h"
#include "passes/pass_table.h"

namespace ptxmir {

class ExecutionChecker;

// "machine-cse" or "machine-cse,2": the second time that the pass stands in the pipeline.
struct PassPosition {
  std::string name;
  unsigned instance = 1;

  // Errors: kInvalidArgument for an instance that is no positive number.
  static absl::StatusOr<PassPosition> Parse(std::string_view text);
};

struct PipelineOptions {
  int opt_level = 2;
  // If not empty, exactly these run, in this order.
  std::vector<std::string> run_passes;
  std::optional<PassPosition> start_before;
  std::optional<PassPosition> start_after;
  std::optional<PassPosition> stop_before;
  std::optional<PassPosition> stop_after;

  // Whether the result is MIR rather than PTX.
  bool stops_early() const { return !run_passes.empty() || stop_before.has_value() || stop_after.has_value(); }
};

// The passes to run. Errors (kInvalidArgument): unknown pass, pass that does not exist here, positions that
// contradict each other.
absl::StatusOr<std::vector<const PassInfo*>> BuildPipeline(const PipelineOptions& options);

// What to print to the log (stderr) around passes.
struct PrintOptions {
  bool before_all = false;
  bool after_all = false;
  bool changed = false;                // after passes that changed something
  std::vector<std::string> before;     // pass names
  std::vector<std::string> after;
  std::vector<std::string> functions;  // only these; empty: all
  bool stable_names = false;
};

struct RunOptions {
  PrintOptions print;
  // If not null, it executes functions before and after every pass.
  ExecutionChecker* execution_checker = nullptr;
  // Run the machine verifier after every pass. The input is always verified.
  bool verify_each = false;
  bool time_passes = false;
};

struct PassTiming {
  std::string_view pass;
  double seconds = 0;
};

struct RunReport {
  Statistics statistics;
  std::vector<PassTiming> timings;  // by pass, in pipeline order; filled if time_passes
  std::string log;                  // what PrintOptions asked for
};

// Runs passes over one function after the other. All that is given must outlive it.
class PipelineRunner {
 public:
  PipelineRunner(const std::vector<const PassInfo*>& passes, const RunOptions& options,
                 DiagnosticEngine& diagnostics, RunReport& report);

  // Verifies the function as input and runs the passes over it. False when an error was reported; the
  // function is then in no state to be printed.
  bool Run(MachineFunction& function);

 private:
  bool RunPass(size_t index, MachineFunction& function);
  bool Verify(const MachineFunction& function, const std::string& banner);
  void Dump(std::string_view when, const PassInfo& pass, const MachineFunction& function);

  const std::vector<const PassInfo*>& passes_;
  const RunOptions& options_;
  DiagnosticEngine& diagnostics_;
  RunReport& report_;
  PassContext context_;
};

// Runs the passes over every function of the module, function by function. False when an error was
// reported; the module is then in no state to be printed.
bool RunPipeline(Module& module, const std::vector<const PassInfo*>& passes, const RunOptions& options,
                 DiagnosticEngine& diagnostics, RunReport& report);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_H_

// SPDX-License-Identifier: Apache-2.0

// Pipelines: the steps that run over a function, and the options that select them.
//
// A pipeline is either the standard one (standard_pipeline.h), which is cut by -start-* and -stop-*, or it is given as
// text with -run-pass or -passes, which share one parser (pipeline_parser.h). pipeline_runner.h runs it.

#ifndef PTXMIR_PASSES_PIPELINE_PIPELINE_H_
#define PTXMIR_PASSES_PIPELINE_PIPELINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "passes/pipeline/analysis_table.h"
#include "passes/pipeline/pass_table.h"

namespace ptxmir {

inline constexpr int kMaxOptLevel = 3;

// The conditions under which a step of the standard pipeline runs.
struct StepGate {
  int min_level = 0;             // the lowest -O level at which it runs
  int max_level = kMaxOptLevel;  // the highest -O level at which it runs
  // Names of knobs. The step runs only if `enabled_by` is true and `disabled_by` is false. An empty name stands
  // for no knob.
  std::string_view enabled_by = "";
  std::string_view disabled_by = "";
  // The value to assume for `enabled_by` if that knob has no default of its own and is not set.
  bool is_on_unless_set = true;
  // The lowest -O level at which that holds. Below, the step runs only if `enabled_by` is set.
  int level_unless_set = 0;
  // The same for `disabled_by`.
  bool is_off_unless_set = false;
  // Up to this level the step runs whatever the knobs say.
  int max_level_without_knobs = -1;
  // The flags, separated by spaces, with which a step that knobs do not switch does only what correct code needs;
  // empty: there is none.
  std::string_view least = "";

  bool Includes(int opt_level) const { return opt_level >= min_level && opt_level <= max_level; }
  // Returns true if some -O level runs the step, and -O0 does not.
  bool IsOfOptimization() const { return min_level > 0 && min_level <= kMaxOptLevel; }
};

// A pass that the program using this library adds to the pipeline. `info` holds the properties that the pass table
// holds for other passes; its `run` is not used.
struct ClientPass {
  std::string name;
  std::string description;
  PassInfo info;  // its texts refer to `name` and `description`
  // Runs the pass. It may be called on several threads at once.
  std::function<PassResult(MachineFunction&, PassContext&)> run;
};

struct PipelineStep {
  enum class Action : uint8_t {
    kPass,
    kBanner,              // a dump under -print-after-all, with this heading
    kPrintAnalysis,       // print<analysis>
    kRequireAnalysis,     // require<analysis>
    kInvalidateAnalysis,  // invalidate<analysis>
    kPrintFunction,       // print
    kVerify,              // verify
  };
  Action action = Action::kPass;
  const PassInfo* pass = nullptr;  // for kPass
  // The client's pass if this kPass step runs one, else null. `pass` then points to its `info`. A client's pass is
  // always verified.
  std::shared_ptr<const ClientPass> client = nullptr;
  const AnalysisInfo* analysis = nullptr;  // for k*Analysis
  std::string_view banner = "";            // for kBanner
  std::string_view banner_passes = "";     // for kBanner: it is printed only if one of these passes ran before it
  // The occurrence of the pass in the pipeline, counted from 1.
  unsigned instance = 1;
  // Whether the step comes from the standard pipeline, so that options may switch it off.
  bool is_standard = false;
  StepGate gate = {};

  // Returns the name of the pass, or the step's spelling in a textual pipeline.
  std::string Name() const;
};

using Pipeline = std::vector<PipelineStep>;

// A position in the pipeline: "machine-cp", or "machine-cp,2" for the second occurrence of the pass.
struct PassPosition {
  std::string name;
  unsigned instance = 1;

  // Parses a position. Fails with kInvalidArgument if the instance is not a positive number.
  static absl::StatusOr<PassPosition> Parse(std::string_view text);
};

// The place in the standard pipeline where a client's pass runs: before or after a pass of that pipeline, whether
// or not that pass itself runs.
struct ClientPassPlace {
  std::string position;  // in the syntax that PassPosition::Parse accepts
  bool is_after = true;
  std::shared_ptr<const ClientPass> pass;
};

struct PipelineOptions {
  int opt_level = 2;
  // Client passes. Those with the same place run in this order.
  std::vector<ClientPassPlace> client_passes;
  // A pipeline as text, for -passes (a tree) and -run-pass (a list). At most one of the two may be given.
  std::optional<std::string> passes;
  std::optional<std::string> run_passes;
  std::optional<PassPosition> start_before;
  std::optional<PassPosition> start_after;
  std::optional<PassPosition> stop_before;
  std::optional<PassPosition> stop_after;

  // Returns true if the output is MIR or LLVM IR rather than PTX.
  bool stops_early() const {
    return passes.has_value() || run_passes.has_value() || stop_before.has_value() || stop_after.has_value();
  }
};

// Returns the pipeline to run, without the steps that are not implemented or that the level excludes. Returns
// nullopt if an error was reported: an unknown pass, a pass that is not implemented, or contradictory positions.
std::optional<Pipeline> BuildPipeline(const PipelineOptions& options, DiagnosticEngine& diagnostics);

// Returns the whole standard pipeline of a level.
Pipeline BuildStandardPipeline(int opt_level);

// Return the same for LLVM IR: the pipeline that -passes or -run-pass gives, or else the standard one of the level, cut
// by positions that are on IR. A position whose pass is in both pipelines is on machine code.
std::optional<Pipeline> BuildIrPipeline(const PipelineOptions& options, DiagnosticEngine& diagnostics);
Pipeline BuildStandardIrPipeline(int opt_level);

// Returns a position that is on IR. Null if there is none.
const PassPosition* FindIrPosition(const PipelineOptions& options);

// Returns true if the position to stop at is on IR. The output is LLVM IR then.
bool StopsOnIr(const PipelineOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_PIPELINE_H_

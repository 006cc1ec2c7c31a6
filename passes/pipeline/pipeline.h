// SPDX-License-Identifier: Apache-2.0

// Pipelines: what runs over a function, step by step, and the ways to say it.
//
// The standard pipeline (standard_pipeline.h) cut by -start-*/-stop-*, or a text: -run-pass and -passes, which
// share one parser (pipeline_parser.h). pipeline_runner.h runs it.

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

// When a step of the standard pipeline runs.
struct StepGate {
  int min_level = 0;  // the -O levels from which on and
  int max_level = 3;  // to which it runs
  // Names of knobs: it runs only while `enabled_by` is true, and not while `disabled_by` is. Empty: none.
  std::string_view enabled_by = "";
  std::string_view disabled_by = "";
  // What it means that `enabled_by`, a knob without a default of its own, is not set.
  bool is_on_unless_set = true;
  // Up to this level the step runs whatever the knobs say.
  int max_level_without_knobs = -1;
  // The flags, separated by spaces, with which a step that knobs do not switch does only what correct code needs;
  // empty: there is none.
  std::string_view least = "";
};

// A pass that the program which uses this library adds to the pipeline. What the table of passes says of others stands
// in `info`, whose `run` is not used.
struct ClientPass {
  std::string name;
  std::string description;
  PassInfo info;  // its texts are those above
  // May be called on several threads at once.
  std::function<PassResult(MachineFunction&, PassContext&)> run;
};

struct PipelineStep {
  enum class Action : uint8_t {
    kPass,
    kBanner,              // a dump under -print-after-all, under this heading
    kPrintAnalysis,       // print<analysis>
    kRequireAnalysis,     // require<analysis>
    kInvalidateAnalysis,  // invalidate<analysis>
    kPrintFunction,       // print
    kVerify,              // verify
  };
  Action action = Action::kPass;
  const PassInfo* pass = nullptr;  // of kPass
  // Of kPass, when it is a client's, whose `info` is `pass`. It is always verified.
  std::shared_ptr<const ClientPass> client = nullptr;
  const AnalysisInfo* analysis = nullptr;  // of k*Analysis
  std::string_view banner = "";            // of kBanner
  // Which time it is that the pass stands in the pipeline, from 1.
  unsigned instance = 1;
  // Whether it is there because the standard pipeline has it, so that options may switch it off.
  bool is_standard = false;
  StepGate gate = {};

  // The name of the pass, or what the text of a pipeline calls the step.
  std::string Name() const;
};

using Pipeline = std::vector<PipelineStep>;

// "machine-cp" or "machine-cp,2": the second time that the pass stands in the pipeline.
struct PassPosition {
  std::string name;
  unsigned instance = 1;

  // Errors: kInvalidArgument for an instance that is no positive number.
  static absl::StatusOr<PassPosition> Parse(std::string_view text);
};

// Where in the standard pipeline a client's pass runs: at the place of a pass that stands there, whether that one runs
// or not.
struct ClientPassPlace {
  std::string position;  // as PassPosition::Parse reads it
  bool is_after = true;
  std::shared_ptr<const ClientPass> pass;
};

struct PipelineOptions {
  int opt_level = 2;
  // Those of one place run in this order.
  std::vector<ClientPassPlace> client_passes;
  // A pipeline as text, for -passes (a tree) and -run-pass (a list); at most one of them may be given.
  std::optional<std::string> passes;
  std::optional<std::string> run_passes;
  std::optional<PassPosition> start_before;
  std::optional<PassPosition> start_after;
  std::optional<PassPosition> stop_before;
  std::optional<PassPosition> stop_after;

  // Whether the result is MIR rather than PTX.
  bool stops_early() const {
    return passes.has_value() || run_passes.has_value() || stop_before.has_value() || stop_after.has_value();
  }
};

// What is to run: steps that are absent or that the level excludes are left out. Nullopt when an error was
// reported: unknown pass, pass that does not exist here, positions that contradict each other.
std::optional<Pipeline> BuildPipeline(const PipelineOptions& options, DiagnosticEngine& diagnostics);

// The standard pipeline of a level, uncut.
Pipeline BuildStandardPipeline(int opt_level);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_PIPELINE_H_

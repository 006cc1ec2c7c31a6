// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/pipeline.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "passes/pipeline/pipeline_parser.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir {
namespace {

// Returns the index of a position in the standard pipeline.
absl::StatusOr<size_t> FindPosition(const PassPosition& position) {
  const PassInfo* pass = FindPass(position.name);
  if (pass == nullptr) return absl::InvalidArgumentError(UnknownPassMessage(position.name));
  const Pipeline& steps = StandardPipeline();
  unsigned instances = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].pass != pass) continue;
    instances = steps[i].instance;
    if (instances == position.instance) return i;
  }
  if (instances == 0) {
    return absl::InvalidArgumentError(StrCat("pass '", position.name, "' has no place in the pipeline"));
  }
  return absl::InvalidArgumentError(StrCat("pass '", position.name, "' runs ",
                                           instances == 1 ? std::string("once") : StrCat(instances, " times"),
                                           "; there is no instance ", position.instance));
}

// If a position is given, sets `index` to its index plus `past`, which is 1 for the place after it.
absl::Status Resolve(const std::optional<PassPosition>& position, size_t past, size_t& index) {
  if (!position.has_value()) return absl::OkStatus();
  const absl::StatusOr<size_t> found = FindPosition(*position);
  if (!found.ok()) return found.status();
  index = *found + past;
  return absl::OkStatus();
}

// Appends the step if it runs at the level.
void AddStepAtLevel(const PipelineStep& step, int opt_level, Pipeline& pipeline) {
  if (!RunsAtLevel(step, opt_level)) return;
  pipeline.push_back(step);
  if (opt_level > step.gate.max_level_without_knobs) return;
  pipeline.back().gate.enabled_by = "";
  pipeline.back().gate.disabled_by = "";
}

absl::StatusOr<Pipeline> CutStandardPipeline(const PipelineOptions& options) {
  if (options.start_before.has_value() && options.start_after.has_value()) {
    return absl::InvalidArgumentError("-start-before and -start-after specified together");
  }
  if (options.stop_before.has_value() && options.stop_after.has_value()) {
    return absl::InvalidArgumentError("-stop-before and -stop-after specified together");
  }
  size_t begin = 0;
  size_t end = StandardPipeline().size();
  for (const absl::Status& status : {Resolve(options.start_before, 0, begin), Resolve(options.start_after, 1, begin),
                                     Resolve(options.stop_before, 0, end), Resolve(options.stop_after, 1, end)}) {
    if (!status.ok()) return status;
  }
  if (begin > end) return absl::InvalidArgumentError("the pass to stop at comes before the pass to start at");
  // Keyed by the index of the place; those before a pass come ahead of those after it.
  std::vector<std::pair<size_t, PipelineStep>> client_steps[2];
  for (const ClientPassPlace& place : options.client_passes) {
    const std::string& name = place.pass->name;
    if (name.empty()) return absl::InvalidArgumentError("a client's pass has no name");
    if (!place.pass->run) return absl::InvalidArgumentError(StrCat("pass '", name, "' has no function"));
    const absl::StatusOr<PassPosition> position = PassPosition::Parse(place.position);
    if (!position.ok()) return position.status();
    const absl::StatusOr<size_t> found = FindPosition(*position);
    if (!found.ok()) return found.status();
    client_steps[place.is_after].push_back({*found, {.pass = &place.pass->info, .client = place.pass}});
  }
  Pipeline pipeline;
  const auto add_client_steps = [&](size_t index, bool is_after) {
    for (const auto& [at, step] : client_steps[is_after]) {
      if (at == index) pipeline.push_back(step);
    }
  };
  for (size_t i = begin; i < end; ++i) {
    add_client_steps(i, false);
    AddStepAtLevel(StandardPipeline()[i], options.opt_level, pipeline);
    add_client_steps(i, true);
  }
  return pipeline;
}

}  // namespace

std::string PipelineStep::Name() const {
  switch (action) {
    case Action::kPass:
      return std::string(pass->name);
    case Action::kBanner:
      return std::string(banner);
    case Action::kPrintAnalysis:
      return StrCat("print<", analysis->name, ">");
    case Action::kRequireAnalysis:
      return StrCat("require<", analysis->name, ">");
    case Action::kInvalidateAnalysis:
      return StrCat("invalidate<", analysis == nullptr ? "all" : analysis->name, ">");
    case Action::kPrintFunction:
      return "print";
    case Action::kVerify:
      return "verify";
  }
  return "";
}

absl::StatusOr<PassPosition> PassPosition::Parse(std::string_view text) {
  PassPosition position;
  const size_t comma = text.find(',');
  position.name = std::string(text.substr(0, comma));
  if (comma != std::string_view::npos &&
      (!absl::SimpleAtoi(ToAbsl(text.substr(comma + 1)), &position.instance) || position.instance == 0)) {
    return absl::InvalidArgumentError(StrCat("invalid pass instance specifier '", text, "'"));
  }
  return position;
}

Pipeline BuildStandardPipeline(int opt_level) {
  Pipeline pipeline;
  for (const PipelineStep& step : StandardPipeline()) {
    AddStepAtLevel(step, opt_level, pipeline);
  }
  return pipeline;
}

Pipeline BuildStandardIrPipeline(int opt_level) {
  Pipeline pipeline;
  for (const PipelineStep& step : StandardIrPipeline()) {
    if (opt_level >= step.gate.min_level && opt_level <= step.gate.max_level) pipeline.push_back(step);
  }
  return pipeline;
}

std::optional<Pipeline> BuildIrPipeline(const PipelineOptions& options, DiagnosticEngine& diagnostics) {
  if (options.passes.has_value() && options.run_passes.has_value()) {
    diagnostics.Error("-passes and -run-pass specified together");
    return std::nullopt;
  }
  if (options.passes.has_value()) return ParsePipeline(*options.passes, "-passes", diagnostics, PassLevel::kIr);
  if (options.run_passes.has_value()) {
    return ParsePipeline(*options.run_passes, "-run-pass", diagnostics, PassLevel::kIr);
  }
  return BuildStandardIrPipeline(options.opt_level);
}

std::optional<Pipeline> BuildPipeline(const PipelineOptions& options, DiagnosticEngine& diagnostics) {
  const auto fail = [&](std::string_view message) {
    diagnostics.Error(std::string(message));
    return std::nullopt;
  };
  const bool has_positions = options.start_before.has_value() || options.start_after.has_value() ||
                             options.stop_before.has_value() || options.stop_after.has_value();
  if (options.passes.has_value() && options.run_passes.has_value()) {
    return fail("-passes and -run-pass specified together");
  }
  if (options.passes.has_value() || options.run_passes.has_value()) {
    const std::string_view option = options.passes.has_value() ? "-passes" : "-run-pass";
    if (has_positions) return fail(StrCat(option, " cannot be used with -start-* or -stop-*"));
    if (!options.client_passes.empty()) return fail(StrCat(option, " cannot be used with passes of a client"));
    return ParsePipeline(options.passes.has_value() ? *options.passes : *options.run_passes, option, diagnostics);
  }
  absl::StatusOr<Pipeline> pipeline = CutStandardPipeline(options);
  if (!pipeline.ok()) return fail(FromAbsl(pipeline.status().message()));
  return *std::move(pipeline);
}

}  // namespace ptxmir

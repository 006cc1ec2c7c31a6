// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "passes/pipeline/pipeline_parser.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir {
namespace {

// A place in both standard pipelines. Places on machine code are counted from 0, those on LLVM IR up to -1, since these
// steps come first. Most inputs are machine code, and the pipeline on LLVM IR is not made for them.
using Place = ptrdiff_t;
constexpr Place kFirstPlace = std::numeric_limits<Place>::min();

Place NumIrSteps() { return static_cast<Place>(StandardIrPipeline().size()); }

// Returns the index of a position in a pipeline. Otherwise sets `instances` to the number of times that the pass is
// there.
std::optional<size_t> IndexIn(const Pipeline& steps, const PassInfo* pass, unsigned instance, unsigned& instances) {
  instances = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].pass == pass && ++instances == instance) return i;
  }
  return std::nullopt;
}

// Returns the place of a position. A pass that is in both pipelines is meant on machine code.
absl::StatusOr<Place> FindPosition(const PassPosition& position) {
  const PassInfo* pass = FindPass(position.name);
  if (pass == nullptr) return absl::InvalidArgumentError(UnknownPassMessage(position.name));
  unsigned instances = 0;
  std::optional<size_t> index = IndexIn(StandardPipeline(), pass, position.instance, instances);
  if (index.has_value()) return static_cast<Place>(*index);
  if (instances == 0) index = IndexIn(StandardIrPipeline(), pass, position.instance, instances);
  if (index.has_value()) return static_cast<Place>(*index) - NumIrSteps();
  if (instances == 0) {
    return absl::InvalidArgumentError(StrCat("pass '", position.name, "' has no place in the pipeline"));
  }
  return absl::InvalidArgumentError(StrCat("pass '", position.name, "' runs ",
                                           instances == 1 ? std::string("once") : StrCat(instances, " times"),
                                           "; there is no instance ", position.instance));
}

// If a position is given, sets `place` to its place plus `past`, which is 1 for what follows it.
absl::Status Resolve(const std::optional<PassPosition>& position, Place past, Place& place) {
  if (!position.has_value()) return absl::OkStatus();
  const absl::StatusOr<Place> found = FindPosition(*position);
  if (!found.ok()) return found.status();
  place = *found + past;
  return absl::OkStatus();
}

// The places from `begin` on and before `end`.
struct PlaceRange {
  Place begin;
  Place end;
};

// Returns what -start-* and -stop-* leave of both pipelines.
absl::StatusOr<PlaceRange> FindRange(const PipelineOptions& options) {
  if (options.start_before.has_value() && options.start_after.has_value()) {
    return absl::InvalidArgumentError("-start-before and -start-after specified together");
  }
  if (options.stop_before.has_value() && options.stop_after.has_value()) {
    return absl::InvalidArgumentError("-stop-before and -stop-after specified together");
  }
  PlaceRange range = {kFirstPlace, static_cast<Place>(StandardPipeline().size())};
  for (const absl::Status& status :
       {Resolve(options.start_before, 0, range.begin), Resolve(options.start_after, 1, range.begin),
        Resolve(options.stop_before, 0, range.end), Resolve(options.stop_after, 1, range.end)}) {
    if (!status.ok()) return status;
  }
  if (range.begin > range.end) {
    return absl::InvalidArgumentError("the pass to stop at comes before the pass to start at");
  }
  return range;
}

// Appends the step if it runs at the level.
void AddStepAtLevel(const PipelineStep& step, int opt_level, Pipeline& pipeline) {
  if (!RunsAtLevel(step, opt_level)) return;
  pipeline.push_back(step);
  if (opt_level < step.gate.level_unless_set) pipeline.back().gate.is_on_unless_set = false;
  if (opt_level > step.gate.max_level_without_knobs) return;
  pipeline.back().gate.enabled_by = "";
  pipeline.back().gate.disabled_by = "";
}

// Returns the steps on LLVM IR with these places that run at the level.
Pipeline CutIrPipeline(int opt_level, PlaceRange range) {
  Pipeline pipeline;
  for (Place place = std::max(range.begin, -NumIrSteps()); place < std::min(range.end, Place{0}); ++place) {
    const PipelineStep& step = StandardIrPipeline()[static_cast<size_t>(place + NumIrSteps())];
    if (step.gate.Includes(opt_level)) pipeline.push_back(step);
  }
  return pipeline;
}

// Returns true if there is a position, and its pass is one on LLVM IR.
bool IsOnIr(const std::optional<PassPosition>& position) {
  if (!position.has_value()) return false;
  const absl::StatusOr<Place> place = FindPosition(*position);
  return place.ok() && *place < 0;
}

absl::StatusOr<Pipeline> CutStandardPipeline(const PipelineOptions& options) {
  const absl::StatusOr<PlaceRange> range = FindRange(options);
  if (!range.ok()) return range.status();
  // Keyed by place; those before a pass come ahead of those after it.
  std::vector<std::pair<Place, PipelineStep>> client_steps[2];
  for (const ClientPassPlace& place : options.client_passes) {
    const std::string& name = place.pass->name;
    if (name.empty()) return absl::InvalidArgumentError("a client's pass has no name");
    if (!place.pass->run) return absl::InvalidArgumentError(StrCat("pass '", name, "' has no function"));
    const absl::StatusOr<PassPosition> position = PassPosition::Parse(place.position);
    if (!position.ok()) return position.status();
    const absl::StatusOr<Place> found = FindPosition(*position);
    if (!found.ok()) return found.status();
    if (*found < 0) {
      return absl::InvalidArgumentError(
          StrCat("pass '", position->name, "' runs on LLVM IR, and pass '", name, "' on machine code"));
    }
    client_steps[place.is_after].push_back({*found, {.pass = &place.pass->info, .client = place.pass}});
  }
  Pipeline pipeline;
  const auto add_client_steps = [&](Place place, bool is_after) {
    for (const auto& [at, step] : client_steps[is_after]) {
      if (at == place) pipeline.push_back(step);
    }
  };
  for (Place place = std::max(range->begin, Place{0}); place < range->end; ++place) {
    add_client_steps(place, false);
    AddStepAtLevel(StandardPipeline()[static_cast<size_t>(place)], options.opt_level, pipeline);
    add_client_steps(place, true);
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

Pipeline BuildStandardIrPipeline(int opt_level) { return CutIrPipeline(opt_level, {kFirstPlace, 0}); }

const PassPosition* FindIrPosition(const PipelineOptions& options) {
  for (const auto* position :
       {&options.start_before, &options.start_after, &options.stop_before, &options.stop_after}) {
    if (IsOnIr(*position)) return &**position;
  }
  return nullptr;
}

bool StopsOnIr(const PipelineOptions& options) { return IsOnIr(options.stop_before) || IsOnIr(options.stop_after); }

std::optional<Pipeline> BuildIrPipeline(const PipelineOptions& options, DiagnosticEngine& diagnostics) {
  if (options.passes.has_value() && options.run_passes.has_value()) {
    diagnostics.Error("-passes and -run-pass specified together");
    return std::nullopt;
  }
  if (options.passes.has_value()) return ParsePipeline(*options.passes, "-passes", diagnostics, PassLevel::kIr);
  if (options.run_passes.has_value()) {
    return ParsePipeline(*options.run_passes, "-run-pass", diagnostics, PassLevel::kIr);
  }
  const absl::StatusOr<PlaceRange> range = FindRange(options);
  if (!range.ok()) {
    diagnostics.Error(std::string(FromAbsl(range.status().message())));
    return std::nullopt;
  }
  // Machine code that a pipeline starts at is made of the IR first, by all passes on IR.
  const bool starts_on_ir = IsOnIr(options.start_before) || IsOnIr(options.start_after);
  return CutIrPipeline(options.opt_level, {starts_on_ir ? range->begin : kFirstPlace, range->end});
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

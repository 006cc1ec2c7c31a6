// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/random_pipeline.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "mir/code/machine_function.h"
#include "passes/pipeline/pass_table.h"
#include "passes/pipeline/pipeline_parser.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir::fuzz {
namespace {

// The register checker compares with its snapshot from before allocation; see RandomAllocation.
bool CanBeChosen(const PassInfo& pass) { return pass.is_implemented() && !pass.name.starts_with("register-checker"); }

struct KnobChoice {
  std::string_view knob;
  std::vector<std::string_view> values;
};

// Values that make passes do what they seldom do on code of this size, or nothing: small targets and budgets, no
// minimum of pressure or gain, and passes that are off by default.
std::vector<KnobChoice> RareValues() {
  return {
      {"usedessa", {"0", "1", "2"}},
      {"nv-remat-default-max-reg", {"4", "8", "16", "32", "70"}},
      {"nv-remat-measured", {"false", "true"}},
      {"nv-remat-max-growth", {"10", "100"}},
      {"nv-remat-max-loop-growth", {"0", "10", "1000"}},
      {"induction-merge-min-pressure", {"0", "24"}},
      {"induction-merge-min-gain", {"-10", "1", "2"}},
      {"induction-merge-growth", {"10", "1000"}},
      {"induction-merge-fold-offsets", {"false", "true"}},
      {"induction-merge-offset-bits", {"1", "8", "24", "32"}},
      {"pressure-sink-min-pressure", {"0", "32"}},
      {"maxreg", {"0", "0", "4", "8", "16", "24", "48"}},
      {"ra-spill", {"always", "always", "never"}},
      {"ra-limit", {"0", "2", "4", "12", "24", "48"}},
      {"ra-class-limits", {"b64:2", "b32:4,b1:1", "b16:1,b64:8,b128:1"}},
      {"ra-split-effort", {"0", "1", "20"}},
      {"ra-remat", {"false", "true"}},
      {"ra-split-wide", {"false", "true"}},
      {"ra-spill-space", {"local", "shared"}},
      {"ra-stress", {"none", "none", "none", "spill-all", "split"}},
      {"compact-regs", {"false", "true"}},
      {"nvptx-sched4reg", {"false", "true"}},
      {"sched-stress", {"none", "shuffle"}},
      {"enable-pipeliner", {"false", "true", "true"}},
      {"pipeliner-max-mii", {"27", "1000"}},
      {"pipeliner-experimental-cg", {"false", "true"}},
      {"sched-occupancy", {"false", "true"}},
      {"sched-latency", {"false", "true"}},
      {"disable-post-ra", {"true", "false"}},
      {"frame-sort-objects", {"false", "true"}},
      {"frame-fold-addresses", {"false", "true"}},
      {"mem2reg-across-calls", {"false", "true"}},
      // Passes that are off by default, and LLVM's in place of ours.
      {"enable-mlicm", {"false", "true"}},
      {"enable-mcse", {"true", "false"}},
      {"mcse-raise-pressure", {"false", "true"}},
      {"rp-aware-mcse", {"false", "true"}},
      {"nvptx-enable-machine-sink", {"false", "true"}},
  };
}

// Returns a value for a knob that RareValues does not cover: any value if there are few, otherwise a number near
// the default or at the ends of the range.
std::string AnyValue(const KnobInfo& knob, FuzzRandom& random) {
  switch (knob.type) {
    case KnobType::kBool:
    case KnobType::kOptionalBool:
      return random.Percent(50) ? "true" : "false";
    case KnobType::kEnum:
      return std::string(knob.value_names[random.Between(0, static_cast<int64_t>(knob.value_names.size()) - 1)]);
    case KnobType::kInt:
    case KnobType::kOptionalInt: {
      constexpr int32_t kLarge = 255;
      const int64_t least = knob.minimum;
      const int64_t most = std::min(knob.maximum, kLarge);
      const int64_t normal = knob.is_optional() ? random.Between(least, most) : knob.default_value;
      const int64_t numbers[] = {least, most, normal / 2, normal * 2, random.Between(least, most)};
      return StrCat(std::clamp(random.Pick(numbers), least, most));
    }
    case KnobType::kList:
      return {};
  }
  return {};
}

// Returns the pipeline of options that are known to be right.
Pipeline PipelineOf(const PipelineOptions& options) {
  DiagnosticEngine diagnostics;
  return BuildPipeline(options, diagnostics).value_or(Pipeline());
}

// Returns a random step of the standard pipeline that is a pass, implemented or not.
const PipelineStep& PickStep(FuzzRandom& random) {
  while (true) {
    const PipelineStep& step = random.Pick(StandardPipeline());
    if (step.pass != nullptr) return step;
  }
}

void Set(Knobs& knobs, std::string_view knob, std::string_view value) {
  // A knob that does not exist is no reason to stop: the others still make a pipeline.
  (void)knobs.Set(knob, value, KnobOrigin::kApi).ok();
}

}  // namespace

std::string FuzzPipeline::ToString() const {
  std::string text;
  for (const std::string& flag : knobs.ExplicitFlags()) StrAppend(&text, flag, " ");
  return StrCat(text, "-O", opt_level, " passes ", PipelineText(steps));
}

absl::StatusOr<FuzzPipeline> NamedPipeline(std::string_view name) {
  FuzzPipeline named;
  named.is_printed = name.size() == 2 && name[0] == 'O' && name[1] >= '0' && name[1] <= '0' + kMaxOptLevel;
  PipelineOptions options;
  if (named.is_printed) {
    named.opt_level = options.opt_level = name[1] - '0';
  } else {
    options.run_passes = std::string(name);
  }
  DiagnosticEngine diagnostics;
  std::optional<Pipeline> steps = BuildPipeline(options, diagnostics);
  if (!steps.has_value()) return absl::InvalidArgumentError(diagnostics.ToString());
  named.steps = *std::move(steps);
  return named;
}

bool RunsOnSelectedCode(const PassInfo& pass) {
  return CanBeChosen(pass) && (pass.required_properties & ~FunctionProperty::kIsSsa) == 0;
}

Pipeline RandomLegalPipeline(FuzzRandom& random) {
  constexpr unsigned kShares[] = {15, 40, 75, 95};  // of the passes, in percent
  const unsigned share = random.Pick(kShares);
  std::vector<const PassInfo*> waiting;
  for (const PassInfo& pass : PassTable()) {
    if (CanBeChosen(pass) && random.Percent(share)) waiting.push_back(&pass);
  }
  const auto must_wait = [&](const PassInfo& pass) {
    return std::any_of(PassOrders().begin(), PassOrders().end(), [&](const PassOrder& order) {
      return order.after == pass.name && std::any_of(waiting.begin(), waiting.end(), [&](const PassInfo* other) {
               return other->name == order.before;
             });
    });
  };
  Pipeline pipeline;
  uint32_t properties = FunctionProperty::kIsSsa;
  while (!waiting.empty()) {
    std::vector<const PassInfo*> ready;
    for (const PassInfo* pass : waiting) {
      if (!must_wait(*pass) && (pass->required_properties & ~properties) == 0) ready.push_back(pass);
    }
    if (ready.empty()) break;  // the remaining passes need one that was not chosen
    const PassInfo* pass = random.Pick(ready);
    std::erase(waiting, pass);
    while (random.Percent(20)) {
      const AnalysisInfo& analysis = random.Pick(AnalysisTable());
      if (!analysis.is_implemented()) continue;
      pipeline.push_back({.action = PipelineStep::Action::kRequireAnalysis, .analysis = &analysis});
    }
    pipeline.push_back({.pass = pass});
    properties = (properties | pass->set_properties) & ~pass->cleared_properties;
  }
  return pipeline;
}

void SetRandomKnobs(FuzzRandom& random, Knobs& knobs) {
  constexpr int kRarePercent = 60;
  constexpr int kAnyPercent = 8;
  static const std::vector<KnobChoice> kRareValues = RareValues();
  for (const KnobInfo& knob : KnobTable()) {
    // A warning would count as a finding.
    const bool is_of_passes =
        knob.scope == KnobScope::kFunction && !knob.pass.empty() && knob.name != "warn-stack-size";
    if (!is_of_passes || !random.Percent(kAnyPercent)) continue;
    if (const std::string value = AnyValue(knob, random); !value.empty()) Set(knobs, knob.name, value);
  }
  for (const KnobChoice& choice : kRareValues) {
    if (random.Percent(kRarePercent)) Set(knobs, choice.knob, random.Pick(choice.values));
  }
}

FuzzPipeline RandomAllocation(FuzzRandom& random) {
  constexpr std::string_view kStresses[] = {"none", "none", "spill-all", "split"};
  FuzzPipeline pipeline;
  const std::string_view stress = random.Pick(kStresses);
  Set(pipeline.knobs, "ra-stress", stress);
  Set(pipeline.knobs, "ra-spill", random.Percent(80) ? "always" : "never");
  Set(pipeline.knobs, "ra-limit", StrCat(random.Between(2, 48)));
  if (random.Percent(20)) Set(pipeline.knobs, "ra-class-limits", StrCat("b64:", random.Between(1, 8)));
  Set(pipeline.knobs, "ra-remat", random.Percent(50) ? "true" : "false");
  Set(pipeline.knobs, "compact-regs", random.Percent(50) ? "true" : "false");
  const bool is_fast = stress == "none" && random.Percent(20);
  PipelineOptions options;
  options.run_passes = StrCat("phi-node-elimination,twoaddressinstruction,register-checker-begin,",
                              is_fast ? "regallocfast" : "greedy", ",virtregrewriter,register-checker");
  pipeline.steps = PipelineOf(options);
  return pipeline;
}

CutPipeline RandomCutPipeline(FuzzRandom& random) {
  CutPipeline parts;
  SetRandomKnobs(random, parts.first.knobs);
  PipelineOptions options;
  options.opt_level = static_cast<int>(random.Below(kMaxOptLevel + 1));
  const PipelineStep& cut = PickStep(random);
  const PassPosition position = {cut.Name(), cut.instance};
  parts.first.opt_level = options.opt_level;
  parts.second = parts.first;
  parts.second.is_printed = true;
  options.stop_after = position;
  parts.first.steps = PipelineOf(options);
  options.stop_after.reset();
  options.start_after = position;
  parts.second.steps = PipelineOf(options);
  return parts;
}

FuzzPipeline RandomPipeline(FuzzRandom& random) {
  const uint64_t at = random.Below(100);
  if (at < 15) return RandomAllocation(random);
  FuzzPipeline pipeline;
  SetRandomKnobs(random, pipeline.knobs);
  if (at < 55) {
    pipeline.steps = RandomLegalPipeline(random);
    return pipeline;
  }
  pipeline.opt_level = static_cast<int>(random.Below(kMaxOptLevel + 1));
  PipelineOptions options;
  options.opt_level = pipeline.opt_level;
  pipeline.steps = PipelineOf(options);
  pipeline.is_printed = true;
  return pipeline;
}

}  // namespace ptxmir::fuzz

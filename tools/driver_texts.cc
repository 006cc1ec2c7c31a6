// SPDX-License-Identifier: Apache-2.0

#include "tools/driver_texts.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

// Returns the text in double quotes, with what JSON does not allow there escaped.
std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Calls `visit` with the name and the description of each step that runs.
template <typename Visit>
void ForEachStep(const CompilationPlan& plan, Visit visit) {
  for (size_t i = 0; i < plan.pipeline.size(); ++i) {
    const PipelineStep& step = plan.pipeline[i];
    if (step.action == PipelineStep::Action::kBanner || !plan.gates.IsOpen(i, plan.options.knobs)) continue;
    const std::string name = step.Name();
    visit(name, step.pass == nullptr ? std::string_view(name) : step.pass->description);
  }
  if (plan.options.pipeline.stops_early()) {
    visit("mir-printer", "MIR Printing Pass");
  } else {
    visit("nvptx-asm-printer", "NVPTX Assembly Printer");
  }
}

}  // namespace

std::string TimingReport(const std::vector<PassTiming>& timings) {
  double total = 0;
  for (const PassTiming& timing : timings) total += timing.seconds;
  std::string out = absl::StrFormat("===--- Pass execution timing report: %.4f seconds ---===\n", total);
  for (const PassTiming& timing : timings) {
    absl::StrAppendFormat(&out, "  %9.4f (%5.1f%%)  %s\n", timing.seconds,
                          total > 0 ? 100 * timing.seconds / total : 0.0, timing.name);
  }
  return out;
}

std::string StatisticsJson(const Statistics& statistics) {
  std::string out = "{\n";
  std::string_view separator = "";
  for (const Statistics::Counter& counter : statistics.counters()) {
    StrAppend(&out, separator, "\t", JsonString(StrCat(counter.pass, ".", counter.description)), ": ", counter.value);
    separator = ",\n";
  }
  return StrCat(out, "\n}\n");
}

std::string PipelineText(const CompilationPlan& plan) {
  std::string out = "Pass Arguments: ";
  ForEachStep(plan, [&](std::string_view name, std::string_view) { StrAppend(&out, " -", name); });
  out += '\n';
  if (plan.options.pipeline_dump == PipelineDump::kArguments) return out;
  out += "  ModulePass Manager\n    FunctionPass Manager\n";
  ForEachStep(plan,
              [&](std::string_view, std::string_view description) { StrAppend(&out, "      ", description, "\n"); });
  return out;
}

std::string TargetListText() {
  std::string out = "Available CPUs for this target:\n\n";
  for (const ptx::SmInfo& sm : ptx::AllSms()) {
    absl::StrAppendFormat(&out, "  %-7s - Select the %s processor.\n", ToAbsl(sm.name), ToAbsl(sm.name));
  }
  out += "\nAvailable features for this target:\n\n";
  for (int version = 10; version < 200; ++version) {
    if (!ptx::Subtarget::Create("sm_20", StrCat("+ptx", version)).ok()) continue;
    absl::StrAppendFormat(&out, "  ptx%-4d - Use PTX version %d.\n", version, version);
  }
  for (const ptx::SmInfo& sm : ptx::AllSms()) {
    absl::StrAppendFormat(&out, "  %-7s - Target SM %s.\n", ToAbsl(sm.name), ToAbsl(sm.name.substr(3)));
  }
  out +=
      "\nUse +feature to enable a feature, or -feature to disable it.\n"
      "For example, ptxmir -mcpu=mycpu -mattr=+feature1,-feature2\n";
  return out;
}

}  // namespace ptxmir

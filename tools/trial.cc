// SPDX-License-Identifier: Apache-2.0

#include "tools/trial.h"

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "tools/support/external_programs.h"

namespace ptxmir {
namespace {

// Returns the user's folder for cached files.
std::string DefaultCacheFolder() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string_view folder = variable("XDG_CACHE_HOME"); !folder.empty()) return StrCat(folder, "/ptxmir");
  if (const std::string_view home = variable("HOME"); !home.empty()) return StrCat(home, "/.cache/ptxmir");
  return "";
}

}  // namespace

DriverOptions OptionsForTrials(const DriverOptions& options) {
  DriverOptions trial = options;
  trial.run.print = {};
  trial.run.time_passes = false;
  trial.run.report_budgets = false;
  trial.print_stats = false;
  trial.remarks = {};
  trial.time_trace = false;
  trial.pressure_report_file.clear();
  trial.explain_registers = false;
  trial.explore_page.clear();
  trial.explore_json.clear();
  trial.count_executed_launches = 0;
  trial.fail_on_spill = false;
  trial.max_registers_expected = 0;
  trial.verify_exec_inputs = 0;
  // The trials themselves are compared, version by version or pass by pass.
  trial.autotune = DriverOptions::Autotune::kNone;
  return trial;
}

std::shared_ptr<const SourceBuffer> ReadTrialInput(const DriverOptions& options, DiagnosticEngine& diagnostics) {
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options.input);
  if (buffer.ok()) return *std::move(buffer);
  diagnostics.Error(std::string(FromAbsl(buffer.status().message())));
  return nullptr;
}

absl::StatusOr<Ptxas> PtxasForTrials(const DriverOptions& options, const ptx::Subtarget& subtarget) {
  std::vector<std::string> flags = {StrCat("-arch=", subtarget.sm().name)};
  flags.insert(flags.end(), options.autotune_ptxas_flags.begin(), options.autotune_ptxas_flags.end());
  if (options.autotune_ptxas_flags.empty() && options.knobs.IsSet("maxreg")) {
    // Without the second flag, ptxas ignores the limit if a kernel has .maxntid, .minnctapersm or .maxnreg.
    flags.push_back(StrCat("-maxrregcount=", options.knobs.maxreg()));
    flags.push_back("--override-directive-values");
  }
  return Ptxas::Create({.path = FindPtxas(),
                        .flags = std::move(flags),
                        .cache_folder = options.autotune_cache.value_or(DefaultCacheFolder())});
}

std::string OutputOf(const Compilation& compilation) {
  std::string text;
  for (const std::string_view part : compilation.output()) StrAppend(&text, part);
  return text;
}

}  // namespace ptxmir

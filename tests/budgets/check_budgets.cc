// SPDX-License-Identifier: Apache-2.0

// check_budgets: checks the code that is compiled at every register budget; see budget_sweep.h.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/str_cat.h"
#include "passes/run/function_pool.h"
#include "tests/budgets/budget_sweep.h"

namespace ptxmir::testing {
namespace {

constexpr std::string_view kHelp =
    "OVERVIEW: check_budgets compiles MIR files at many register budgets and judges what comes out\n\n"
    "USAGE: check_budgets [options] FILE.mir|FOLDER ...\n\n"
    "  --budgets=<4-255,...>   (default: 4-255)\n"
    "  --settings=<name,...>   of those below (default: all)\n"
    "  --launches=<N>          of each kernel, in the interpreter (default: 2)\n"
    "  --bisect                leave out budgets between two that give a function the same code\n"
    "  --verify-each           the verifier and fresh analyses after every pass\n"
    "  -j<N>                   threads (default: as many as there are processors)\n\n"
    "Prints what is wrong, and counts at the end; the exit status is 1 when anything was. Settings:\n\n";

struct Arguments {
  SweepOptions sweep;
  std::vector<std::string> paths;
  bool show_help = false;
};

bool ParseBudgets(std::string_view text, std::vector<int>& budgets) {
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    const std::pair<absl::string_view, absl::string_view> range = absl::StrSplit(part, absl::MaxSplits('-', 1));
    int first = 0;
    if (!absl::SimpleAtoi(range.first, &first)) return false;
    int last = first;
    if (!range.second.empty() && !absl::SimpleAtoi(range.second, &last)) return false;
    if (first < 1 || last > 255) return false;
    for (int budget = first; budget <= last; ++budget) budgets.push_back(budget);
  }
  return true;
}

bool ParseSettings(std::string_view text, std::vector<SweepSetting>& settings) {
  settings.clear();
  for (const absl::string_view name : absl::StrSplit(ToAbsl(text), ',')) {
    const auto found = std::find_if(SweepSettings().begin(), SweepSettings().end(),
                                    [&](const SweepSetting& setting) { return setting.name == FromAbsl(name); });
    if (found == SweepSettings().end()) return false;
    settings.push_back(*found);
  }
  return true;
}

void AddPath(std::string_view path, std::vector<std::string>& paths) {
  if (!std::filesystem::is_directory(path)) {
    paths.emplace_back(path);
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".mir") paths.push_back(entry.path().string());
  }
}

bool ParseArgument(std::string_view argument, Arguments& arguments) {
  const auto value_of = [&](std::string_view name) { return argument.substr(std::min(name.size(), argument.size())); };
  if (argument == "--help") return arguments.show_help = true;
  if (argument == "--bisect") return arguments.sweep.bisects = true;
  if (argument == "--verify-each") return arguments.sweep.verify_each = true;
  if (argument.starts_with("--budgets=")) return ParseBudgets(value_of("--budgets="), arguments.sweep.budgets);
  if (argument.starts_with("--settings=")) return ParseSettings(value_of("--settings="), arguments.sweep.settings);
  if (argument.starts_with("--launches=")) {
    return absl::SimpleAtoi(ToAbsl(value_of("--launches=")), &arguments.sweep.launches);
  }
  if (argument.starts_with("-j")) return absl::SimpleAtoi(ToAbsl(value_of("-j")), &arguments.sweep.threads);
  if (argument.starts_with("-")) return false;
  AddPath(argument, arguments.paths);
  return true;
}

void ShowFile(const std::string& path, const SweepResult& result) {
  const SweepCounts& counts = result.counts;
  std::fprintf(stderr, "%s: %zu functions, %zu codes, %zu runs\n", path.c_str(), counts.functions, counts.codes,
               counts.runs);
  for (const SweepFinding& finding : result.findings) std::printf("finding: %s\n", finding.ToString().c_str());
  std::fflush(stdout);
}

int Run(int argc, char** argv) {
  Arguments arguments;
  arguments.sweep.threads = ResolveThreadCount(-1);
  for (int i = 1; i < argc; ++i) {
    if (ParseArgument(argv[i], arguments)) continue;
    std::fprintf(stderr, "check_budgets: error: invalid argument '%s'\n", argv[i]);
    return 2;
  }
  if (arguments.show_help || arguments.paths.empty()) {
    std::string help(kHelp);
    for (const SweepSetting& setting : SweepSettings()) StrAppend(&help, "  ", setting.name, ": ", setting.flags, "\n");
    std::fputs(help.c_str(), stdout);
    return arguments.show_help ? 0 : 2;
  }
  if (arguments.sweep.budgets.empty()) ParseBudgets("4-255", arguments.sweep.budgets);
  // The largest file first, so that no thread is still busy with one when the others are done.
  std::sort(arguments.paths.begin(), arguments.paths.end(), [](const std::string& a, const std::string& b) {
    std::error_code ignored;
    const auto size_a = std::filesystem::file_size(a, ignored), size_b = std::filesystem::file_size(b, ignored);
    return size_a != size_b ? size_a > size_b : a < b;
  });
  const SweepResult result = SweepBudgets(arguments.paths, arguments.sweep, ShowFile);
  const SweepCounts& counts = result.counts;
  std::printf("%zu files, %zu functions (%zu executed), %zu kernels\n", arguments.paths.size(), counts.functions,
              counts.executed_functions, counts.kernels);
  std::printf("%zu compilations of functions, %zu codes, %zu runs compared, %zu undecided, %zu findings\n",
              counts.compilations, counts.codes, counts.runs, counts.undecided, result.findings.size());
  for (const auto& [why, count] : counts.undecided_because) std::printf("  %zu: %s\n", count, why.c_str());
  return result.findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace ptxmir::testing

int main(int argc, char** argv) { return ptxmir::testing::Run(argc, argv); }

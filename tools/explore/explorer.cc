// SPDX-License-Identifier: Apache-2.0

#include "tools/explore/explorer.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/str_cat.h"
#include "compiler/option_parser.h"
#include "passes/pipeline/pipeline.h"
#include "tools/explore/explore_data.h"
#include "tools/explore/page.h"
#include "tools/support/external_programs.h"
#include "tools/support/tool_version.h"

namespace ptxmir {
namespace {

// The most that a page holds, so that a browser opens it at once.
constexpr size_t kMaxPageBytes = 5'000'000;
constexpr size_t kRoomForCode = 300'000;  // of these, for HTML, styles and scripts

// A compilation together with its options.
struct OwnCompilation {
  DriverOptions options;
  std::optional<CompilationPlan> plan;
  std::optional<Compilation> compilation;
};

// Compiles as -explore-with says. Returns null after an error in `diagnostics`.
absl::StatusOr<std::unique_ptr<OwnCompilation>> CompileAgain(const DriverOptions& options,
                                                             DiagnosticEngine& diagnostics) {
  auto own = std::make_unique<OwnCompilation>();
  own->options = options;
  own->options.input.clear();
  own->options.more_inputs.clear();
  own->options.autotune.reset();
  own->options.run.knobs_of = nullptr;
  const std::vector<std::string> words = absl::StrSplit(ToAbsl(*options.explore_with), ' ', absl::SkipEmpty());
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  const absl::Status status = ParseCommandLine(arguments, own->options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(StrCat("-explore-with: ", FromAbsl(status.message())));
  }
  if (own->options.input.empty()) {
    own->options.input = options.input;
    own->options.more_inputs = options.more_inputs;
  }
  std::optional<Pipeline> pipeline = BuildPipeline(own->options.pipeline, diagnostics);
  if (!pipeline.has_value()) return nullptr;
  own->plan.emplace(own->options, *std::move(pipeline));
  own->compilation.emplace(*own->plan);
  own->compilation->KeepFunctions();
  const bool ok = own->compilation->Run();
  diagnostics.Append(own->compilation->diagnostics());
  return ok ? std::move(own) : nullptr;
}

std::string NameOfInput(const std::string& path) {
  return path == "-" ? "standard input" : std::string(FileName(path));
}

std::string FirstLineOf(const std::string& text) { return text.substr(0, text.find('\n')); }

ExploredVersion MakeVersion(const DriverOptions& options, const Compilation& compilation, std::string command) {
  ExploredVersion version;
  version.label = NameOfInput(options.input);
  version.command = std::move(command);
  version.module = &compilation.module();
  version.history = compilation.history();
  version.remarks = &compilation.report().remarks;
  version.ptxas = AskPtxas(options, compilation);
  return version;
}

}  // namespace

absl::StatusOr<ExploreTexts> Explore(const DriverOptions& options, const Compilation& compilation,
                                     std::vector<PtxasRow> tuned, DiagnosticEngine& diagnostics) {
  ExploreData data = {.title = NameOfInput(options.input),
                      .tool = FirstLineOf(ToolVersionText("ptxmir")),
                      .command = options.command,
                      .knobs = &options.knobs,
                      .sources = SourceFiles(options.input),
                      .versions = {}};
  data.versions.push_back(MakeVersion(options, compilation, options.command));
  std::vector<PtxasRow>& rows = data.versions.front().ptxas.rows;
  rows.insert(rows.end(), std::make_move_iterator(tuned.begin()), std::make_move_iterator(tuned.end()));
  std::unique_ptr<OwnCompilation> second;
  if (options.explore_with.has_value()) {
    absl::StatusOr<std::unique_ptr<OwnCompilation>> compiled = CompileAgain(options, diagnostics);
    if (!compiled.ok()) return compiled.status();
    second = *std::move(compiled);
    if (second == nullptr) return absl::InvalidArgumentError("-explore-with: the second compilation failed");
    ExploredVersion version =
        MakeVersion(second->options, *second->compilation, StrCat(options.command, " and ", *options.explore_with));
    if (second->options.input == options.input) version.label = *options.explore_with;
    data.versions.push_back(std::move(version));
  }
  for (const ExploredVersion& version : data.versions) {
    for (const FunctionHistory* function : version.history->functions()) {
      for (const HistoryPlace& place : function->places) data.sources.Read(place.file);
    }
  }
  ExploreTexts texts;
  if (!options.explore_json.empty()) AppendExploreJson(data, /*max_bytes=*/0, texts.json);
  if (!options.explore_page.empty()) {
    texts.page = ExplorePage([&](std::string& out) { AppendExploreJson(data, kMaxPageBytes - kRoomForCode, out); });
  }
  return texts;
}

std::string CommandText(absl::Span<const std::string_view> arguments) {
  std::string text = "ptxmir";
  for (const std::string_view argument : arguments) {
    const bool is_plain =
        !argument.empty() &&
        argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=+,./:@%") ==
            std::string_view::npos;
    StrAppend(&text, " ", is_plain ? std::string(argument) : QuotedForShell(argument));
  }
  return text;
}

}  // namespace ptxmir

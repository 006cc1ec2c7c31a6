// SPDX-License-Identifier: Apache-2.0

#include "options/remark_options.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "re2/re2.h"

namespace ptxmir {
namespace {

RE2::Options QuietOptions() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

re2::StringPiece ToRe2(std::string_view text) { return {text.data(), text.size()}; }

template <std::optional<std::string> RemarkOptions::*kMember>
absl::Status SetPattern(const RemarkOptionInfo& option, std::string_view value, RemarkOptions& options) {
  const RE2 regex(ToRe2(value), QuietOptions());
  if (regex.ok()) {
    // An empty pattern would match all passes. llc assumes that it is a mistake and ignores it.
    options.*kMember = value.empty() ? std::nullopt : std::optional<std::string>(value);
    return absl::OkStatus();
  }
  // re2 reports the part of the pattern that it rejects. If that part occurs several times, it is the last one.
  std::string place;
  const size_t at = value.rfind(regex.error_arg());
  if (!regex.error_arg().empty() && at != std::string_view::npos) {
    place = StrCat(" at character ", at + 1, ", '", regex.error_arg(), "'");
  }
  return absl::InvalidArgumentError(
      StrCat("invalid regular expression '", value, "' for -", option.name, ": ", regex.error(), place));
}

absl::Status SetThreshold(const RemarkOptionInfo& option, std::string_view value, RemarkOptions& options) {
  if (absl::SimpleAtoi(ToAbsl(value), &options.hotness_threshold)) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("invalid value '", value, "' for -", option.name,
                                           ": expected a number of executions from 0 to ", UINT64_MAX));
}

constexpr RemarkOptionInfo kOptions[] = {
    {"pass-remarks", "regex", "Show on stderr what these passes did", SetPattern<&RemarkOptions::passed>},
    {"pass-remarks-missed", "regex", "Show on stderr what these passes could not do, and why",
     SetPattern<&RemarkOptions::missed>},
    {"pass-remarks-analysis", "regex", "Show on stderr what these passes found out",
     SetPattern<&RemarkOptions::analysis>},
    {"pass-remarks-output", "file", "Write the remarks of all passes to this file",
     [](const RemarkOptionInfo& option, std::string_view value, RemarkOptions& options) {
       options.output = std::string(value);
       return value.empty()
                  ? absl::InvalidArgumentError(StrCat("invalid value '' for -", option.name, ": expected a file name"))
                  : absl::OkStatus();
     }},
    {"pass-remarks-filter", "regex", "Only write remarks of these passes to the file",
     SetPattern<&RemarkOptions::filter>},
    {"pass-remarks-format", "yaml", "Format of the file; YAML is the only one",
     [](const RemarkOptionInfo& option, std::string_view value, RemarkOptions&) {
       return value == "yaml" ? absl::OkStatus()
                              : absl::InvalidArgumentError(
                                    StrCat("invalid value '", value, "' for -", option.name, ": expected yaml"));
     }},
    {"pass-remarks-with-hotness", "", "Say in remarks how often the code runs, where the profile knows",
     [](const RemarkOptionInfo&, std::string_view, RemarkOptions& options) {
       options.with_hotness = true;
       return absl::OkStatus();
     }},
    {"pass-remarks-hotness-threshold", "n", "Drop remarks on code that runs less often", SetThreshold},
};

std::unique_ptr<const RE2> Compile(const std::optional<std::string>& pattern) {
  if (!pattern.has_value()) return nullptr;
  return std::make_unique<const RE2>(*pattern, QuietOptions());
}

bool Matches(const std::unique_ptr<const RE2>& regex, std::string_view pass) {
  return regex != nullptr && RE2::PartialMatch(ToRe2(pass), *regex);
}

}  // namespace

absl::Span<const RemarkOptionInfo> RemarkOptionTable() { return kOptions; }

const RemarkOptionInfo* FindRemarkOption(std::string_view name) {
  const auto it = std::find_if(std::begin(kOptions), std::end(kOptions),
                               [&](const RemarkOptionInfo& option) { return option.name == name; });
  return it == std::end(kOptions) ? nullptr : it;
}

RemarkFilter::RemarkFilter(const RemarkOptions& options)
    : passed_(Compile(options.passed)),
      missed_(Compile(options.missed)),
      analysis_(Compile(options.analysis)),
      filter_(Compile(options.filter)),
      is_recording_(!options.output.empty()),
      keeps_all_(options.keeps_all),
      listens_(is_recording_ || keeps_all_ || passed_ != nullptr || missed_ != nullptr || analysis_ != nullptr),
      wants_hotness_(options.with_hotness || options.hotness_threshold != 0),
      hotness_threshold_(options.hotness_threshold) {}

RemarkFilter::~RemarkFilter() = default;

bool RemarkFilter::AllowsExtraAnalysis(std::string_view pass) const {
  return keeps_all_ || IsRecorded(pass) || IsShown(RemarkKind::kFailure, pass);
}

bool RemarkFilter::IsShown(RemarkKind kind, std::string_view pass) const {
  switch (kind) {
    case RemarkKind::kPassed:
      return Matches(passed_, pass);
    case RemarkKind::kMissed:
      return Matches(missed_, pass);
    case RemarkKind::kAnalysis:
    case RemarkKind::kAnalysisFPCommute:
    case RemarkKind::kAnalysisAliasing:
      return Matches(analysis_, pass);
    case RemarkKind::kFailure:
      return Matches(passed_, pass) || Matches(missed_, pass) || Matches(analysis_, pass);
  }
  return false;
}

bool RemarkFilter::IsRecorded(std::string_view pass) const {
  return is_recording_ && (filter_ == nullptr || Matches(filter_, pass));
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "compiler/printing_option_values.h"

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "compiler/option_values.h"

namespace ptxmir {

absl::Status SetPrintChanged(std::string_view value, DriverOptions& options) {
  constexpr struct {
    std::string_view name;
    ChangeFormat format;
    bool is_quiet;
  } kFormats[] = {
      {"", ChangeFormat::kFunction, false},       {"quiet", ChangeFormat::kFunction, true},
      {"diff", ChangeFormat::kDiff, false},       {"diff-quiet", ChangeFormat::kDiff, true},
      {"cdiff", ChangeFormat::kColorDiff, false}, {"cdiff-quiet", ChangeFormat::kColorDiff, true},
      {"dot-cfg", ChangeFormat::kDotCfg, false},  {"dot-cfg-quiet", ChangeFormat::kDotCfg, true},
  };
  for (const auto& format : kFormats) {
    if (format.name != value) continue;
    options.run.print.changed = format.format;
    options.run.print.changed_is_quiet = format.is_quiet;
    return absl::OkStatus();
  }
  return InvalidOptionValue("print-changed", value,
                            "quiet, diff, diff-quiet, cdiff, cdiff-quiet, dot-cfg or dot-cfg-quiet");
}

absl::Status SetDotFolder(std::string_view value, DriverOptions& options) {
  if (value.empty()) return InvalidOptionValue("dot-cfg-dir", value, "a folder");
  options.run.print.dot_folder = std::string(value);
  return absl::OkStatus();
}

absl::Status SetBisectLimit(std::string_view value, DriverOptions& options) {
  int limit;
  if (!absl::SimpleAtoi(ToAbsl(value), &limit)) {
    return InvalidOptionValue("opt-bisect-limit", value, "a number of runs of passes, or -1 for all");
  }
  options.bisect = BisectIntervals::UpTo(limit);
  return absl::OkStatus();
}

absl::Status SetBisect(std::string_view value, DriverOptions& options) {
  if (value == "ptxas" || value == "exec") {
    options.bisect_goal = value == "ptxas" ? BisectGoal::kPtxas : BisectGoal::kExec;
    return absl::OkStatus();
  }
  absl::StatusOr<BisectIntervals> intervals = BisectIntervals::Parse(value);
  if (!intervals.ok()) return intervals.status();
  options.bisect = *std::move(intervals);
  return absl::OkStatus();
}

absl::Status SetBisectVerbose(std::string_view value, DriverOptions& options) {
  const bool is_true = value.empty() || value == "1" || value == "true";
  if (!is_true && value != "0" && value != "false") {
    return InvalidOptionValue("opt-bisect-verbose", value, "true or false");
  }
  options.bisect_is_verbose = is_true;
  return absl::OkStatus();
}

}  // namespace ptxmir

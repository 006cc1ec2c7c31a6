// SPDX-License-Identifier: Apache-2.0

#include "passes/run/opt_bisect.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

bool ParseNumber(std::string_view text, int& number) {
  return !text.empty() && absl::SimpleAtoi(ToAbsl(text), &number) && number >= 1;
}

}  // namespace

BisectIntervals BisectIntervals::UpTo(int limit) {
  BisectIntervals result;
  if (limit != 0) result.intervals_.push_back({1, limit < 0 ? kNoLimit : limit});
  return result;
}

absl::StatusOr<BisectIntervals> BisectIntervals::Parse(std::string_view text) {
  if (text == "0") return UpTo(0);
  if (text == "-1") return UpTo(-1);
  BisectIntervals result;
  int end = 0;
  for (std::string_view rest = text; !rest.empty() || end == 0;) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, comma);
    const size_t dash = std::min(word.find('-'), word.size());
    Interval interval{};
    const bool is_single = dash == word.size();
    if (!ParseNumber(word.substr(0, dash), interval.first) ||
        !ParseNumber(is_single ? word : word.substr(dash + 1), interval.last) || interval.last < interval.first ||
        interval.first <= end || comma + 1 == rest.size()) {
      return absl::InvalidArgumentError(StrCat("invalid value '", text,
                                               "' for -opt-bisect: expected ptxas, exec, 0, -1 or ascending intervals "
                                               "of numbers of runs, such as 1-10,20-30,45"));
    }
    end = interval.last;
    result.intervals_.push_back(interval);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return result;
}

bool BisectIntervals::Contains(int number) const {
  return std::any_of(intervals_.begin(), intervals_.end(),
                     [&](const Interval& interval) { return interval.first <= number && number <= interval.last; });
}

std::string OptBisect::Run::ToString() const { return StrCat(pass, " on ", unit); }

bool OptBisect::ShouldRun(const PassInfo& pass, std::string unit, std::string& log) {
  if (!IsOptionalPass(pass)) return true;
  const Run& run = runs_.emplace_back(Run{pass.name, std::move(unit)});
  const bool is_executed = intervals_.Contains(static_cast<int>(runs_.size()));
  if (is_verbose_) {
    StrAppend(&log, "BISECT: ", is_executed ? "" : "NOT ", "running pass (", runs_.size(), ") ", run.ToString(), "\n");
  }
  return is_executed;
}

}  // namespace ptxmir

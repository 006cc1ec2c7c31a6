// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_values.h"

#include <iterator>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"

namespace ptxmir {

absl::Status InvalidOptionValue(std::string_view option, std::string_view value, std::string_view wanted) {
  return absl::InvalidArgumentError(StrCat("invalid value '", value, "' for -", option, ": expected ", wanted));
}

void AppendList(std::string_view text, std::vector<std::string>& list) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (comma != 0) list.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
}

absl::Status AppendPasses(std::string_view text, std::vector<std::string>& list) {
  const size_t first = list.size();
  AppendList(text, list);
  for (size_t i = first; i < list.size(); ++i) {
    if (FindPass(list[i]) == nullptr) return absl::InvalidArgumentError(UnknownPassMessage(list[i]));
  }
  return absl::OkStatus();
}

absl::Status SetOptLevel(std::string_view value, DriverOptions& options) {
  if (value.size() != 1 || value[0] < '0' || value[0] > '3') {
    return InvalidOptionValue("O", value, "0, 1, 2 or 3");
  }
  options.has_opt_level = true;
  options.pipeline.opt_level = options.run.opt_level = value[0] - '0';
  options.pass_options->set_opt_level(options.pipeline.opt_level);
  return absl::OkStatus();
}

absl::Status CheckTriple(std::string_view value, DriverOptions&) {
  if (value.substr(0, 5) == "nvptx") return absl::OkStatus();
  return InvalidOptionValue("mtriple", value, "an nvptx or nvptx64 triple");
}

absl::Status SetCount(std::string_view option, std::string_view value, unsigned when_empty, unsigned& count) {
  constexpr unsigned kMaxCount = 1000;
  count = when_empty;
  if (value.empty() && when_empty != 0) return absl::OkStatus();
  if (absl::SimpleAtoi(ToAbsl(value), &count) && count > 0 && count <= kMaxCount) return absl::OkStatus();
  return InvalidOptionValue(option, value, "a number from 1 to 1000");
}

absl::Status SetVerifyExec(std::string_view value, DriverOptions& options) {
  return SetCount("verify-exec", value, kDefaultLaunches, options.verify_exec_inputs);
}

absl::Status SetOccupancy(std::string_view value, DriverOptions& options) {
  std::vector<std::string> words;
  AppendList(value, words);
  unsigned numbers[3] = {};
  bool ok = !words.empty() && words.size() <= std::size(numbers);
  for (size_t i = 0; ok && i < words.size(); ++i) ok = absl::SimpleAtoi(words[i], &numbers[i]);
  if (!ok || numbers[0] == 0 || numbers[0] > ptx::kMaxCtaThreads || numbers[1] > 255) {
    return InvalidOptionValue("occupancy", value,
                              "threads (1 to 1024), registers (up to 255) and bytes of shared memory");
  }
  options.occupancy = {.threads = numbers[0], .registers = numbers[1], .shared_bytes = numbers[2]};
  return absl::OkStatus();
}

absl::Status SetTimeTraceGranularity(std::string_view value, DriverOptions& options) {
  uint32_t microseconds;
  if (!absl::SimpleAtoi(ToAbsl(value), &microseconds)) {
    return InvalidOptionValue("time-trace-granularity", value, "a number of microseconds");
  }
  options.time_trace_granularity = std::chrono::microseconds(microseconds);
  return absl::OkStatus();
}

}  // namespace ptxmir

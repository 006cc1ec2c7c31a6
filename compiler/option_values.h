// SPDX-License-Identifier: Apache-2.0

// Functions that check the value of an option and store it: the last column of the table of options.

#ifndef PTXMIR_COMPILER_OPTION_VALUES_H_
#define PTXMIR_COMPILER_OPTION_VALUES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "compiler/driver_options.h"

namespace ptxmir {

// Returns the error for a value that an option does not take. `wanted` says what it takes.
absl::Status InvalidOptionValue(std::string_view option, std::string_view value, std::string_view wanted);

// Appends the words of `text`, which commas separate. Empty words are dropped.
void AppendList(std::string_view text, std::vector<std::string>& list);
// Like AppendList, for names of passes and of steps of SelectionDAGs. A name that is neither is an error.
absl::Status AppendPasses(std::string_view text, std::vector<std::string>& list);

// The number of launches of each kernel if the option does not give one.
inline constexpr unsigned kDefaultLaunches = 3;

// Parses a count from 1 to 1000. An empty value means `when_empty`, unless that is 0.
absl::Status SetCount(std::string_view option, std::string_view value, unsigned when_empty, unsigned& count);

// Set what the option of the same name says.
absl::Status SetOptLevel(std::string_view value, DriverOptions& options);
absl::Status SetTriple(std::string_view value, DriverOptions& options);
absl::Status SetArchitecture(std::string_view value, DriverOptions& options);
absl::Status SetCpu(std::string_view value, DriverOptions& options);
absl::Status SetFeatures(std::string_view value, DriverOptions& options);
absl::Status SetFileType(std::string_view value, DriverOptions& options);
absl::Status SetPasses(std::string_view value, DriverOptions& options);
absl::Status SetPipelineDump(std::string_view value, DriverOptions& options);
absl::Status SetDebugOnly(std::string_view value, DriverOptions& options);
absl::Status SetNoWarnings(std::string_view value, DriverOptions& options);
absl::Status DisableLoadStoreVectorizer(std::string_view value, DriverOptions& options);
absl::Status SetAutotune(std::string_view value, DriverOptions& options);
absl::Status SetPrintKnobs(std::string_view value, DriverOptions& options);
absl::Status SetCompletionShell(std::string_view value, DriverOptions& options);
absl::Status SetVerifyExec(std::string_view value, DriverOptions& options);
absl::Status SetOccupancy(std::string_view value, DriverOptions& options);
absl::Status SetTimeTraceGranularity(std::string_view value, DriverOptions& options);

// Parses a boolean as LLVM does. An empty text is true.
std::optional<bool> ParseBoolean(std::string_view text);

// Set the bool of a switch, whose value is empty or "false".
template <bool DriverOptions::*kMember>
absl::Status SetFlag(std::string_view value, DriverOptions& options) {
  options.*kMember = value.empty();
  return absl::OkStatus();
}

// Set a file of -explore.
template <std::string DriverOptions::*kMember>
absl::Status SetExploreFile(std::string_view value, DriverOptions& options) {
  if (value.empty()) return absl::InvalidArgumentError("-explore and -explore-json need a file name");
  options.*kMember = std::string(value);
  options.remarks.keeps_all = true;
  return absl::OkStatus();
}

template <bool PrintOptions::*kMember>
absl::Status SetPrintFlag(std::string_view value, DriverOptions& options) {
  options.run.print.*kMember = value.empty();
  return absl::OkStatus();
}

template <std::optional<PassPosition> PipelineOptions::*kMember>
absl::Status SetPipelinePosition(std::string_view value, DriverOptions& options) {
  absl::StatusOr<PassPosition> parsed = PassPosition::Parse(value);
  if (!parsed.ok()) return parsed.status();
  options.pipeline.*kMember = *std::move(parsed);
  return absl::OkStatus();
}

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_VALUES_H_

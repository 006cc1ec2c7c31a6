// SPDX-License-Identifier: Apache-2.0

// Whether a file is interesting, by what a command does with it.

#ifndef PTXMIR_TOOLS_REDUCE_INTERESTING_COMMAND_H_
#define PTXMIR_TOOLS_REDUCE_INTERESTING_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ptxmir {

struct CommandTest {
  // The command and its arguments, without a shell. "{}" stands for the path of the file, anywhere in an argument;
  // an argument "{knobs}" for the knobs, each an argument.
  std::vector<std::string> arguments;
  bool wants_failure = false;   // a status other than 0, or a signal
  std::string message = {};     // must be part of what the command prints; empty: the status alone decides
  double timeout_seconds = 60;  // a run that takes longer is not interesting
};

// Runs a command on files that it writes into a folder of its own, which goes away with it.
class InterestingCommand {
 public:
  static absl::StatusOr<InterestingCommand> Create(CommandTest test);
  InterestingCommand(InterestingCommand&& other) noexcept;
  InterestingCommand& operator=(InterestingCommand&&) = delete;
  ~InterestingCommand();

  // Errors are those of the system: the file cannot be written, the command cannot be started.
  absl::StatusOr<bool> Test(std::string_view mir, const std::vector<std::string>& knobs) const;

 private:
  InterestingCommand(CommandTest test, std::string folder);
  std::string path() const { return folder_ + "/candidate.mir"; }
  std::vector<std::string> Arguments(const std::vector<std::string>& knobs) const;

  CommandTest test_;
  std::string folder_;  // empty: moved from
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_INTERESTING_COMMAND_H_

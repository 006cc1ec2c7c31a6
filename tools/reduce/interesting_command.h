// SPDX-License-Identifier: Apache-2.0

// InterestingCommand: decides by the result of a command if a file is interesting.

#ifndef PTXMIR_TOOLS_REDUCE_INTERESTING_COMMAND_H_
#define PTXMIR_TOOLS_REDUCE_INTERESTING_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ptxmir {

struct CommandTest {
  // The command and its arguments, without a shell. "{}", anywhere in an argument, stands for the path of the
  // file. An argument "{knobs}" stands for the knobs, one argument each.
  std::vector<std::string> arguments;
  bool wants_failure = false;   // the status must not be 0, or there must be a signal
  std::string message = {};     // must be part of the command's output; empty: only the status decides
  double timeout_seconds = 60;  // a run that takes longer is not interesting
};

// Runs a command on files that it writes into its own folder. The destructor removes the folder.
class InterestingCommand {
 public:
  static absl::StatusOr<InterestingCommand> Create(CommandTest test);
  InterestingCommand(InterestingCommand&& other) noexcept;
  InterestingCommand& operator=(InterestingCommand&&) = delete;
  ~InterestingCommand();

  // Returns system errors only: the file cannot be written, or the command cannot be started.
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

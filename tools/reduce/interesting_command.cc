// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/interesting_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_replace.h"
#include "base/str_cat.h"

extern char** environ;

namespace ptxmir {
namespace {

using Clock = std::chrono::steady_clock;

absl::Status SystemError(std::string_view what, int error) {
  return absl::InternalError(StrCat(what, ": ", std::strerror(error)));
}

// Searches for a text in input that arrives in pieces, without storing all of it.
class TextSearch {
 public:
  explicit TextSearch(std::string_view wanted) : wanted_(wanted) {}

  void Add(std::string_view piece) {
    if (is_found()) return;
    tail_ += piece;
    is_found_ = tail_.find(wanted_) != std::string::npos;
    if (tail_.size() > wanted_.size()) tail_.erase(0, tail_.size() - wanted_.size());
  }
  bool is_found() const { return is_found_ || wanted_.empty(); }

 private:
  std::string_view wanted_;
  std::string tail_;
  bool is_found_ = false;
};

// A running command, which leads a process group, and the reading end of its output.
struct ChildProcess {
  pid_t id = 0;
  int output = -1;
};

absl::StatusOr<ChildProcess> Start(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("cannot make a pipe", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  ChildProcess child;
  const int error = posix_spawnp(&child.id, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return SystemError(StrCat("cannot start '", arguments[0], "'"), error);
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child.output = ends[0];
  return child;
}

// Reads the available output. Returns true if more may come later.
bool Drain(int output, TextSearch& search) {
  char buffer[65536];
  while (true) {
    const ssize_t size = read(output, buffer, sizeof buffer);
    if (size > 0) {
      search.Add({buffer, static_cast<size_t>(size)});
    } else {
      return size < 0 && (errno == EAGAIN || errno == EINTR);
    }
  }
}

// Returns the command's status, or -1 if it took too long. Kills everything that it started and left running.
int WaitFor(const ChildProcess& child, double timeout_seconds, TextSearch& search) {
  constexpr int kPollMilliseconds = 5;
  const auto limit = Clock::now() + std::chrono::duration<double>(timeout_seconds);
  int status = -1;
  bool is_open = true;
  while (true) {
    if (is_open) {
      pollfd wait = {child.output, POLLIN, 0};
      poll(&wait, 1, kPollMilliseconds);
      is_open = Drain(child.output, search);
    } else {
      usleep(1000);
    }
    // The child keeps its process id until it is waited for, so the group is still its own when it is killed.
    siginfo_t ended = {};
    waitid(P_PID, static_cast<id_t>(child.id), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == child.id) {
      kill(-child.id, SIGKILL);
      waitpid(child.id, &status, 0);
      break;
    }
    if (Clock::now() < limit) continue;
    kill(-child.id, SIGKILL);
    waitpid(child.id, &status, 0);
    status = -1;
    break;
  }
  if (is_open) Drain(child.output, search);
  close(child.output);
  return status;
}

absl::Status WriteFile(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return SystemError(StrCat("cannot write '", path, "'"), errno);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool is_closed = std::fclose(file) == 0;
  if (!is_written || !is_closed) return SystemError(StrCat("cannot write '", path, "'"), errno);
  return absl::OkStatus();
}

}  // namespace

InterestingCommand::InterestingCommand(CommandTest test, std::string folder)
    : test_(std::move(test)), folder_(std::move(folder)) {}

InterestingCommand::InterestingCommand(InterestingCommand&& other) noexcept
    : test_(std::move(other.test_)), folder_(std::exchange(other.folder_, std::string())) {}

InterestingCommand::~InterestingCommand() {
  if (folder_.empty()) return;
  unlink(path().c_str());
  rmdir(folder_.c_str());
}

absl::StatusOr<InterestingCommand> InterestingCommand::Create(CommandTest test) {
  const char* temporary = std::getenv("TMPDIR");
  std::string folder = StrCat(temporary == nullptr ? "/tmp" : temporary, "/ptxmir-reduce.XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) return SystemError(StrCat("cannot make a folder '", folder, "'"), errno);
  return InterestingCommand(std::move(test), std::move(folder));
}

std::vector<std::string> InterestingCommand::Arguments(const std::vector<std::string>& knobs) const {
  std::vector<std::string> arguments;
  for (const std::string& argument : test_.arguments) {
    if (argument == "{knobs}") {
      arguments.insert(arguments.end(), knobs.begin(), knobs.end());
    } else {
      arguments.push_back(absl::StrReplaceAll(argument, {{"{}", path()}}));
    }
  }
  return arguments;
}

absl::StatusOr<bool> InterestingCommand::Test(std::string_view mir, const std::vector<std::string>& knobs) const {
  if (absl::Status status = WriteFile(path(), mir); !status.ok()) return status;
  const absl::StatusOr<ChildProcess> child = Start(Arguments(knobs));
  if (!child.ok()) return child.status();
  TextSearch search(test_.message);
  const int status = WaitFor(*child, test_.timeout_seconds, search);
  if (status == -1 || !search.is_found()) return false;
  const bool has_failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  // A message is sufficient: commands that print one usually fail, but need not.
  if (!test_.message.empty() && !test_.wants_failure) return true;
  return has_failed == test_.wants_failure;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "compiler/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"

namespace ptxmir {
namespace {

// Moves to the start of the line and erases it.
constexpr std::string_view kWipe = "\r\x1b[K";

void WriteToStderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::function<void(std::string_view)> TerminalWriter() {
  const char* const terminal = std::getenv("TERM");
  const bool can_wipe = terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
  if (!can_wipe || isatty(STDERR_FILENO) == 0) return nullptr;
  return &WriteToStderr;
}

}  // namespace

ProgressLine::ProgressLine() : ProgressLine(TerminalWriter(), &std::chrono::steady_clock::now) {}

ProgressLine::ProgressLine(std::function<void(std::string_view)> write, std::function<Time()> clock)
    : write_(std::move(write)), clock_(std::move(clock)), start_(clock_()), next_(start_ + kDelay) {}

void ProgressLine::Draw() {
  // If another thread is drawing, this one need not.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const Time now = clock_();
  if (now < next_) return;
  next_ = now + kInterval;
  is_shown_ = true;
  write_(absl::StrFormat("%sptxmir: compiled %d of %d functions read, %.1f s", std::string(kWipe), num_done_.load(),
                         num_found_.load(), std::chrono::duration<double>(now - start_).count()));
}

void ProgressLine::Wipe() {
  const std::lock_guard lock(mutex_);
  if (!is_shown_) return;
  is_shown_ = false;
  write_(kWipe);
}

}  // namespace ptxmir

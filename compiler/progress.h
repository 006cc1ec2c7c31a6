// SPDX-License-Identifier: Apache-2.0

// A line on the terminal that shows the progress of a long compilation: "ptxmir: compiled 1200 of 1264 functions
// read, 3.2 s". It is redrawn in place and erased when the compilation ends.

#ifndef PTXMIR_COMPILER_PROGRESS_H_
#define PTXMIR_COMPILER_PROGRESS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace ptxmir {

// Several threads may report at once.
class ProgressLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The time before the line is first shown, and the minimum time between updates.
  static constexpr std::chrono::milliseconds kDelay{2000};
  static constexpr std::chrono::milliseconds kInterval{100};

  // Writes to stderr if that is a terminal that can move its cursor. Otherwise there is no line.
  ProgressLine();
  // Uses the given writer and clock, for tests. With an empty writer there is no line.
  ProgressLine(std::function<void(std::string_view)> write, std::function<Time()> clock);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  // Erases the line.
  ~ProgressLine() { Wipe(); }

  // Report that a function was read, and that one was compiled.
  void FunctionFound() { Count(num_found_); }
  void FunctionDone() { Count(num_done_); }
  // Updates the line if it is due, so that it is on time even if a function takes long.
  void Poll() {
    if (is_on()) Draw();
  }
  // Returns true if there can be a line.
  bool is_on() const { return static_cast<bool>(write_); }
  // Erases the line, so that something else can be printed. The next report shows it again.
  void Wipe();

 private:
  void Count(std::atomic<uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
    Poll();
  }
  void Draw();

  const std::function<void(std::string_view)> write_;
  const std::function<Time()> clock_;
  const Time start_;
  std::atomic<uint64_t> num_found_ = 0;
  std::atomic<uint64_t> num_done_ = 0;
  std::mutex mutex_;  // guards the members below
  Time next_;         // the time of the next update
  bool is_shown_ = false;
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_PROGRESS_H_

// SPDX-License-Identifier: Apache-2.0

// A line on the terminal that tells how far a long compilation is: "ptxmir: compiled 1200 of 1264 functions read,
// 3.2 s". It stands in one place and is gone when the compilation ends.

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

  // Nothing is shown before this time has passed, nor redrawn more often than this.
  static constexpr std::chrono::milliseconds kDelay{2000};
  static constexpr std::chrono::milliseconds kInterval{100};

  // On stderr, if that is a terminal that can move its cursor; else there is no line.
  ProgressLine();
  // With a writer and a clock of one's own, for tests. An empty writer: no line.
  ProgressLine(std::function<void(std::string_view)> write, std::function<Time()> clock);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  // Wipes the line.
  ~ProgressLine() { Wipe(); }

  // A function was read; it is to be compiled.
  void FunctionFound() { Count(num_found_); }
  void FunctionDone() { Count(num_done_); }
  // Time has passed; so that the line is not late when a function takes long.
  void Poll() {
    if (is_on()) Draw();
  }
  // Whether there may ever be a line.
  bool is_on() const { return static_cast<bool>(write_); }
  // Takes the line away, so that something else can be printed. It comes back with the next report.
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
  std::mutex mutex_;  // guards what follows
  Time next_;         // when to draw
  bool is_shown_ = false;
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_PROGRESS_H_

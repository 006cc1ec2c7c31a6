// SPDX-License-Identifier: Apache-2.0

// Where the time of a compilation goes, for -time-trace: events with a begin and an end on each thread, nested, and
// totals by name, in the JSON that Chrome's trace viewer and Perfetto read. As LLVM's: events shorter than the
// granularity only count for the totals, and an event within another one of its name does not count twice.
//
// A thread records into a list of its own; the lists are put together when the trace is printed.

#ifndef PTXMIR_BASE_TIME_TRACE_H_
#define PTXMIR_BASE_TIME_TRACE_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ptxmir {

class TimeTrace {
 public:
  using Nanoseconds = int64_t;

  // What one thread records.
  class Thread {
   public:
    // Both texts must hold until the event ends. Events end in the reverse order of their beginning.
    void Begin(std::string_view name, std::string_view detail);
    void End();

   private:
    friend class TimeTrace;
    struct OpenEvent {
      std::string_view name;
      std::string_view detail;
      Nanoseconds start;
    };
    struct Event {
      std::string name;
      std::string detail;
      Nanoseconds start;
      Nanoseconds end;
    };
    struct Total {
      uint64_t count = 0;
      Nanoseconds time = 0;
    };

    Thread(const TimeTrace& trace, std::thread::id id) : trace_(trace), id_(id) {}

    const TimeTrace& trace_;
    const std::thread::id id_;
    std::vector<OpenEvent> open_;
    std::vector<Event> events_;
    std::map<std::string, Total, std::less<>> totals_;
  };

  // The granularity that LLVM has by default.
  static constexpr std::chrono::microseconds kDefaultGranularity{500};

  explicit TimeTrace(std::chrono::microseconds granularity = kDefaultGranularity);
  // With a clock of one's own, for tests.
  TimeTrace(std::chrono::microseconds granularity, std::function<Nanoseconds()> clock);
  TimeTrace(const TimeTrace&) = delete;
  TimeTrace& operator=(const TimeTrace&) = delete;

  // The calling thread's list, made when it first asks. Threads may ask at the same time.
  Thread& ThisThread();

  // The trace, once all threads are done.
  std::string ToJson(std::string_view process_name) const;

 private:
  const Nanoseconds granularity_;
  const std::function<Nanoseconds()> clock_;
  const Nanoseconds start_;
  const int64_t start_of_day_;  // the same moment in microseconds since the epoch
  std::mutex mutex_;            // guards `threads_` while there may be several threads
  std::deque<Thread> threads_;
};

// An event from here to the end of the scope; nothing when there is no trace.
class TimeTraceScope {
 public:
  TimeTraceScope(TimeTrace* trace, std::string_view name, std::string_view detail = {})
      : thread_(trace == nullptr ? nullptr : &trace->ThisThread()) {
    if (thread_ != nullptr) thread_->Begin(name, detail);
  }
  TimeTraceScope(const TimeTraceScope&) = delete;
  TimeTraceScope& operator=(const TimeTraceScope&) = delete;
  ~TimeTraceScope() {
    if (thread_ != nullptr) thread_->End();
  }

 private:
  TimeTrace::Thread* thread_;
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_TIME_TRACE_H_

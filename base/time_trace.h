// SPDX-License-Identifier: Apache-2.0

// The time profile of a compilation, for -time-trace: nested events with a begin and an end on each thread, and
// totals by name. The output is JSON that Chrome's trace viewer and Perfetto can read. As in LLVM, events shorter
// than the granularity count only toward the totals, and an event nested in another event of the same name is not
// counted twice.
//
// Each thread records into its own list. The lists are combined when the trace is printed.

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

  // The events of one thread.
  class Thread {
   public:
    // Begins an event. Both texts must live until the event ends. Events end in the reverse order of their
    // beginning.
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

  // LLVM's default granularity.
  static constexpr std::chrono::microseconds kDefaultGranularity{500};

  explicit TimeTrace(std::chrono::microseconds granularity = kDefaultGranularity);
  // Uses the given clock instead of the system's, for tests.
  TimeTrace(std::chrono::microseconds granularity, std::function<Nanoseconds()> clock);
  TimeTrace(const TimeTrace&) = delete;
  TimeTrace& operator=(const TimeTrace&) = delete;

  // Returns the calling thread's list, which is created on first use. May be called from several threads at once.
  Thread& ThisThread();

  // Returns the trace as JSON. All threads must be done.
  std::string ToJson(std::string_view process_name) const;

 private:
  const Nanoseconds granularity_;
  const std::function<Nanoseconds()> clock_;
  const Nanoseconds start_;
  const int64_t start_of_day_;  // the time of start_, in microseconds since the epoch
  std::mutex mutex_;            // guards threads_ while several threads may be running
  std::deque<Thread> threads_;
};

// An event from here to the end of the scope. Does nothing if `trace` is null.
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

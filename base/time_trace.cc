// SPDX-License-Identifier: Apache-2.0

#include "base/time_trace.h"

#include <algorithm>
#include <utility>

#include "base/json_text.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr TimeTrace::Nanoseconds kMicrosecond = 1000;
constexpr double kMillisecond = 1e6;
// The process id in the trace. LLVM writes the real id, but then no two runs would give the same output.
constexpr int kProcess = 1;

TimeTrace::Nanoseconds SteadyNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t MicrosecondsSinceEpoch() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The elements of an array, separated by commas, one per line.
class JsonArray {
 public:
  explicit JsonArray(std::string& out) : out_(out) {}
  template <typename... Pieces>
  void Add(const Pieces&... pieces) {
    StrAppend(&out_, is_first_ ? "\n" : ",\n", pieces...);
    is_first_ = false;
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

// Start and duration in whole microseconds. Both ends are rounded in the same direction, so nested events stay
// nested.
std::string Times(TimeTrace::Nanoseconds start, TimeTrace::Nanoseconds end) {
  const int64_t from = start / kMicrosecond;
  return StrCat("\"ph\":\"X\",\"ts\":", from, ",\"dur\":", end / kMicrosecond - from);
}

}  // namespace

TimeTrace::TimeTrace(std::chrono::microseconds granularity) : TimeTrace(granularity, &SteadyNow) {}

TimeTrace::TimeTrace(std::chrono::microseconds granularity, std::function<Nanoseconds()> clock)
    : granularity_(granularity.count() * kMicrosecond),
      clock_(std::move(clock)),
      start_(clock_()),
      start_of_day_(MicrosecondsSinceEpoch()) {}

TimeTrace::Thread& TimeTrace::ThisThread() {
  const std::thread::id id = std::this_thread::get_id();
  const std::lock_guard lock(mutex_);
  for (Thread& thread : threads_) {
    if (thread.id_ == id) return thread;
  }
  threads_.push_back(Thread(*this, id));
  return threads_.back();
}

void TimeTrace::Thread::Begin(std::string_view name, std::string_view detail) {
  open_.push_back({name, detail, trace_.clock_() - trace_.start_});
}

void TimeTrace::Thread::End() {
  const OpenEvent event = open_.back();
  open_.pop_back();
  const Nanoseconds end = trace_.clock_() - trace_.start_;
  const Nanoseconds time = end - event.start;
  if (time >= trace_.granularity_) {
    events_.push_back({std::string(event.name), std::string(event.detail), event.start, end});
  }
  const bool is_counted_outside =
      std::any_of(open_.begin(), open_.end(), [&](const OpenEvent& outer) { return outer.name == event.name; });
  if (is_counted_outside) return;
  auto total = totals_.find(event.name);
  if (total == totals_.end()) total = totals_.emplace(event.name, Total()).first;
  ++total->second.count;
  total->second.time += time;
}

std::string TimeTrace::ToJson(std::string_view process_name) const {
  std::string out = "{\"traceEvents\":[";
  JsonArray array(out);
  size_t number = 0;
  std::map<std::string_view, Thread::Total> totals;
  for (const Thread& thread : threads_) {
    array.Add("{\"pid\":", kProcess, ",\"tid\":", number,
              ",\"ts\":0,\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":",
              JsonText(StrCat("thread ", number)), "}}");
    // Events are stored in the order in which they ended, inner ones first. Viewers want outer ones first.
    std::vector<const Thread::Event*> events;
    for (const Thread::Event& event : thread.events_) events.push_back(&event);
    std::reverse(events.begin(), events.end());
    std::stable_sort(events.begin(), events.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
    for (const Thread::Event* event : events) {
      array.Add("{\"pid\":", kProcess, ",\"tid\":", number, ",", Times(event->start, event->end),
                ",\"name\":", JsonText(event->name), ",\"args\":{\"detail\":", JsonText(event->detail), "}}");
    }
    for (const auto& [name, total] : thread.totals_) {
      totals[name].count += total.count;
      totals[name].time += total.time;
    }
    ++number;
  }
  std::vector<std::pair<std::string_view, Thread::Total>> by_time(totals.begin(), totals.end());
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  // One row for each total, after the rows of the threads.
  for (const auto& [name, total] : by_time) {
    array.Add("{\"pid\":", kProcess, ",\"tid\":", ++number, ",", Times(0, total.time),
              ",\"name\":", JsonText(StrCat("Total ", name)), ",\"args\":{\"count\":", total.count,
              ",\"avg ms\":", static_cast<double>(total.time) / kMillisecond / static_cast<double>(total.count), "}}");
  }
  array.Add("{\"pid\":", kProcess,
            ",\"tid\":0,\"ts\":0,\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":", JsonText(process_name),
            "}}");
  StrAppend(&out, "\n],\"beginningOfTime\":", start_of_day_, "}\n");
  return out;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "base/time_trace.h"

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

// A strict JSON reader that covers what these tests need, so that invalid JSON fails.
struct Json {
  std::map<std::string, Json> members;
  std::vector<Json> elements;
  std::string text;
  double number = 0;

  const Json& operator[](const std::string& key) const {
    static const Json kNone;
    const auto found = members.find(key);
    return found == members.end() ? kNone : found->second;
  }
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}
  std::optional<Json> Read() {
    Json value = Value();
    Skip();
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Take(char c) {
    Skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) { failed_ |= !Take(c); }

  Json Value() {
    Json value;
    Skip();
    if (failed_ || at_ == text_.size()) {
      failed_ = true;
    } else if (Take('{')) {
      for (bool more = !Take('}'); more && !failed_;) {
        std::string key = String();
        Expect(':');
        value.members[key] = Value();
        more = Take(',');
        if (!more) Expect('}');
      }
    } else if (Take('[')) {
      for (bool more = !Take(']'); more && !failed_;) {
        value.elements.push_back(Value());
        more = Take(',');
        if (!more) Expect(']');
      }
    } else if (text_[at_] == '"') {
      value.text = String();
    } else {
      const size_t end = text_.find_first_not_of("+-.eE0123456789", at_);
      const std::string number(text_.substr(at_, end - at_));
      failed_ |= number.empty();
      if (!failed_) value.number = std::stod(number);
      at_ += number.size();
    }
    return value;
  }
  std::string String() {
    std::string out;
    Expect('"');
    while (!failed_ && at_ < text_.size() && text_[at_] != '"') {
      failed_ |= static_cast<unsigned char>(text_[at_]) < 0x20;
      if (text_[at_] != '\\') {
        out += text_[at_++];
      } else if (text_.substr(at_, 2) == "\\u") {
        out += static_cast<char>(std::stoi(std::string(text_.substr(at_ + 2, 4)), nullptr, 16));
        at_ += 6;
      } else {
        failed_ |= text_[at_ + 1] != '"' && text_[at_ + 1] != '\\';
        out += text_[at_ + 1];
        at_ += 2;
      }
    }
    Expect('"');
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
};

class TimeTraceTest : public ::testing::Test {
 protected:
  static constexpr TimeTrace::Nanoseconds kMicrosecond = 1000;

  // Returns the "X" events of the trace, in the order of the text.
  std::vector<Json> Events() {
    const std::string text = trace_.ToJson("tool");
    const std::optional<Json> json = JsonReader(text).Read();
    EXPECT_TRUE(json.has_value()) << text;
    std::vector<Json> events;
    for (const Json& event : json.has_value() ? (*json)["traceEvents"].elements : std::vector<Json>()) {
      if (event["ph"].text == "X") events.push_back(event);
    }
    return events;
  }
  static std::string ToString(const Json& event) {
    return StrCat(event["name"].text, " ", event["args"]["detail"].text, " ", event["ts"].number, "+",
                  event["dur"].number);
  }

  std::atomic<TimeTrace::Nanoseconds> now_ = 5 * kMicrosecond;
  TimeTrace trace_{std::chrono::microseconds(10), [this] { return now_.load(); }};
};

TEST_F(TimeTraceTest, EventsNestAndAreInOrderOfTheirBeginning) {
  {
    const TimeTraceScope outer(&trace_, "function", "f");
    {
      const TimeTraceScope inner(&trace_, "pass-a", "f");
      now_ += 20 * kMicrosecond;
    }
    {
      const TimeTraceScope inner(&trace_, "pass-b", "f");
      now_ += 15 * kMicrosecond;
    }
  }
  const std::vector<Json> events = Events();
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(ToString(events[0]), "function f 0+35");
  EXPECT_EQ(ToString(events[1]), "pass-a f 0+20");
  EXPECT_EQ(ToString(events[2]), "pass-b f 20+15");
  EXPECT_EQ(ToString(events[3]), "Total function  0+35");
  EXPECT_EQ(events[3]["args"]["count"].number, 1);
  EXPECT_DOUBLE_EQ(events[3]["args"]["avg ms"].number, 0.035);
  EXPECT_EQ(ToString(events[4]), "Total pass-a  0+20");
  // Each total has a row of its own.
  EXPECT_NE(events[4]["tid"].number, events[3]["tid"].number);
}

TEST_F(TimeTraceTest, ShortEventsOnlyCount) {
  for (int i = 0; i < 3; ++i) {
    const TimeTraceScope scope(&trace_, "pass", "f");
    now_ += 9 * kMicrosecond;
  }
  const std::vector<Json> events = Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(ToString(events[0]), "Total pass  0+27");
  EXPECT_EQ(events[0]["args"]["count"].number, 3);
}

TEST_F(TimeTraceTest, AnEventWithinOneOfItsNameDoesNotCountTwice) {
  {
    const TimeTraceScope outer(&trace_, "dom", "f");
    now_ += 10 * kMicrosecond;
    const TimeTraceScope inner(&trace_, "dom", "f");
    now_ += 10 * kMicrosecond;
  }
  const std::vector<Json> events = Events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(ToString(events[2]), "Total dom  0+20");
}

TEST_F(TimeTraceTest, RoundingKeepsNesting) {
  now_ += 999;
  {
    const TimeTraceScope outer(&trace_, "outer", "");
    now_ += 2;
    const TimeTraceScope inner(&trace_, "inner", "");
    now_ += 20 * kMicrosecond + 998;
  }
  const std::vector<Json> events = Events();
  const double outer_end = events[0]["ts"].number + events[0]["dur"].number;
  EXPECT_EQ(events[0]["name"].text, "outer");
  EXPECT_GE(events[1]["ts"].number, events[0]["ts"].number);
  EXPECT_LE(events[1]["ts"].number + events[1]["dur"].number, outer_end);
}

TEST_F(TimeTraceTest, NamesMayHoldAnything) {
  const std::string name = "quote\" back\\slash \n\x01 \xc3\xa4 \xff";
  {
    const TimeTraceScope scope(&trace_, name, name);
    now_ += 20 * kMicrosecond;
  }
  const std::vector<Json> events = Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["name"].text, "quote\" back\\slash \n\x01 \xc3\xa4 \xef\xbf\xbd");
  EXPECT_EQ(events[0]["args"]["detail"].text, events[0]["name"].text);
}

TEST_F(TimeTraceTest, EachThreadHasARowAndTotalsAreOfAll) {
  constexpr int kThreads = 4;
  constexpr int kEvents = 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kEvents; ++k) {
        const TimeTraceScope outer(&trace_, "outer", "f");
        const TimeTraceScope inner(&trace_, "inner", "f");
        now_ += 10 * kMicrosecond;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<double, double> end_of_row;
  std::map<double, std::vector<double>> open;  // ends of the open events, by row
  int num_events = 0;
  for (const Json& event : Events()) {
    if (event["name"].text.starts_with("Total ")) {
      EXPECT_EQ(event["args"]["count"].number, kThreads * kEvents);
      continue;
    }
    ++num_events;
    // Two events are nested or disjoint; they never cross.
    std::vector<double>& stack = open[event["tid"].number];
    const double start = event["ts"].number;
    const double end = start + event["dur"].number;
    while (!stack.empty() && stack.back() <= start) stack.pop_back();
    if (!stack.empty()) {
      EXPECT_LE(end, stack.back());
    }
    stack.push_back(end);
  }
  EXPECT_EQ(num_events, 2 * kThreads * kEvents);
  EXPECT_EQ(open.size(), kThreads);
}

TEST(TimeTraceScopeTest, NoTraceIsNoWork) { const TimeTraceScope scope(nullptr, "pass", "f"); }

}  // namespace
}  // namespace ptxmir

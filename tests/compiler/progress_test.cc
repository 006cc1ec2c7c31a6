// SPDX-License-Identifier: Apache-2.0

#include "compiler/progress.h"

#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

using std::chrono::milliseconds;

class ProgressTest : public ::testing::Test {
 protected:
  std::string text_;
  ProgressLine::Time now_{};
  ProgressLine line_{[this](std::string_view text) { text_ += text; }, [this] { return now_; }};
};

TEST_F(ProgressTest, ShortCompilationsShowNothing) {
  for (int i = 0; i < 1999; ++i) {
    now_ += milliseconds(1);
    line_.FunctionFound();
    line_.FunctionDone();
  }
  line_.Wipe();
  EXPECT_EQ(text_, "");
}

TEST_F(ProgressTest, IsRewrittenInPlaceAndWiped) {
  for (int i = 0; i < 5; ++i) line_.FunctionFound();
  now_ += milliseconds(2000);
  line_.FunctionDone();
  EXPECT_EQ(text_, "\r\x1b[Kptxmir: compiled 1 of 5 functions read, 2.0 s");
  text_.clear();
  now_ += milliseconds(150);
  line_.FunctionDone();
  EXPECT_EQ(text_, "\r\x1b[Kptxmir: compiled 2 of 5 functions read, 2.1 s");
  text_.clear();
  line_.Wipe();
  EXPECT_EQ(text_, "\r\x1b[K");
  line_.Wipe();
  EXPECT_EQ(text_, "\r\x1b[K");
}

TEST_F(ProgressTest, AFunctionThatTakesLongIsSeenToTakeLong) {
  line_.FunctionFound();
  now_ += milliseconds(4000);
  line_.Poll();
  EXPECT_EQ(text_, "\r\x1b[Kptxmir: compiled 0 of 1 functions read, 4.0 s");
}

TEST_F(ProgressTest, IsDrawnTenTimesASecondAtMost) {
  now_ += milliseconds(2000);
  for (int i = 0; i < 1000; ++i) {
    line_.FunctionFound();
    now_ += milliseconds(1);
  }
  size_t drawn = 0;
  for (size_t at = text_.find('\r'); at != std::string::npos; at = text_.find('\r', at + 1)) ++drawn;
  EXPECT_EQ(drawn, 10u);
}

TEST(ProgressWithoutTerminalTest, ShowsNothing) {
  ProgressLine::Time now{};
  ProgressLine line(nullptr, [&] { return now; });
  now += milliseconds(10000);
  line.FunctionFound();
  line.FunctionDone();
  line.Wipe();
}

TEST(ProgressThreadsTest, CountsWhatAllThreadsReport) {
  std::string text;
  std::atomic<int> ticks = 0;
  {
    ProgressLine line([&](std::string_view part) { text = part; },
                      [&] { return ProgressLine::Time{} + ticks.load() * milliseconds(3000); });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 1000; ++k) {
          line.FunctionFound();
          line.FunctionDone();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(text, "");
    ticks = 1;
    line.FunctionDone();
    EXPECT_EQ(text, "\r\x1b[Kptxmir: compiled 4001 of 4000 functions read, 3.0 s");
  }
  EXPECT_EQ(text, "\r\x1b[K");
}

}  // namespace
}  // namespace ptxmir

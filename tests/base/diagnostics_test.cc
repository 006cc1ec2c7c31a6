// SPDX-License-Identifier: Apache-2.0

#include "base/diagnostics.h"

#include <fstream>
#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

TEST(DiagnosticsTest, ReportsFileLineColumnAndCaret) {
  SourceBuffer buffer("k.mir", "first\n  second line\nthird\n");
  DiagnosticEngine diagnostics;
  diagnostics.Error(buffer, buffer.text().data() + 8, "expected a register");
  EXPECT_EQ(diagnostics.ToString(), "k.mir:2:3: error: expected a register\n  second line\n  ^\n");
}

TEST(DiagnosticsTest, CaretStandsUnderTabs) {
  SourceBuffer buffer("k.mir", "\tx y");
  DiagnosticEngine diagnostics;
  diagnostics.Error(buffer, buffer.text().data() + 3, "no");
  EXPECT_EQ(diagnostics.ToString(), "k.mir:1:4: error: no\n\tx y\n\t  ^\n");
}

TEST(DiagnosticsTest, PositionAtEndOfBufferIsOnTheLastLine) {
  SourceBuffer buffer("k.mir", "abc");
  DiagnosticEngine diagnostics;
  diagnostics.Error(buffer, buffer.text().data() + 3, "unexpected end of file");
  EXPECT_EQ(diagnostics.diagnostics()[0].where.line, 1u);
  EXPECT_EQ(diagnostics.diagnostics()[0].where.column, 4u);
}

TEST(DiagnosticsTest, LongLinesAreShownAroundThePosition) {
  const std::string text(100000, 'a');
  SourceBuffer buffer("k.mir", text);
  DiagnosticEngine diagnostics;
  diagnostics.Error(buffer, buffer.text().data() + 50000, "here");
  EXPECT_LT(diagnostics.ToString().size(), 500u);
}

TEST(DiagnosticsTest, ErrorsPastTheLimitAreCountedNotKept) {
  SourceBuffer buffer("k.mir", "abc");
  DiagnosticEngine diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.Error(buffer, buffer.text().data(), "no");
  EXPECT_EQ(diagnostics.num_errors(), 1000u);
  EXPECT_EQ(diagnostics.diagnostics().size(), DiagnosticEngine::kMaxKeptErrors);
  EXPECT_TRUE(diagnostics.limit_reached());
}

TEST(DiagnosticsTest, AppendCountsAndKeepsAsIfReportedThere) {
  DiagnosticEngine first, second;
  first.Error("one");
  for (int i = 0; i < 30; ++i) second.Error("two");
  first.Append(second);
  EXPECT_EQ(first.num_errors(), 31u);
  ASSERT_EQ(first.diagnostics().size(), DiagnosticEngine::kMaxKeptErrors);
  EXPECT_EQ(first.diagnostics()[0].message, "one");
  EXPECT_EQ(first.diagnostics()[1].message, "two");
}

TEST(SourceBufferTest, MissingFileIsAnErrorThatNamesIt) {
  const auto buffer = SourceBuffer::FromFile("/nonexistent/k.mir");
  ASSERT_FALSE(buffer.ok());
  EXPECT_NE(std::string(buffer.status().message()).find("/nonexistent/k.mir"), std::string::npos);
}

TEST(SourceBufferTest, TextThatWasUnloadedIsReadAgain) {
  const std::string path = ::testing::TempDir() + "/unloaded.ll";
  const std::string text(1234567, 'a');
  std::ofstream(path) << text;
  const std::shared_ptr<const SourceBuffer> buffer = SourceBuffer::FromFile(path).value();
  EXPECT_EQ(buffer->text(), text);
  buffer->Unload(buffer->text().substr(100, 1000000));
  EXPECT_EQ(buffer->text(), text);
  const SourceBuffer copy("copy", text);
  copy.Unload(copy.text());
  EXPECT_EQ(copy.text(), text);
}

TEST(SourceBufferTest, DirectoryIsAnError) { EXPECT_FALSE(SourceBuffer::FromFile("/").ok()); }

}  // namespace
}  // namespace ptxmir

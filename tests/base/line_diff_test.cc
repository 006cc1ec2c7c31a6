// SPDX-License-Identifier: Apache-2.0

#include "base/line_diff.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/split_mix64.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

using Kind = DiffLine::Kind;

// Returns the lines as diff -u would print them, without context markers.
std::string Text(const std::vector<DiffLine>& lines) {
  std::string text;
  for (const DiffLine& line : lines) {
    text += line.kind == Kind::kCommon ? ' ' : line.kind == Kind::kRemoved ? '-' : '+';
    text += line.text;
    text += '\n';
  }
  return text;
}

// Returns the text that remains without the lines of a kind.
std::string Without(Kind kind, const std::vector<DiffLine>& lines) {
  std::string text;
  for (const DiffLine& line : lines) {
    if (line.kind == kind) continue;
    text += line.text;
    text += '\n';
  }
  return text;
}

size_t NumEdits(const std::vector<DiffLine>& lines) {
  return static_cast<size_t>(
      std::count_if(lines.begin(), lines.end(), [](const DiffLine& line) { return line.kind != Kind::kCommon; }));
}

// Returns the least number of edits, by the quadratic table.
size_t LeastEdits(std::string_view before, std::string_view after) {
  std::vector<std::vector<size_t>> common(before.size() + 1, std::vector<size_t>(after.size() + 1));
  for (size_t x = 0; x < before.size(); ++x) {
    for (size_t y = 0; y < after.size(); ++y) {
      common[x + 1][y + 1] = before[x] == after[y] ? common[x][y] + 1 : std::max(common[x][y + 1], common[x + 1][y]);
    }
  }
  return before.size() + after.size() - 2 * common[before.size()][after.size()];
}

std::string AsLines(std::string_view letters) {
  std::string text;
  for (const char letter : letters) {
    text += letter;
    text += '\n';
  }
  return text;
}

TEST(LineDiff, EqualTextsHaveOnlyCommonLines) {
  EXPECT_EQ(Text(DiffLines("a\nb\n", "a\nb\n")), " a\n b\n");
  EXPECT_EQ(Text(DiffLines("", "")), "");
}

TEST(LineDiff, EmptyTextsAreAddedAndRemovedWhole) {
  EXPECT_EQ(Text(DiffLines("", "a\nb\n")), "+a\n+b\n");
  EXPECT_EQ(Text(DiffLines("a\nb\n", "")), "-a\n-b\n");
}

TEST(LineDiff, RemovedLinesPrecedeAddedOnes) {
  EXPECT_EQ(Text(DiffLines("a\nb\nc\nd\n", "a\nx\ny\nd\n")), " a\n-b\n-c\n+x\n+y\n d\n");
}

TEST(LineDiff, MovedLineIsRemovedAndAdded) {
  EXPECT_EQ(Text(DiffLines("a\nm\nb\nc\n", "a\nb\nm\nc\n")).size(), std::string(" a\n-m\n b\n+m\n c\n").size());
}

TEST(LineDiff, EmptyLinesAndAMissingLastNewlineCount) { EXPECT_EQ(Text(DiffLines("a\n\nb", "a\nb\n")), " a\n-\n b\n"); }

TEST(LineDiff, ScriptsOfRandomTextsAreCorrectAndShortest) {
  SplitMix64 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string letters[2];
    for (std::string& text : letters) {
      const uint64_t size = random.Next() % 24;
      for (uint64_t at = 0; at < size; ++at) text += static_cast<char>('a' + random.Next() % 4);
    }
    const std::string before = AsLines(letters[0]);
    const std::string after = AsLines(letters[1]);
    const std::vector<DiffLine> lines = DiffLines(before, after);
    ASSERT_EQ(Without(Kind::kAdded, lines), before) << letters[0] << " " << letters[1];
    ASSERT_EQ(Without(Kind::kRemoved, lines), after) << letters[0] << " " << letters[1];
    ASSERT_EQ(NumEdits(lines), LeastEdits(letters[0], letters[1])) << letters[0] << " " << letters[1];
  }
}

// Takes the path on which the search is cut short.
TEST(LineDiff, ScriptsOfLongTextsThatDifferThroughoutAreCorrect) {
  SplitMix64 random(2);
  std::string texts[2];
  for (std::string& text : texts) {
    for (int line = 0; line < 20000; ++line) text += std::to_string(random.Next() % 30000) + "\n";
  }
  const std::vector<DiffLine> lines = DiffLines(texts[0], texts[1]);
  EXPECT_EQ(Without(Kind::kAdded, lines), texts[0]);
  EXPECT_EQ(Without(Kind::kRemoved, lines), texts[1]);
}

}  // namespace
}  // namespace ptxmir

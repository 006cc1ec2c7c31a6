// SPDX-License-Identifier: Apache-2.0

// The lines of DAGs from step to step: nodes keep their numbers, and what has changed is written again.

#include "sdag/text/dag_lines.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

constexpr std::string_view kBlock = R"(
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg t0, Register:i32 %0
    t2: i32 = add nsw [ORD=3] t1, Constant:i32<7>
    t3: i32 = mul t2, t1
    t4: ch = CopyToReg t0, Register:i32 %1, t3)";

// Texts get numbers in the order in which they are first asked for.
class NumberedLines {
 public:
  std::vector<std::string> Of(SelectionDAG& dag) {
    std::vector<DagLines::Line> lines;
    lines_.Append(
        dag,
        [this](std::string_view text) {
          for (size_t i = 0; i < texts_.size(); ++i) {
            if (texts_[i] == text) return static_cast<uint32_t>(i);
          }
          texts_.emplace_back(text);
          return static_cast<uint32_t>(texts_.size() - 1);
        },
        lines);
    std::vector<std::string> texts;
    orders_.clear();
    for (const DagLines::Line& line : lines) {
      texts.push_back(texts_[line.text]);
      orders_.push_back(line.ir_order);
    }
    return texts;
  }

  DagLines& lines() { return lines_; }
  const std::vector<uint32_t>& orders() const { return orders_; }

 private:
  DagLines lines_;
  std::vector<std::string> texts_;
  std::vector<uint32_t> orders_;
};

SDNode& NodeNamed(SelectionDAG& dag, std::string_view name) {
  for (SDNode& node : dag) {
    if (node.name() == name) return node;
  }
  ADD_FAILURE() << name;
  return *dag.root().node();
}

TEST(DagLinesTest, WritesWhatPrintDagWrites) {
  DagText text(OneBlock(kBlock));
  ASSERT_TRUE(text.ok());
  NumberedLines lines;
  std::string joined;
  for (const std::string& line : lines.Of(text.dag())) joined += line + "\n";
  std::string printed;
  PrintDag(text.dag(), printed);
  EXPECT_EQ(joined, printed);
}

TEST(DagLinesTest, TellsTheOrderOfEachLine) {
  DagText text(OneBlock(kBlock));
  ASSERT_TRUE(text.ok());
  NumberedLines lines;
  const std::vector<std::string> texts = lines.Of(text.dag());
  ASSERT_EQ(texts.size(), lines.orders().size());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(lines.orders()[i], texts[i].find("= add") == std::string::npos ? 0u : 3u) << texts[i];
  }
}

TEST(DagLinesTest, ChangedFlagsAreWritten) {
  DagText text(OneBlock(kBlock));
  ASSERT_TRUE(text.ok());
  NumberedLines lines;
  const std::vector<std::string> before = lines.Of(text.dag());
  NodeNamed(text.dag(), "add").set_flags(0);
  const std::vector<std::string> after = lines.Of(text.dag());
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].find("= add") == std::string::npos) {
      EXPECT_EQ(before[i], after[i]);
    } else {
      EXPECT_EQ(after[i], "  t2: i32 = add [ORD=3] t1, Constant:i32<7>");
    }
  }
}

TEST(DagLinesTest, ANodeInTheMemoryOfAnotherGetsANumberOfItsOwn) {
  DagText text(OneBlock(kBlock));
  ASSERT_TRUE(text.ok());
  NumberedLines lines;
  lines.Of(text.dag());
  lines.lines().NodeDeleted(NodeNamed(text.dag(), "mul"));
  const std::vector<std::string> after = lines.Of(text.dag());
  bool is_found = false;
  for (const std::string& line : after) is_found |= line == "  t5: i32 = mul t2, t1";
  EXPECT_TRUE(is_found);
  EXPECT_EQ(after.back(), "  t4: ch = CopyToReg t0, Register:i32 %1, t5");
}

}  // namespace
}  // namespace ptxmir::sdag

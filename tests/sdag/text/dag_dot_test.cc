// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_dot.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

TEST(DagDotTest, DrawsNodesAndEdges) {
  DagText text(OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg t0, Register:i32 %0
    t2: i32 = add nsw t1, Constant:i32<3>
    t3: ch,glue = CopyToReg t1:1, Register:i32 %1, t2
    t4: ch = CopyToReg t3, Register:i32 %2, t2, t3:1)"));
  ASSERT_TRUE(text.ok());
  std::string dot;
  WriteDagDot(text.dag(), "", dot);
  EXPECT_EQ(dot.substr(0, dot.find('\n')), "digraph \"f:bb.0\" {");
  // Records, with the numbers of the text.
  EXPECT_NE(dot.find("label=\"{{<s0>0|<s1>1}|add\\ nsw|t2|{<d0>i32}}\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"{Constant\\<3\\>|{<d0>i32}}\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"{EntryToken|t0|{<d0>ch|<d1>glue}}\""), std::string::npos) << dot;
  // Edges go from operand to result.
  EXPECT_NE(dot.find("[color=red, style=bold];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("[color=blue, style=dashed];"), std::string::npos) << dot;
  const std::string root = "GraphRoot -> Node" + std::to_string(text.dag().root()->id()) + ":d0";
  EXPECT_NE(dot.find(root), std::string::npos) << dot;
}

// Every unescaped double quote begins or ends a string, and lines end outside of strings.
TEST(DagDotTest, EscapesWhatHasAMeaning) {
  DagText text(FileText("tests/sdag/text/every_payload.sdag"));
  ASSERT_TRUE(text.ok());
  std::string dot;
  WriteDagDot(text.dag(), "a \"title\" with \\ and {braces}", dot);
  bool in_string = false;
  int braces = 0;
  for (size_t i = 0; i < dot.size(); ++i) {
    if (dot[i] == '\\') {
      ASSERT_TRUE(in_string);
      ++i;
      continue;
    }
    if (dot[i] == '"') in_string = !in_string;
    if (dot[i] == '\n') {
      ASSERT_FALSE(in_string) << dot.substr(0, i);
    }
    if (!in_string) braces += dot[i] == '{' ? 1 : dot[i] == '}' ? -1 : 0;
  }
  EXPECT_FALSE(in_string);
  EXPECT_EQ(braces, 0);
  EXPECT_NE(dot.find("\\<ptr\\ addrspace(1)\\ @\\\"odd\\ name\\\"\\>"), std::string::npos) << dot;
}

}  // namespace
}  // namespace ptxmir::sdag

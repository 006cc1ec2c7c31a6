// SPDX-License-Identifier: Apache-2.0

// The text form: writing returns the text that was read.

#include "sdag/text/dag_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

std::vector<std::string> NodeLines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const size_t begin = line.find_first_not_of(' ');
    const bool is_node = begin != std::string::npos && (line[begin] == 't' || line.substr(begin, 5) == "root:") &&
                         line.find(": ") != std::string::npos;
    const bool is_debug_value = begin != std::string::npos && line.substr(begin, 9) == "DBG_VALUE";
    if ((is_node || is_debug_value) && begin >= 4) {
      lines.push_back(line.substr(begin));
    }
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

TEST(DagTextTest, EveryPayloadComesBack) {
  const std::string text = FileText("tests/sdag/text/every_payload.sdag");
  DagText first(text);
  ASSERT_TRUE(first.ok());
  const std::string written = first.Written();
  // The lines of the file are as the writer writes them.
  EXPECT_EQ(NodeLines(written), NodeLines(text));
  DagText second(written);
  ASSERT_TRUE(second.ok()) << written;
  EXPECT_EQ(second.Written(), written);
  for (BlockNumber block = 0; block < 3; ++block) EXPECT_EQ(second.dag(block).CheckInvariants(), "");
  EXPECT_EQ(second.module().functions[1], nullptr);
}

TEST(DagTextTest, OrderOfLinesDoesNotMatter) {
  DagText text(OneBlock(R"(
    t9: ch = CopyToReg t0, Register:i32 %1, t5
    t5: i32 = add t3, t4
      t3: i32 = mul t4, t4
    t4: i32,ch = CopyFromReg t0, Register:i32 %0
  SelectionDAG has 8 nodes:
    t0: ch,glue = EntryToken
    root: t9)"));
  ASSERT_TRUE(text.ok());
  std::string printed;
  PrintDag(text.dag(), printed);
  EXPECT_EQ(printed,
            "SelectionDAG has 7 nodes:\n"
            "  t0: ch,glue = EntryToken\n"
            "  t1: i32,ch = CopyFromReg t0, Register:i32 %0\n"
            "  t2: i32 = mul t1, t1\n"
            "  t3: i32 = add t2, t1\n"
            "  t4: ch = CopyToReg t0, Register:i32 %1, t3\n");
  EXPECT_EQ(NodeLines(DagText(text.Written()).Written()), NodeLines(text.Written()));
}

TEST(DagTextTest, EqualLinesBecomeOneNode) {
  DagText text(OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg t0, Register:i32 %0
    t2: i32 = add nsw t1, t1
    t3: i32 = add t1, t1
    t4: i32 = mul t2, t3
    t5: ch = CopyToReg t0, Register:i32 %1, t4)"));
  ASSERT_TRUE(text.ok());
  std::string printed;
  PrintDag(text.dag(), printed);
  EXPECT_NE(printed.find("t2: i32 = add t1, t1\n  t3: i32 = mul t2, t2\n"), std::string::npos) << printed;
}

TEST(DagTextTest, TheRootIsTheLastNodesFirstChainUnlessGiven) {
  DagText text(OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg t0, Register:i32 %0)"));
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text.dag().root().resno(), 1u);
  EXPECT_EQ(text.Written().find("root:"), std::string::npos);
  DagText given(OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg t0, Register:i32 %0
    root: t0)"));
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given.dag().root(), given.dag().EntryToken());
  EXPECT_NE(given.Written().find("    root: t0\n"), std::string::npos);
}

TEST(DagTextTest, RegistersGetTheClassOfTheirType) {
  DagText text(OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: v2f16,ch = CopyFromReg t0, Register:v2f16 %0
    t2: ch = CopyToReg t0, Register:i1 %1, Constant:i1<-1>)"));
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text.Written().find("- { id: 0, class: b32"), std::string::npos) << text.Written();
  EXPECT_NE(text.Written().find("- { id: 1, class: b1,"), std::string::npos) << text.Written();
}

TEST(DagTextTest, FloatingPointValuesAreExact) {
  for (const auto& [bits, type] : std::vector<std::pair<uint64_t, MVT>>{{0x3fc00000, MVT::kF32},
                                                                        {0x3dcccccd, MVT::kF32},
                                                                        {0x7f800000, MVT::kF32},
                                                                        {0xff800000, MVT::kF32},
                                                                        {0x7fc00000, MVT::kF32},
                                                                        {0x7fc00001, MVT::kF32},
                                                                        {0xffc00000, MVT::kF32},
                                                                        {0x80000000, MVT::kF32},
                                                                        {1, MVT::kF32},
                                                                        {1, MVT::kF64},
                                                                        {0x3ff0000000000000, MVT::kF64},
                                                                        {0x3fb999999999999a, MVT::kF64},
                                                                        {0x7ff8000000000000, MVT::kF64},
                                                                        {0x7ff0000000000001, MVT::kF64},
                                                                        {0xfff8000000000000, MVT::kF64},
                                                                        {0x3c01, MVT::kF16},
                                                                        {0xffff, MVT::kBF16}}) {
    EXPECT_EQ(ParseFP(FPText(bits, type), type), bits) << FPText(bits, type);
  }
  EXPECT_EQ(FPText(0x3ff0000000000000, MVT::kF64), "1.000000e+00");
  EXPECT_EQ(ParseFP("1e400", MVT::kF64), std::nullopt);
  EXPECT_EQ(ParseFP("1.0x", MVT::kF64), std::nullopt);
  EXPECT_EQ(ParseFP("", MVT::kF64), std::nullopt);
  EXPECT_EQ(ParseFP("APFloat()", MVT::kF16), std::nullopt);
  EXPECT_EQ(ParseFP("APFloat(65536)", MVT::kF16), std::nullopt);
}

}  // namespace
}  // namespace ptxmir::sdag

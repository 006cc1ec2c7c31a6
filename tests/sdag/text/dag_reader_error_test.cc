// SPDX-License-Identifier: Apache-2.0

// Errors of the DAG reader: each has a file, a line and a column, and shows the line with a caret.

#include <string>

#include "gtest/gtest.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

// Returns the first error in `line`, the third line of a block: its column and the message.
std::string ErrorIn(const std::string& line) {
  const std::string errors =
      ErrorsOf(OneBlock("  t0: ch,glue = EntryToken\n  t1: i32,ch = CopyFromReg t0, Register:i32 %0\n  " + line));
  const std::string prefix = "test.sdag:7:";
  EXPECT_EQ(errors.substr(0, prefix.size()), prefix) << errors;
  if (errors.substr(0, prefix.size()) != prefix) return errors;
  size_t column_size = 0;
  const int column = std::stoi(errors.substr(prefix.size()), &column_size);
  const size_t message = prefix.size() + column_size;
  return std::to_string(column - 2) + errors.substr(message, errors.find('\n') - message);
}

TEST(DagReaderErrorTest, ShowsThePlace) {
  EXPECT_EQ(ErrorsOf(OneBlock("    t0: ch,glue = EntryToken\n    t1: i32 = ad t0")),
            "test.sdag:6:15: error: unknown node 'ad'; did you mean 'add'?\n"
            "    t1: i32 = ad t0\n"
            "              ^\n");
}

TEST(DagReaderErrorTest, Syntax) {
  EXPECT_EQ(ErrorIn("x"), "1: error: expected a node: 't1: i32 = ...'");
  EXPECT_EQ(ErrorIn("t2 i32 = add"), "4: error: expected ':'");
  EXPECT_EQ(ErrorIn("t2: i33 = add"), "5: error: unknown type 'i33'; did you mean 'i32'?");
  EXPECT_EQ(ErrorIn("t2: = add"), "5: error: expected a type");
  EXPECT_EQ(ErrorIn("t2: i32 add"), "9: error: expected '='");
  EXPECT_EQ(ErrorIn("t2: i32 ="), "10: error: expected the name of a node");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1 t1"), "18: error: expected ','");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, "), "19: error: expected an operand after ','");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, undef"), "24: error: expected ':' and a type, or a value");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, t1 debug-location"), "22: error: expected ','");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, t1, debug-location x"),
            "38: error: expected a metadata node after 'debug-location'");
  EXPECT_EQ(ErrorIn("t99999999999: i32 = add"), "2: error: expected 32-bit integer (too large)");
  EXPECT_EQ(ErrorIn("}"), "1: error: expected a node: 't1: i32 = ...'");
  EXPECT_EQ(ErrorIn("root: x"), "7: error: expected a value: 't5'");
  EXPECT_EQ(ErrorIn("root: t1 x"), "10: error: expected the end of the line");
  EXPECT_EQ(ErrorIn("%1:b32 = PHI %0, %bb.0"), "1: error: PHIs must stand before the nodes of a block");
}

TEST(DagReaderErrorTest, DebugValues) {
  EXPECT_EQ(ErrorIn("DBG_VALUE x"), "11: error: a typed immediate operand should start with one of 'i', 's', or 'p'");
  EXPECT_EQ(ErrorIn("DBG_VALUE t1"), "13: error: expected ','");
  EXPECT_EQ(ErrorIn("DBG_VALUE t7, $noreg, !5, !6"), "11: error: use of undefined value 't7'");
  EXPECT_EQ(ErrorIn("DBG_VALUE t1:2, $noreg, !5, !6"), "11: error: t1 has 2 results, there is no result 2");
  EXPECT_EQ(ErrorIn("DBG_VALUE t1, $noreg, !5"),
            "15: error: expected '$noreg' or '0', a variable and an expression after the value");
  EXPECT_EQ(ErrorIn("DBG_VALUE 7, %0, !5, !6"),
            "11: error: expected '$noreg' or '0', a variable and an expression after the value");
  EXPECT_EQ(ErrorIn("DBG_VALUE killed %0, $noreg, !5, !6"),
            "11: error: expected a value, a virtual register, a constant, a stack object or '$noreg'");
  EXPECT_EQ(ErrorIn("DBG_VALUE %0(tied-def 0), $noreg, !5, !6"),
            "11: error: expected only operands and a debug location");
  EXPECT_EQ(ErrorIn("DBG_VALUE %stack.3, $noreg, !5, !6"), "11: error: use of undefined stack object '%stack.3'");
}

TEST(DagReaderErrorTest, Values) {
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, t7"), "19: error: use of undefined value 't7'");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, t1:2"), "19: error: t1 has 2 results, there is no result 2");
  EXPECT_EQ(ErrorIn("t1: i32 = add t1, t1"), "1: error: redefinition of t1");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, t2"), "19: error: t2 depends on itself");
  EXPECT_EQ(ErrorIn("root: t5"), "7: error: use of undefined value 't5'");
}

TEST(DagReaderErrorTest, Payloads) {
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, Constant:i32"), "31: error: expected '<'");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, Constant:i32<x>"), "32: error: expected an integer");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, Constant:i32<4294967296>"), "32: error: the value does not fit into 32 bits");
  EXPECT_EQ(ErrorIn("t2: i32 = add t1, Constant:i32<-2147483649>"), "32: error: the value does not fit into 32 bits");
  EXPECT_EQ(ErrorIn("t2: i1 = Constant<2>"), "19: error: the value does not fit into 1 bit");
  EXPECT_EQ(ErrorIn("t2: f32 = Constant<2>"), "20: error: an integer constant of type 'f32'");
  EXPECT_EQ(ErrorIn("t2: i32 = ConstantFP<2.0>"), "22: error: a floating-point constant of type 'i32'");
  EXPECT_EQ(ErrorIn("t2: f32 = ConstantFP<two>"), "22: error: expected a value of type 'f32'");
  EXPECT_EQ(ErrorIn("t2: i64 = GlobalAddress<ptr @nowhere> 0"), "29: error: use of undefined global value '@nowhere'");
  EXPECT_EQ(ErrorIn("t2: i64 = FrameIndex<3>"), "22: error: there is no such stack object");
  EXPECT_EQ(ErrorIn("t2: i64 = JumpTable<0>"), "21: error: there is no such jump table");
  EXPECT_EQ(ErrorIn("t2: i64 = ConstantPool<%const.0> 0"), "31: error: there is no such constant");
  EXPECT_EQ(ErrorIn("t2: i64 = ExternalSymbol'x"), "25: error: end of line reached before the closing '''");
  EXPECT_EQ(ErrorIn("t2: i8 = Register %7"),
            "19: error: no register class holds 'i8' as it is; state the register's in 'registers'");
  EXPECT_EQ(ErrorIn("t2: i32,ch = load<(lod (s32))> t0, t1"), "20: error: expected 'load' or 'store' memory operation");
  EXPECT_EQ(ErrorIn("t2: i32,ch = load<(load (s32)), zext i8> t0"),
            "33: error: expected 'anyext from', 'sext from', 'zext from', 'trunc to' or 'memory' and a type");
  EXPECT_EQ(ErrorIn("t2: i64 = addrspacecast t1"), "24: error: expected '['");
  EXPECT_EQ(ErrorIn("t2: i64 = AssertAlign<3> t1"), "23: error: expected a power of 2");
  EXPECT_EQ(ErrorIn("t2: v2i32 = vector_shuffle<1,x> t1, t1"), "30: error: expected an element or 'u'");
  EXPECT_EQ(ErrorIn("t2: ch = br t0, BasicBlock:ch<bb.1>"), "31: error: expected a machine basic block reference");
  EXPECT_EQ(ErrorIn("t2: ch = br t0, BasicBlock:ch<%bb.1>"), "31: error: use of undefined machine basic block #1");
}

// Nodes with a payload have a fixed form, which is not silently changed.
TEST(DagReaderErrorTest, Forms) {
  EXPECT_EQ(ErrorIn("t2: i32 = Constant<1> t1"), "1: error: 'Constant' has other operands or results: I=");
  EXPECT_EQ(ErrorIn("t2: i64 = addrspacecast[0 -> 1] t1, t1"),
            "1: error: 'addrspacecast' has other operands or results: P=P");
  EXPECT_EQ(ErrorIn("t2: i32 = setlt"), "1: error: 'CondCode' has other operands or results: ch=");
  EXPECT_EQ(ErrorIn("t2: i32 = eh_label'x'"), "1: error: 'eh_label' has other operands or results: ch=ch");
}

TEST(DagReaderErrorTest, Documents) {
  const auto first_line = [](const std::string& text) {
    const std::string errors = ErrorsOf(text);
    return errors.substr(0, errors.find('\n'));
  };
  const std::string body = "body: |\n  bb.0:\n    Return\n", dag = "dag: |\n  bb.0:\n    t0: ch,glue = EntryToken\n";
  EXPECT_EQ(first_line("---\nname: f\n" + body + dag),
            "test.sdag:6:1: error: a function has either a 'body' or a 'dag'");
  EXPECT_EQ(first_line("---\nname: f\n" + dag + body),
            "test.sdag:6:1: error: a function has either a 'body' or a 'dag'");
  EXPECT_EQ(first_line("---\nname: f\n" + dag + dag), "test.sdag:6:1: error: duplicated mapping key 'dag'");
  EXPECT_EQ(first_line("---\nname: f\ndag: |\n  bb.0:\n    Return\n...\n"),
            "test.sdag:5:5: error: expected a node: 't1: i32 = ...'");
  EXPECT_EQ(first_line("---\nname: f\ndag: |\n  bb.0:\n    %0:b32 = MOV_B32_i 1\n...\n"),
            "test.sdag:5:5: error: of machine instructions only PHIs may stand next to nodes");
  EXPECT_EQ(first_line("---\nname: f\ndag: |\n    t0: ch,glue = EntryToken\n...\n"),
            "test.sdag:4:5: error: expected a basic block definition before instructions");
}

TEST(DagReaderErrorTest, SeveralAtOnce) {
  const std::string errors =
      ErrorsOf(OneBlock("  t0: ch,glue = EntryToken\n  t1: i32 = ad\n  t2: i32 = add t1, t7\n  t3: x = y"));
  EXPECT_NE(errors.find("unknown node 'ad'"), std::string::npos) << errors;
  EXPECT_NE(errors.find("use of undefined value 't7'"), std::string::npos) << errors;
  EXPECT_NE(errors.find("unknown type 'x'"), std::string::npos) << errors;
  EXPECT_EQ(errors.find("'t1'"), std::string::npos) << errors;
}

// Also in a body that is a quoted scalar.
TEST(DagReaderErrorTest, QuotedText) {
  EXPECT_EQ(ErrorsOf("---\nname: f\ndag: \"bb.0:\\n  t1: i32 = ad\"\n...\n").substr(0, 62),
            "test.sdag:3:26: error: unknown node 'ad'; did you mean 'add'?\n");
}

}  // namespace
}  // namespace ptxmir::sdag

// SPDX-License-Identifier: Apache-2.0

#include "mir/text/remark.h"

#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "tests/ir/ir_test_support.h"
#include "tests/mir/code/tiny_target.h"

namespace ptxmir {
namespace {

using testing::TinyTarget;

std::string Yaml(const Remark& remark) {
  std::string out;
  AppendRemarkYaml(remark, out);
  return out;
}

// Returns a text as it is written as the value of an argument.
std::string Value(std::string_view text) {
  Remark remark;
  remark.arguments = {{"Callee", std::string(text), {}}};
  const std::string yaml = Yaml(remark);
  const std::string before = "  - Callee:          ";
  const size_t at = yaml.find(before) + before.size();
  return yaml.substr(at, yaml.find("...\n") - 1 - at);
}

// The output of llc-22 for a function with two stack objects, byte for byte (-pass-remarks-output).
TEST(RemarkTest, IsLaidOutAsLlvmDoes) {
  Remark remark;
  remark.kind = RemarkKind::kAnalysis;
  remark.pass = "stack-frame-layout";
  remark.name = "StackLayout";
  remark.function = "f";
  remark.location = SourceLocation{"a.cu", 28, 0};
  remark.hotness = 30;
  remark.arguments = {{"String", "\nFunction: f", {}}, {"Offset", "64", {}},
                      {"String", "], Type: ", {}},     {"INST_@", "1", {}},
                      {"INST_mul.wide.s32", "1", {}},  {"Callee", "g", SourceLocation{"b.cu", 1, 2}}};
  EXPECT_EQ(Yaml(remark), R"(--- !Analysis
Pass:            stack-frame-layout
Name:            StackLayout
DebugLoc:        { File: a.cu, Line: 28, Column: 0 }
Function:        f
Hotness:         30
Args:
  - String:          "\nFunction: f"
  - Offset:          '64'
  - String:          '], Type: '
  - 'INST_@':          '1'
  - INST_mul.wide.s32: '1'
  - Callee:          g
    DebugLoc:        { File: b.cu, Line: 1, Column: 2 }
...
)");
}

TEST(RemarkTest, WithoutArgumentsHasNoList) {
  Remark remark;
  remark.kind = RemarkKind::kMissed;
  remark.pass = "p";
  remark.name = "N";
  remark.function = "f";
  EXPECT_EQ(Yaml(remark), "--- !Missed\nPass:            p\nName:            N\nFunction:        f\n...\n");
}

// Lines are broken as in opt-22's output for the same remark (-passes=inline).
TEST(RemarkTest, LongLocationsGoToTheNextLine) {
  const std::string file = "some/where/a_rather_long_file_name_for_testing_the_wrap_column_of_the_writer.c";
  Remark remark;
  remark.location = SourceLocation{file, 3, 5};
  remark.arguments = {{"Caller", "main", SourceLocation{file, 0, 0}}};
  const std::string yaml = Yaml(remark);
  EXPECT_NE(yaml.find("DebugLoc:        { File: '" + file + "', \n                   Line: 3, Column: 5 }\n"),
            std::string::npos)
      << yaml;
  EXPECT_NE(yaml.find("    DebugLoc:        { File: '" + file + "', \n                       Line: 0, Column: 0 }\n"),
            std::string::npos)
      << yaml;
}

// The right-hand sides are the output of opt-22 for functions with these names.
TEST(RemarkTest, QuotesAsLlvmDoes) {
  const struct {
    std::string_view text;
    std::string_view yaml;
  } kCases[] = {{"a b", "a b"},
                {" lead", "' lead'"},
                {"trail ", "'trail '"},
                {"true", "'true'"},
                {"Yes", "Yes"},
                {"fALSE", "fALSE"},
                {"null", "'null'"},
                {"~", "'~'"},
                {"12", "'12'"},
                {"+12", "'+12'"},
                {"0x1F", "'0x1F'"},
                {"0o17", "'0o17'"},
                {"1e5", "'1e5'"},
                {"1.", "'1.'"},
                {".5", "'.5'"},
                {"-.inf", "'-.inf'"},
                {".nan", "'.nan'"},
                {"it's", "'it''s'"},
                {"tab\tx", "tab\tx"},
                {"nl\nx", "\"nl\\nx\""},
                {"nl\nx\ny\n", " |\n      nl\n      x\n      y"},
                {"nl\n\nx\n  y", " |\n      nl\n      \n      x\n        y"},
                {"esc\x1b\x01\x0b\x7f", "\"esc\\e\\x01\\v\x7f\""},
                {"u\xc3\xa4\xc2\xa0\xe2\x80\xa8\xf0\x9f\x98\x80", "\"u\xc3\xa4\\_\\L\xf0\x9f\x98\x80\""},
                {"q\"\\\n", "\"q\\\"\\\\\\n\""},
                {"_^.,-", "_^.,-"},
                {"a+b", "'a+b'"},
                {"a:b", "'a:b'"},
                {"$x", "'$x'"},
                {"-", "'-'"},
                {"", "''"}};
  for (const auto& [text, yaml] : kCases) EXPECT_EQ(Value(text), yaml) << text;
}

TEST(RemarkTest, WhatIsNoUtf8IsReplaced) {
  EXPECT_EQ(Value("bad\xc3zz"), "\"bad\xef\xbf\xbdzz\"");
  EXPECT_EQ(Value("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

// LLVM writes these as block scalars, which it then cannot read or reads as a different text.
TEST(RemarkTest, TextsOfSeveralLinesAreQuotedWhereABlockWouldChangeThem) {
  EXPECT_EQ(Value(" a\nb\nc"), "\" a\\nb\\nc\"");
  EXPECT_EQ(Value("\na\nb"), "\"\\na\\nb\"");
  EXPECT_EQ(Value("a\nb\n\x01"), "\"a\\nb\\n\\x01\"");
  EXPECT_EQ(Value("a\nb\n\n"), "\"a\\nb\\n\\n\"");
}

TEST(RemarkTest, LineWithALocationIsAsLlcPrintsItAndNamesTheFunctionOtherwise) {
  Remark remark;
  remark.pass = "asm-printer";
  remark.function = "f";
  remark.arguments = {{"NumInstructions", "12", {}}, {"String", " instructions in function", {}}};
  EXPECT_EQ(RemarkLine(remark), "remark: function 'f': asm-printer: 12 instructions in function\n");
  remark.location = SourceLocation{"a.cu", 3, 5};
  remark.hotness = 7;
  EXPECT_EQ(RemarkLine(remark), "remark: a.cu:3:5: 12 instructions in function (hotness: 7)\n");
  remark.calls = {{"b.cu", 4, 6}, {"c.cu", 8, 9}};
  EXPECT_EQ(RemarkLine(remark),
            "remark: c.cu:8:9 (inlined from b.cu:4:6, a.cu:3:5): 12 instructions in function (hotness: 7)\n");
  remark.calls.clear();
  remark.kind = RemarkKind::kFailure;
  EXPECT_EQ(RemarkLine(remark), "warning: a.cu:3:5: 12 instructions in function (hotness: 7)\n");
}

constexpr char kDebugIr[] = R"(
define void @f() !dbg !4 {
  ret void
}
define void @plain() {
  ret void
}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cu", directory: "/dir")
!2 = !DIFile(filename: "b.h", directory: "/dir")
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, scopeLine: 2, unit: !0)
!5 = distinct !DISubprogram(name: "callee", scope: !2, file: !2, line: 8, unit: !0)
!7 = !DILocation(line: 3, column: 5, scope: !4)
!8 = !DILocation(line: 9, column: 6, scope: !5, inlinedAt: !7)
!9 = !DILocation(line: 4, column: 1, scope: !10)
!10 = distinct !DILexicalBlock(scope: !4, line: 4)
!11 = !DILexicalBlock(scope: !11)
!12 = !DILocation(line: 5, scope: !11)
!13 = !{!7}
)";

class DebugLocationTest : public ::testing::Test {
 protected:
  std::optional<SourceLocation> Resolve(MetadataId loc) const {
    const std::optional<SourcePlace> place = ResolveDebugLocation(function_, loc);
    return place.has_value() ? std::make_optional(place->code) : std::nullopt;
  }

  ReadIr ir_{kDebugIr};
  MachineFunction function_{&ir_.module, TinyTarget(), "f", 0};
};

TEST_F(DebugLocationTest, IsThatOfTheInstructionItself) {
  ASSERT_TRUE(ir_.ok) << ir_.errors();
  EXPECT_EQ(Resolve(7), (SourceLocation{"a.cu", 3, 5}));
  // An inlined instruction: the location where the code was written, not where it was called.
  EXPECT_EQ(Resolve(8), (SourceLocation{"b.h", 9, 6}));
  EXPECT_EQ(SourcePlaceText(function_, 8), "a.cu:3:5 (inlined from b.h:9:6)");
  // The file is that of the subprogram around the block.
  EXPECT_EQ(Resolve(9), (SourceLocation{"a.cu", 4, 1}));
  EXPECT_EQ(Resolve(function_.InternInlineMetadata("!DILocation(line: 6, column: 2, scope: !4)")),
            (SourceLocation{"a.cu", 6, 2}));
}

TEST_F(DebugLocationTest, BadMetadataIsNoLocation) {
  EXPECT_EQ(Resolve(MachineInstr::kNoDebugLoc), std::nullopt);
  EXPECT_EQ(Resolve(13), std::nullopt);
  EXPECT_EQ(Resolve(99), std::nullopt);
  EXPECT_EQ(Resolve(4), std::nullopt);
  // A scope that contains itself has no file.
  EXPECT_EQ(Resolve(12), std::nullopt);
}

TEST_F(DebugLocationTest, FunctionsBeginAtTheirScopeLine) {
  EXPECT_EQ(FunctionLocation(function_), (SourceLocation{"a.cu", 2, 0}));
  const MachineFunction plain(&ir_.module, TinyTarget(), "plain", 1);
  EXPECT_EQ(FunctionLocation(plain), std::nullopt);
  const MachineFunction alone(nullptr, TinyTarget(), "f", 0);
  EXPECT_EQ(FunctionLocation(alone), std::nullopt);
}

}  // namespace
}  // namespace ptxmir

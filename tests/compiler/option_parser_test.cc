// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_parser.h"

#include "compiler/option_help.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

absl::Status Parse(std::vector<std::string_view> arguments, DriverOptions& options) {
  return ParseCommandLine(arguments, options);
}

TEST(OptionParserTest, OneOrTwoDashesAndBothFormsOfValues) {
  DriverOptions options;
  ASSERT_TRUE(Parse({"--stop-after", "postrapseudos", "-mcpu=sm_90", "-O1", "in.mir", "-o", "out"}, options).ok());
  EXPECT_EQ(options.pipeline.stop_after->name, "postrapseudos");
  EXPECT_EQ(options.cpu, "sm_90");
  EXPECT_EQ(options.pipeline.opt_level, 1);
  EXPECT_EQ(options.input, "in.mir");
  EXPECT_EQ(options.output, "out");
}

TEST(OptionParserTest, ListsAreSplitAndAdded) {
  DriverOptions options;
  ASSERT_TRUE(Parse({"-run-pass=phi-node-elimination,postrapseudos", "-run-pass", "finalize-isel", "-"}, options).ok());
  EXPECT_EQ(options.pipeline.run_passes, "phi-node-elimination,postrapseudos,finalize-isel");
  EXPECT_EQ(options.input, "-");
}

TEST(OptionParserTest, BooleansTakeAnOptionalValue) {
  DriverOptions options;
  ASSERT_TRUE(Parse({"-verify-machineinstrs"}, options).ok());
  EXPECT_TRUE(options.run.verify_each);
  ASSERT_TRUE(Parse({"-verify-machineinstrs=false"}, options).ok());
  EXPECT_FALSE(options.run.verify_each);
  EXPECT_FALSE(Parse({"-verify-machineinstrs=maybe"}, options).ok());
}

TEST(OptionParserTest, ArgumentsBehindTwoDashesAreFiles) {
  DriverOptions options;
  ASSERT_TRUE(Parse({"--", "-strange.mir"}, options).ok());
  EXPECT_EQ(options.input, "-strange.mir");
}

TEST(OptionParserTest, MistakesAreErrors) {
  for (const std::vector<std::string_view>& arguments :
       std::vector<std::vector<std::string_view>>{{"-o"},
                                                  {"-O9"},
                                                  {"-O"},
                                                  {"-x", "cuda"},
                                                  {"-stats=maybe"},
                                                  {"-stop-after=a,b"},
                                                  {"-mtriple=x86_64-linux"},
                                                  {"-nonsense"},
                                                  {"a.mir", "b.mir"},
                                                  {""}}) {
    DriverOptions options;
    EXPECT_FALSE(Parse(arguments, options).ok()) << arguments[0];
  }
}

TEST(OptionParserTest, SwitchesTakeABooleanAndTheLastOneCounts) {
  DriverOptions options;
  ASSERT_TRUE(Parse({"-stats", "-stats=0", "-asm-verbose=false", "-simplify-mir=true"}, options).ok());
  EXPECT_FALSE(options.print_stats);
  EXPECT_FALSE(options.asm_verbose);
  EXPECT_TRUE(options.simplify_mir);
}

TEST(OptionParserTest, LevelsForSizeAreLevelTwo) {
  for (const std::string_view level : {"-Os", "-Oz", "-O=s"}) {
    DriverOptions options;
    ASSERT_TRUE(Parse({"-O0", level}, options).ok()) << level;
    EXPECT_EQ(options.pipeline.opt_level, 2);
  }
}

TEST(OptionParserTest, OptionsOfLlcWarnIfItsOutputDependsOnThem) {
  DriverOptions options;
  ASSERT_TRUE(Parse({"-frame-pointer", "all", "-polly", "-nvptx-short-ptr"}, options).ok());
  ASSERT_EQ(options.warnings.size(), 1u);
  EXPECT_EQ(options.warnings[0].substr(0, 42), "option '-nvptx-short-ptr' has no effect: i");
}

TEST(OptionParserTest, DebugOnlyAddsToThePatternsOfRemarks) {
  DriverOptions options;
  ASSERT_TRUE(Parse({"-pass-remarks=greedy", "-debug-only=machine-sink,branch-folder"}, options).ok());
  EXPECT_EQ(options.remarks.passed, "(?:greedy)|^(?:machine-sink|branch-folder)$");
  EXPECT_EQ(options.remarks.missed, "^(?:machine-sink|branch-folder)$");
  EXPECT_EQ(options.run.print.before, (std::vector<std::string>{"machine-sink", "branch-folder"}));
}

TEST(OptionParserTest, HelpNamesEveryCategory) {
  const std::string help = HelpText();
  for (const char* title : {"General options:", "Options used most:", "Target:", "Passes:", "Printing:", "Remarks:"}) {
    EXPECT_NE(help.find(title), std::string::npos) << title;
  }
}

}  // namespace
}  // namespace ptxmir

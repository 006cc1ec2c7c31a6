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
                                                  {"-x", "ir"},
                                                  {"-stats=1"},
                                                  {"-stop-after=a,b"},
                                                  {"-mtriple=x86_64-linux"},
                                                  {"-nonsense"},
                                                  {"a.mir", "b.mir"},
                                                  {""}}) {
    DriverOptions options;
    EXPECT_FALSE(Parse(arguments, options).ok()) << arguments[0];
  }
}

TEST(OptionParserTest, HelpNamesEveryCategory) {
  const std::string help = HelpText();
  for (const char* title : {"General options:", "Target:", "Passes:", "Printing:"}) {
    EXPECT_NE(help.find(title), std::string::npos) << title;
  }
}

}  // namespace
}  // namespace ptxmir

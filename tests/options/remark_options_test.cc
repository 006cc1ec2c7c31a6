// SPDX-License-Identifier: Apache-2.0

#include "options/remark_options.h"

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

// Sets an option. Returns the error message, or an empty string.
std::string Set(RemarkOptions& options, std::string_view name, std::string_view value) {
  const RemarkOptionInfo* option = FindRemarkOption(name);
  if (option == nullptr) return "no such option";
  const absl::Status status = option->set(*option, value, options);
  return std::string(FromAbsl(status.message()));
}

TEST(RemarkOptionsTest, NobodyListensUnlessAsked) {
  const RemarkFilter filter((RemarkOptions()));
  EXPECT_FALSE(filter.listens());
  EXPECT_FALSE(filter.AllowsExtraAnalysis("machine-cse"));
  EXPECT_FALSE(filter.IsWanted(RemarkKind::kFailure, "machine-cse"));
}

TEST(RemarkOptionsTest, EachKindHasItsPattern) {
  RemarkOptions options;
  EXPECT_EQ(Set(options, "pass-remarks", "^machine-"), "");
  EXPECT_EQ(Set(options, "pass-remarks-missed", "licm$"), "");
  EXPECT_EQ(Set(options, "pass-remarks-analysis", "asm-printer|size-info"), "");
  const RemarkFilter filter(options);
  EXPECT_TRUE(filter.listens());
  EXPECT_TRUE(filter.IsShown(RemarkKind::kPassed, "machine-cse"));
  EXPECT_FALSE(filter.IsShown(RemarkKind::kMissed, "machine-cse"));
  EXPECT_FALSE(filter.IsShown(RemarkKind::kPassed, "early-machine-licm"));
  EXPECT_TRUE(filter.IsShown(RemarkKind::kMissed, "early-machine-licm"));
  EXPECT_TRUE(filter.IsShown(RemarkKind::kAnalysis, "size-info"));
  EXPECT_TRUE(filter.IsShown(RemarkKind::kAnalysisAliasing, "size-info"));
  EXPECT_TRUE(filter.IsShown(RemarkKind::kAnalysisFPCommute, "asm-printer"));
  EXPECT_TRUE(filter.IsShown(RemarkKind::kFailure, "asm-printer"));
  EXPECT_FALSE(filter.IsRecorded("machine-cse"));
  EXPECT_TRUE(filter.AllowsExtraAnalysis("early-machine-licm"));
  EXPECT_FALSE(filter.AllowsExtraAnalysis("stack-frame-layout"));
  EXPECT_FALSE(filter.wants_hotness());
}

TEST(RemarkOptionsTest, FilterIsOfTheFile) {
  RemarkOptions options;
  EXPECT_EQ(Set(options, "pass-remarks-output", "r.yaml"), "");
  EXPECT_TRUE(RemarkFilter(options).IsRecorded("any"));
  EXPECT_EQ(Set(options, "pass-remarks-filter", "cse"), "");
  EXPECT_EQ(Set(options, "pass-remarks", "licm"), "");
  const RemarkFilter filter(options);
  EXPECT_TRUE(filter.IsRecorded("machine-cse"));
  EXPECT_FALSE(filter.IsRecorded("machinelicm"));
  EXPECT_TRUE(filter.IsShown(RemarkKind::kPassed, "machinelicm"));
  EXPECT_TRUE(filter.IsWanted(RemarkKind::kMissed, "machine-cse"));
}

TEST(RemarkOptionsTest, ThresholdAsksForHotness) {
  RemarkOptions options;
  EXPECT_EQ(Set(options, "pass-remarks-hotness-threshold", "10"), "");
  const RemarkFilter filter(options);
  EXPECT_TRUE(filter.wants_hotness());
  Remark remark;
  EXPECT_FALSE(filter.IsHotEnough(remark));
  remark.hotness = 9;
  EXPECT_FALSE(filter.IsHotEnough(remark));
  remark.hotness = 10;
  EXPECT_TRUE(filter.IsHotEnough(remark));
}

TEST(RemarkOptionsTest, ErrorsSayWhatIsWrongAndWhere) {
  RemarkOptions options;
  EXPECT_EQ(Set(options, "pass-remarks", "machine-[a"),
            "invalid regular expression 'machine-[a' for -pass-remarks: missing ]: [a at character 9, '[a'");
  EXPECT_EQ(Set(options, "pass-remarks-filter", "a**"),
            "invalid regular expression 'a**' for -pass-remarks-filter: bad repetition operator: ** at character 2, "
            "'**'");
  EXPECT_EQ(Set(options, "pass-remarks-format", "bitstream"),
            "invalid value 'bitstream' for -pass-remarks-format: expected yaml");
  EXPECT_EQ(Set(options, "pass-remarks-output", ""), "invalid value '' for -pass-remarks-output: expected a file name");
  EXPECT_EQ(Set(options, "pass-remarks-hotness-threshold", "-1"),
            "invalid value '-1' for -pass-remarks-hotness-threshold: expected a number of executions from 0 to "
            "18446744073709551615");
  EXPECT_EQ(FindRemarkOption("pass-remark"), nullptr);
  // An invalid option has no effect.
  EXPECT_FALSE(RemarkFilter(options).listens());
}

TEST(RemarkOptionsTest, AnEmptyPatternTakesAnEarlierOneBack) {
  RemarkOptions options;
  EXPECT_EQ(Set(options, "pass-remarks", "."), "");
  EXPECT_EQ(Set(options, "pass-remarks", ""), "");
  EXPECT_FALSE(RemarkFilter(options).listens());
}

}  // namespace
}  // namespace ptxmir

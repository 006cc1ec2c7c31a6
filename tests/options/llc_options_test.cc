// SPDX-License-Identifier: Apache-2.0

#include "options/llc_options.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

bool Accepts(std::string_view name, std::string_view value) {
  const std::optional<LlcOption> option = FindLlcOption(name);
  return option.has_value() && CheckLlcOptionValue(*option, value).ok();
}

TEST(LlcOptionsTest, EveryOptionHasOneRowAndAReason) {
  std::set<std::string> names;
  ForEachLlcOption([&](const LlcOption& option) {
    EXPECT_TRUE(names.insert(std::string(option.name)).second) << option.name;
    EXPECT_FALSE(option.name.empty());
    EXPECT_FALSE(option.reason.empty()) << option.name;
    EXPECT_NE(option.name[0], '-') << option.name;
  });
  EXPECT_GT(names.size(), 2500u);
}

TEST(LlcOptionsTest, ValuesAreCheckedAsLlvmDoes) {
  EXPECT_TRUE(Accepts("disable-lsr", ""));
  EXPECT_TRUE(Accepts("disable-lsr", "False"));
  EXPECT_FALSE(Accepts("disable-lsr", "no"));
  EXPECT_TRUE(Accepts("align-all-blocks", "0x10"));
  EXPECT_FALSE(Accepts("align-all-blocks", "-1"));
  EXPECT_FALSE(Accepts("align-all-blocks", ""));
  EXPECT_TRUE(Accepts("ldstmemcpy-glue-max", "-1"));
  EXPECT_FALSE(Accepts("ldstmemcpy-glue-max", "1.5"));
  EXPECT_TRUE(Accepts("denormal-fp-math", "positive-zero"));
  EXPECT_FALSE(Accepts("denormal-fp-math", "flush"));
  EXPECT_TRUE(Accepts("trap-func", "anything"));
}

TEST(LlcOptionsTest, UnknownNamesAreNotFound) {
  EXPECT_FALSE(FindLlcOption("no-such-option").has_value());
  EXPECT_FALSE(FindLlcOption("").has_value());
}

}  // namespace
}  // namespace ptxmir

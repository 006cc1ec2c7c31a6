// SPDX-License-Identifier: Apache-2.0

#include "compiler/response_files.h"

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

TEST(ResponseFilesTest, ArgumentsAreQuotedAsInAGnuCommandLine) {
  const std::vector<std::string> words = SplitArguments("a  b\tc\n'd e' \"f \\\"g\\\" h\" i\\ j 'k\\l'm \"\" n'");
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b", "c", "d e", "f \"g\" h", "i j", "k\\lm", "", "n"}));
}

TEST(ResponseFilesTest, AnEmptyTextHasNoArguments) {
  EXPECT_TRUE(SplitArguments("").empty());
  EXPECT_TRUE(SplitArguments(" \r\n").empty());
}

TEST(ResponseFilesTest, AnArgumentThatNamesNoFileStays) {
  const std::string_view arguments[] = {"-O2", "@", "a@b"};
  const auto expanded = ExpandResponseFiles(arguments);
  ASSERT_TRUE(expanded.ok());
  EXPECT_EQ(*expanded, (std::vector<std::string>{"-O2", "@", "a@b"}));
}

}  // namespace
}  // namespace ptxmir

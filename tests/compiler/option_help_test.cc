// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_help.h"

#include <fstream>
#include <sstream>

#include "base/str_cat.h"
#include "compiler/option_table.h"
#include "gtest/gtest.h"
#include "options/knobs.h"

namespace ptxmir {
namespace {

TEST(OptionHelpTest, TheReferencePageIsUpToDate) {
  std::ifstream in("docs/option-reference.md");
  std::ostringstream page;
  page << in.rdbuf();
  EXPECT_TRUE(page.str() == OptionReference())
      << "write it anew: ptxmir -print-option-reference > docs/option-reference.md";
}

TEST(OptionHelpTest, EveryOptionIsInEachText) {
  const std::string help = HelpText();
  const std::string hidden = HelpText(/*with_hidden=*/true);
  const std::string list = HelpListText(/*with_hidden=*/true);
  const std::string reference = OptionReference();
  const std::string bash = CompletionScript("bash");
  const std::string zsh = CompletionScript("zsh");
  for (const OptionInfo& option : OptionTable()) {
    const std::string line = StrCat("\n  -", option.name);
    EXPECT_EQ(help.find(StrCat(line, " ")) == std::string::npos && help.find(StrCat(line, "=")) == std::string::npos &&
                  help.find(StrCat(line, "[")) == std::string::npos &&
                  help.find(StrCat(line, "<")) == std::string::npos,
              option.is_hidden)
        << option.name;
    EXPECT_NE(hidden.find(line), std::string::npos) << option.name;
    EXPECT_NE(StrCat("\n", list).find(line), std::string::npos) << option.name;
    EXPECT_NE(reference.find(StrCat("| `-", option.name)), std::string::npos) << option.name;
    EXPECT_TRUE(bash.find(StrCat("\n-", option.name)) != std::string::npos ||
                bash.find(StrCat("options='-", option.name)) != std::string::npos)
        << option.name;
    EXPECT_NE(zsh.find(StrCat("'-", option.name)), std::string::npos) << option.name;
  }
}

TEST(OptionHelpTest, RowsWithoutASetterShowAKnob) {
  for (const OptionInfo& option : OptionTable()) {
    EXPECT_TRUE(option.apply != nullptr || FindKnob(option.name) != nullptr) << option.name;
  }
}

TEST(OptionHelpTest, NoTwoRowsHaveOneName) {
  for (const OptionInfo& a : OptionTable()) {
    for (const OptionInfo& b : OptionTable()) EXPECT_TRUE(&a == &b || a.name != b.name) << a.name;
  }
}

TEST(OptionHelpTest, TheManPageEscapesDashes) {
  const std::string page = ManPage();
  EXPECT_NE(page.find("\n.B \\-mcpu="), std::string::npos);
  EXPECT_EQ(page.find("\n.B -"), std::string::npos);
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// The example of docs/selection-dag.md is valid, and the writer prints it as it is there.

#include <string>

#include "gtest/gtest.h"
#include "sdag/text/dag_text.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

TEST(SelectionDagDocTest, ExampleIsValid) {
  const std::string doc = FileText("docs/selection-dag.md");
  const std::string fence = "```sdag\n";
  const size_t begin = doc.find(fence), end = doc.find("```", begin + fence.size());
  ASSERT_NE(end, std::string::npos);
  const std::string example = doc.substr(begin + fence.size(), end - begin - fence.size());
  DagText text(example);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(VerifyDags(text.dags()).ToString(), "OK");
  const std::string written = text.Written();
  size_t num_lines = 0;
  for (size_t at = 0; at < example.size();) {
    const size_t line_end = example.find('\n', at);
    const std::string line = example.substr(at, line_end - at);
    at = line_end + 1;
    if (line.substr(0, 5) != "    t") continue;
    ++num_lines;
    EXPECT_NE(written.find(line + "\n"), std::string::npos) << line;
  }
  EXPECT_GT(num_lines, 10u);
}

// The page names every flag.
TEST(SelectionDagDocTest, NamesEveryFlag) {
  const std::string doc = FileText("docs/selection-dag.md");
  for (const FlagName& flag : kFlagNames) {
    EXPECT_NE(doc.find("\"" + std::string(flag.name) + "\""), std::string::npos) << flag.name;
  }
}

}  // namespace
}  // namespace ptxmir::sdag

// SPDX-License-Identifier: Apache-2.0

// Runs text tests: files with RUN lines, as LLVM's lit does for its .mir tests.
//
//     # RUN: ptxmir -run-pass=phi-node-elimination %s -o - | FileCheck %s --check-prefix=OUT
//     # RUN: not ptxmir %s 2>&1 | FileCheck %s
//
// `ptxmir` is the tool that was built, %s the file, and `not` says that the command must fail. FileCheck is ours
// (file_check.h). A RUN line without FileCheck checks only the exit status. Each file is a test.
//
// Arguments: the path of the tool, then the files.

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/file_check.h"

namespace ptxmir::testing {
namespace {

struct RunLine {
  std::string command;  // the shell command
  bool must_fail = false;
  bool checks = false;
  std::string prefix = "CHECK";
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

RunLine ParseRunLine(std::string_view text, const std::string& tool, const std::string& file) {
  RunLine line;
  std::string_view command = Trim(text);
  const size_t check = command.rfind("| FileCheck");
  if (check != std::string_view::npos) {
    line.checks = true;
    const std::string_view arguments = command.substr(check);
    constexpr std::string_view kPrefix = "--check-prefix=";
    if (const size_t at = arguments.find(kPrefix); at != std::string_view::npos) {
      const std::string_view rest = arguments.substr(at + kPrefix.size());
      line.prefix = std::string(rest.substr(0, rest.find(' ')));
    }
    command = Trim(command.substr(0, check));
  }
  if (command.substr(0, 4) == "not ") {
    line.must_fail = true;
    command = Trim(command.substr(4));
  }
  EXPECT_EQ(command.substr(0, 6), "ptxmir") << file << ": a RUN line must run ptxmir";
  line.command = absl::StrReplaceAll(ToAbsl(command), {{"%s", file}, {"ptxmir ", tool + " "}});
  if (line.command == "ptxmir") line.command = tool;
  return line;
}

class TextTest : public ::testing::Test {
 public:
  TextTest(std::string tool, std::string file) : tool_(std::move(tool)), file_(std::move(file)) {}

  void TestBody() override {
    const std::string text = ReadFile(file_);
    constexpr std::string_view kRun = "RUN:";
    size_t runs = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const size_t at = line.find(kRun);
      if (at == std::string::npos) continue;
      ++runs;
      Execute(ParseRunLine(std::string_view(line).substr(at + kRun.size()), tool_, file_), text);
    }
    EXPECT_GT(runs, 0u) << file_ << " has no RUN line";
  }

 private:
  static void Execute(const RunLine& line, const std::string& text) {
    std::FILE* pipe = popen(line.command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    char buffer[4096];
    while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, n);
    const int status = pclose(pipe);
    ASSERT_TRUE(WIFEXITED(status)) << line.command << " was killed";
    EXPECT_EQ(WEXITSTATUS(status) != 0, line.must_fail)
        << line.command << " exited with " << WEXITSTATUS(status) << "\n"
        << output;
    if (!line.checks) return;
    EXPECT_EQ(FileCheck(text, output, line.prefix), "") << line.command;
  }

  std::string tool_;
  std::string file_;
};

}  // namespace
}  // namespace ptxmir::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: text_test_runner <ptxmir> <file>...\n");
    return 1;
  }
  const std::string tool = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string file = argv[i];
    std::string name = file.substr(file.rfind('/') + 1);
    ::testing::RegisterTest("TextTest", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [tool, file]() -> ::testing::Test* { return new ptxmir::testing::TextTest(tool, file); });
  }
  return RUN_ALL_TESTS();
}

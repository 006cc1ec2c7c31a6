// SPDX-License-Identifier: Apache-2.0

// Reads IR of several front ends and versions of LLVM, and compares with what LLVM 22 makes of it: both must print the
// same, and what we write must leave LLVM nothing to upgrade.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"
#include "tests/parity/external_tools.h"

namespace ptxmir::ir {
namespace {

std::vector<std::string> Inputs() {
  std::vector<std::string> paths;
  for (const char* folder : {"tests/ir/producers", "tests/ir/upgrade"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".ll") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string Name(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Returns the text as it is written after it was read, or an empty text after errors, which `errors` holds.
std::string WrittenByUs(const std::string& text, std::string* errors) {
  DiagnosticEngine diagnostics;
  const ProgramFile file = ReadProgram(std::make_shared<SourceBuffer>("input.ll", text), diagnostics);
  *errors = diagnostics.ToString();
  std::string out;
  if (file.program != nullptr) WriteProgram(*file.program, &out);
  return out;
}

// Returns what opt prints without names of values, which it loses where it upgrades. Empty if opt refuses the text.
std::string PrintedByOpt(const std::string& opt, const std::string& name, const std::string& text) {
  const std::string in = ptxmir::testing::TemporaryPath(name + ".ll");
  const std::string bitcode = ptxmir::testing::TemporaryPath(name + ".bc");
  const std::string out = ptxmir::testing::TemporaryPath(name + ".out.ll");
  ptxmir::testing::WriteFile(in, text);
  std::string output;
  if (!ptxmir::testing::RunCommand({opt, "-passes=verify", in, "-o", bitcode}, output) ||
      !ptxmir::testing::RunCommand({opt, "-S", "-discard-value-names", "-passes=verify", bitcode, "-o", out}, output)) {
    ADD_FAILURE() << name << ": " << output;
    return "";
  }
  return ptxmir::testing::ReadFile(out);
}

// The declared functions, in no order: LLVM declares what it renames at the end. It leaves declarations of lifetime
// intrinsics that nothing calls.
std::set<std::string> Declared(const std::string& text) {
  std::set<std::string> names;
  for (size_t line = text.rfind("declare ", 0); line != text.npos; line = text.find("\ndeclare ", line + 1)) {
    const size_t begin = text.find('@', line);
    std::string name = text.substr(begin, text.find('(', begin) - begin);
    name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
    if (name.find(".lifetime.") == name.npos) names.insert(std::move(name));
  }
  return names;
}

// The lines without the numbers of attribute groups and metadata, whose order depends on what was read first.
std::multiset<std::string> Lines(const std::string& text) {
  std::multiset<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line;
    bool in_number = false;
    for (size_t i = begin; i < end; ++i) {
      const char c = text[i];
      const bool follows_sigil = i > begin && (text[i - 1] == '#' || text[i - 1] == '!') && c >= '0' && c <= '9';
      in_number = follows_sigil || (in_number && c >= '0' && c <= '9');
      if (!in_number) line.push_back(c);
    }
    // Declarations that nothing calls come with blank lines.
    const bool is_unused = line.rfind("declare ", 0) == 0 && line.find(".lifetime.") != line.npos;
    if (!line.empty() && !is_unused) lines.insert(line);
    begin = end + 1;
  }
  return lines;
}

TEST(ProducersTest, AllAreReadAndStable) {
  const std::vector<std::string> inputs = Inputs();
  EXPECT_GT(inputs.size(), 25u);
  for (const std::string& path : inputs) {
    std::string errors;
    const std::string once = WrittenByUs(ptxmir::testing::ReadFile(path), &errors);
    EXPECT_EQ(errors, "") << path;
    EXPECT_EQ(WrittenByUs(once, &errors), once) << path << errors;
  }
}

TEST(ProducersTest, OptPrintsOursAsItPrintsTheOriginal) {
  const std::string opt = ptxmir::testing::FindOpt();
  if (opt.empty()) GTEST_SKIP() << "opt-22 was not found";
  for (const std::string& path : Inputs()) {
    const std::string text = ptxmir::testing::ReadFile(path);
    // An attribute that takes its type from the pointer is what LLVM stopped reading with version 16.
    if (Name(path) == "pointee_attributes") continue;
    std::string errors;
    const std::string ours = WrittenByUs(text, &errors);
    const std::string original = PrintedByOpt(opt, Name(path), text);
    const std::string printed = PrintedByOpt(opt, Name(path), ours);
    EXPECT_EQ(Lines(printed), Lines(original)) << path;
    EXPECT_EQ(Declared(ours), Declared(original)) << path;
  }
}

}  // namespace
}  // namespace ptxmir::ir

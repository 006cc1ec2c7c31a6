// SPDX-License-Identifier: Apache-2.0

// Prints llc's MIR as llc does. The PTX of the corpus and of the IR files in this folder is compared with the PTX
// of llc-22, byte for byte, after dropping comments, trailing blanks and blank lines.
//
// Not compared are:
// - The order of module variables. llc's depends on the addresses of its objects and differs between runs. Both texts
//   have them sorted.
// - Initial values of half variables, which llc prints as `0d...`, a value of the wrong type, and of i1 variables,
//   where it prints -1 although `true` in memory is 1.
// - If llc does not read its own machine code and has to start from IR: the numbers of blocks, and the order of a
//   function's local variables in .debug_info. (In machine code, variables are in the order of stack objects.)

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"
#include "ptx/writer/ptx_writer.h"
#include "tests/parity/external_tools.h"

namespace ptxmir::ptx {
namespace {

using testing::InputFile;

bool IsVariable(std::string_view line) {
  for (std::string_view linkage : {".extern ", ".visible ", ".weak ", ".common "}) {
    if (line.starts_with(linkage)) line.remove_prefix(linkage.size());
  }
  return line.starts_with(".global ") || line.starts_with(".const ") || line.starts_with(".shared ") ||
         line.starts_with(".local ");
}

std::vector<std::string> Normalize(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    line.resize(std::min(line.find("//"), line.size()));
    line.resize(line.find_last_not_of(" \t") + 1);
    if (line.empty()) continue;
    if (const size_t half = line.find(" .b16 "); half != line.npos && IsVariable(line)) {
      line.resize(std::min(line.find(" ="), line.size()));
    }
    constexpr std::string_view kMinusOne = " = -1;";
    if (line.find(" .u8 ") != line.npos && IsVariable(line) && line.ends_with(kMinusOne)) {
      line.replace(line.size() - kMinusOne.size(), kMinusOne.size(), " = 1;");
    }
    lines.push_back(line);
  }
  std::vector<std::string> variables;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(variables), IsVariable);
  std::sort(variables.begin(), variables.end());
  auto next = variables.begin();
  for (std::string& line : lines) {
    if (IsVariable(line)) line = *next++;
  }
  return lines;
}

// The first lines that differ, with one before them; empty when all are equal.
std::string FirstDifference(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
    const std::string_view e = i < expected.size() ? std::string_view(expected[i]) : "<end>";
    const std::string_view a = i < actual.size() ? std::string_view(actual[i]) : "<end>";
    if (e == a) continue;
    return StrCat("line ", i + 1, ", behind '", i == 0 ? "" : expected[i - 1], "'\n  llc:  ", e, "\n  ours: ", a);
  }
  return "";
}

// Numbers block labels in the order in which they occur.
void RenumberLabels(std::vector<std::string>& lines) {
  constexpr std::string_view kHead = "$L__BB";
  std::map<std::string, size_t> numbers;
  for (std::string& line : lines) {
    std::string renumbered;
    size_t copied = 0;
    for (size_t at = line.find(kHead); at != line.npos; at = line.find(kHead, at + 1)) {
      const size_t end = std::min(line.find_first_not_of("0123456789_", at + kHead.size()), line.size());
      const auto [entry, is_new] = numbers.try_emplace(line.substr(at, end - at), numbers.size());
      StrAppend(&renumbered, line.substr(copied, at - copied), kHead, entry->second);
      copied = end;
    }
    line = renumbered + line.substr(copied);
  }
}

// Sorts the lines of .debug_info.
void SortDebugInfo(std::vector<std::string>& lines) {
  const auto begin = std::find(lines.begin(), lines.end(), "\t.section\t.debug_info");
  std::sort(begin, std::find(begin, lines.end(), "\t}"));
}

std::vector<InputFile> AllFiles() {
  std::vector<InputFile> files = testing::CorpusFiles();
  for (InputFile& file : testing::IrFiles("tests/parity")) {
    file.name = StrCat("ir_", file.name);
    files.push_back(file);
  }
  return files;
}

class PrinterParityTest : public ::testing::TestWithParam<InputFile> {};

TEST_P(PrinterParityTest, EqualsLlc) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 is not on PATH: nothing to compare with";
  const InputFile& input = GetParam();
  const testing::LlcResult expected = testing::RunLlc(llc, input);
  if (!expected.ok && !input.is_ir) {
    GTEST_SKIP() << "llc cannot compile " << input.path << ": " << expected.error.substr(0, 300);
  }
  ASSERT_TRUE(expected.ok) << expected.error;

  DiagnosticEngine diagnostics;
  const auto buffer = SourceBuffer::FromFile(expected.mir_path);
  ASSERT_TRUE(buffer.ok());
  const std::unique_ptr<Module> module = ReadMir(*buffer, PtxTargetInfo(), diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  std::string actual;
  ASSERT_TRUE(WritePtx(*module, {.cpu = input.cpu, .features = input.features}, diagnostics, actual))
      << diagnostics.ToString();

  std::vector<std::string> expected_lines = Normalize(expected.ptx);
  std::vector<std::string> actual_lines = Normalize(actual);
  if (expected.has_other_labels) {
    for (std::vector<std::string>* lines : {&expected_lines, &actual_lines}) {
      RenumberLabels(*lines);
      SortDebugInfo(*lines);
    }
  }
  EXPECT_EQ(FirstDifference(expected_lines, actual_lines), "");
}

INSTANTIATE_TEST_SUITE_P(Files, PrinterParityTest, ::testing::ValuesIn(AllFiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ptxmir::ptx

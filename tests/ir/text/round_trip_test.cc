// SPDX-License-Identifier: Apache-2.0

// Reads IR, writes it, and compares: the text must be stable, and LLVM must print of ours what it prints of the
// original. The IR is what the corpus was compiled from and what is embedded in its MIR files.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"
#include "tests/parity/external_tools.h"

namespace ptxmir::ir {
namespace {

struct IrText {
  std::string name;
  std::string text;
};

std::vector<IrText> Inputs() {
  std::vector<IrText> inputs;
  for (const char* folder : {"tests/corpus", "tests/parity"}) {
    for (const ptxmir::testing::InputFile& file : ptxmir::testing::IrFiles(folder)) {
      // It has an integer that does not fit its type: LLVM cuts it off, and our reader refuses it.
      if (file.name == "globals") continue;
      inputs.push_back({file.name, ptxmir::testing::ReadFile(file.path)});
    }
  }
  for (const char* name : {"instructions", "metadata"}) {
    const std::string path = std::string("tests/ir/text/") + name + ".ll";
    inputs.push_back({name, ptxmir::testing::ReadFile(path)});
    EXPECT_NE(inputs.back().text, "") << path;
  }
  for (const ptxmir::testing::InputFile& file : ptxmir::testing::CorpusFiles()) {
    inputs.push_back({file.name, ptxmir::testing::EmbeddedIr(ptxmir::testing::ReadFile(file.path))});
    if (inputs.back().text.empty()) inputs.pop_back();
  }
  return inputs;
}

// Returns the text as it is written after it was read, or an empty text after errors, which `errors` holds.
std::string WrittenBack(const std::string& text, std::string* errors) {
  DiagnosticEngine diagnostics;
  const ProgramFile file = ReadProgram(std::make_shared<SourceBuffer>("input.ll", text), diagnostics);
  *errors = diagnostics.ToString();
  std::string out;
  if (file.program != nullptr) WriteProgram(*file.program, &out);
  return out;
}

TEST(RoundTripTest, IrOfTheCorpusIsStable) {
  const std::vector<IrText> inputs = Inputs();
  EXPECT_GT(inputs.size(), 90u);
  for (const IrText& input : inputs) {
    std::string errors;
    const std::string once = WrittenBack(input.text, &errors);
    EXPECT_EQ(errors, "") << input.name;
    EXPECT_EQ(WrittenBack(once, &errors), once) << input.name << errors;
  }
}

// Returns what opt prints, without the lines that name the file. Empty if opt refuses the text.
std::string PrintedByOpt(const std::string& opt, const std::string& name, const std::string& text) {
  const std::string in = ptxmir::testing::TemporaryPath(name + ".ll");
  const std::string out = ptxmir::testing::TemporaryPath(name + ".out.ll");
  ptxmir::testing::WriteFile(in, text);
  std::string output;
  if (!ptxmir::testing::RunCommand({opt, "-S", "-passes=verify", in, "-o", out}, output)) return "";
  return ptxmir::testing::ReadFile(out);
}

TEST(RoundTripTest, OptPrintsOursAsItPrintsTheOriginal) {
  const std::string opt = ptxmir::testing::FindOpt();
  if (opt.empty()) GTEST_SKIP() << "opt-22 was not found";
  size_t compared = 0;
  for (const IrText& input : Inputs()) {
    // Both have the same file name, because opt prints it.
    const std::string original = PrintedByOpt(opt, input.name, input.text);
    if (original.empty()) continue;  // IR that llc leaves in MIR is not always what opt reads
    std::string errors;
    EXPECT_EQ(PrintedByOpt(opt, input.name, WrittenBack(input.text, &errors)), original) << input.name << errors;
    ++compared;
  }
  EXPECT_GT(compared, 80u);
}

}  // namespace
}  // namespace ptxmir::ir

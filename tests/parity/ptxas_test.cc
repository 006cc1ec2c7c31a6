// SPDX-License-Identifier: Apache-2.0

// ptxas accepts the PTX printed for the corpus. The machine code is llc's, from the last pass before printing, so
// this test covers only the printer.

#include <memory>
#include <string>

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

class PtxasTest : public ::testing::TestWithParam<InputFile> {};

TEST_P(PtxasTest, Accepts) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 is not on PATH: there is no MIR to print";
  const std::string ptxas = testing::FindPtxas();
  if (ptxas.empty()) {
    GTEST_SKIP() << "ptxas is neither on PATH nor in $CUDA_HOME/bin or /usr/local/cuda/bin";
  }
  const InputFile& input = GetParam();
  const testing::LlcResult compiled = testing::RunLlc(llc, input);
  if (!compiled.ok) GTEST_SKIP() << "llc cannot compile " << input.path;

  DiagnosticEngine diagnostics;
  const auto buffer = SourceBuffer::FromFile(compiled.mir_path);
  ASSERT_TRUE(buffer.ok());
  const std::unique_ptr<Module> module = ReadMir(*buffer, PtxTargetInfo(), diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  std::string ptx;
  ASSERT_TRUE(WritePtx(*module, {.cpu = input.cpu, .features = input.features}, diagnostics, ptx))
      << diagnostics.ToString();
  const std::string path = testing::TemporaryPath(StrCat(input.name, ".ours.ptx"));
  testing::WriteFile(path, ptx);
  std::string output;
  // Optimize as little as possible, because only the correctness of the text matters. -c leaves external calls
  // unresolved.
  EXPECT_TRUE(testing::RunCommand({ptxas, "-O0", "-c", StrCat("-arch=", input.cpu), path, "-o", "/dev/null"}, output))
      << output;
}

INSTANTIATE_TEST_SUITE_P(Corpus, PtxasTest, ::testing::ValuesIn(testing::CorpusFiles()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ptxmir::ptx

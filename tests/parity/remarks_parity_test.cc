// SPDX-License-Identifier: Apache-2.0

// Remarks in LLVM's format: those of stack-frame-layout and asm-printer for llc's machine code, over the corpus,
// byte for byte. LLVM's own tools can read our remarks.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "mir/text/remark.h"
#include "options/remark_options.h"
#include "passes/frame/stack_frame_layout.h"
#include "passes/pass_context.h"
#include "passes/report/asm_printer_remarks.h"
#include "ptx/target/ptx_target.h"
#include "tests/parity/external_tools.h"

namespace ptxmir {
namespace {

using testing::InputFile;

class RemarksParityTest : public ::testing::TestWithParam<InputFile> {};

// Returns the lines around the first difference.
std::string FirstDifference(std::string_view expected, std::string_view actual) {
  size_t at = 0;
  while (at < expected.size() && at < actual.size() && expected[at] == actual[at]) ++at;
  if (at == expected.size() && at == actual.size()) return "";
  const size_t from = at < 300 ? 0 : at - 300;
  return StrCat("llc:\n", expected.substr(from, at - from + 200), "\nours:\n", actual.substr(from, at - from + 200));
}

struct OurRemarks {
  std::string stack_frame_layout;
  std::string asm_printer;
};

OurRemarks RemarksOf(const Module& module) {
  RemarkOptions options;
  options.output = "-";
  options.with_hotness = true;
  const RemarkFilter filter(options);
  OurRemarks ours;
  for (const OwnedMachineFunction& function : module.machine_functions()) {
    std::vector<Remark> remarks;
    RemarkSink sink{filter, remarks};
    StandalonePassContext standalone(*function, {.remarks = &sink});
    standalone.context.pass_name = "stack-frame-layout";
    RunStackFrameLayout(*function, standalone.context);
    for (const Remark& remark : remarks) AppendRemarkYaml(remark, ours.stack_frame_layout);
    remarks.clear();
    EmitAsmPrinterRemarks(*function, standalone.analyses.Get<MachineOptRemarkEmitter>());
    for (const Remark& remark : remarks) AppendRemarkYaml(remark, ours.asm_printer);
  }
  return ours;
}

TEST_P(RemarksParityTest, EqualLlcs) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 is not on PATH: nothing to compare with";
  const InputFile& input = GetParam();
  const std::string mir = testing::TemporaryPath(StrCat(input.name, ".mir"));
  const std::string layout = testing::TemporaryPath(StrCat(input.name, ".layout.yaml"));
  const std::string mix = testing::TemporaryPath(StrCat(input.name, ".mix.yaml"));
  std::vector<std::string> lower = testing::LlcCommand(llc, input);
  if (!input.is_ir) lower.push_back("-start-after=finalize-isel");
  lower.insert(lower.end(), {"-stop-after=stack-frame-layout", input.path, "-o", mir, "-pass-remarks-with-hotness",
                             StrCat("-pass-remarks-output=", layout), "-pass-remarks-filter=stack-frame-layout",
                             "-pass-remarks-analysis=stack-frame-layout"});
  std::vector<std::string> print = testing::LlcCommand(llc, input);
  print.insert(print.end(), {"-start-after=stack-frame-layout", mir, "-o", "/dev/null", "-pass-remarks-with-hotness",
                             StrCat("-pass-remarks-output=", mix), "-pass-remarks-filter=asm-printer"});
  std::string error;
  if (!testing::RunCommand(lower, error) || !testing::RunCommand(print, error)) {
    GTEST_SKIP() << "llc cannot compile " << input.path << ": " << error.substr(0, 300);
  }

  DiagnosticEngine diagnostics;
  const auto buffer = SourceBuffer::FromFile(mir);
  ASSERT_TRUE(buffer.ok());
  const std::unique_ptr<Module> module = ReadMir(*buffer, ptx::PtxTargetInfo(), diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  const OurRemarks ours = RemarksOf(*module);
  const std::string layout_difference = FirstDifference(testing::ReadFile(layout), ours.stack_frame_layout);
  EXPECT_TRUE(layout_difference.empty()) << layout_difference;
  const std::string mix_difference = FirstDifference(testing::ReadFile(mix), ours.asm_printer);
  EXPECT_TRUE(mix_difference.empty()) << mix_difference;
}

const auto kNameOfFile = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Corpus, RemarksParityTest, ::testing::ValuesIn(testing::CorpusFiles()), kNameOfFile);
INSTANTIATE_TEST_SUITE_P(Ir, RemarksParityTest, ::testing::ValuesIn(testing::IrFiles("tests/parity")), kNameOfFile);

TEST(RemarkutilTest, ReadsWhatWeWrite) {
  const std::string remarkutil = testing::FindRemarkutil();
  if (remarkutil.empty()) GTEST_SKIP() << "llvm-remarkutil-22 is not on PATH: nobody to read remarks";
  Remark remark;
  remark.kind = RemarkKind::kAnalysis;
  remark.pass = "asm-printer";
  remark.name = "InstructionCount";
  remark.hotness = 12;
  remark.location = SourceLocation{std::string(100, 'x') + ".cu", 3, 7};
  remark.arguments = {{"NumInstructions", "12", {}},
                      {"String", " instructions in function", SourceLocation{"b.cu", 1, 2}},
                      {"String", "line\nbreaks\nand \xc3\xa4", {}},
                      {"String", " \x01\t\x7f\\\"\n", {}}};
  std::string yaml;
  for (const std::string_view name : {"plain", " blank", "12", "true", "a:b", "#x", "-", "{", "tab\tx", "\xc2\xa0"}) {
    remark.function = name;
    AppendRemarkYaml(remark, yaml);
  }
  const std::string path = testing::TemporaryPath("ours.yaml");
  const std::string bitstream = testing::TemporaryPath("ours.bitstream");
  testing::WriteFile(path, yaml);
  std::string output;
  ASSERT_TRUE(testing::RunCommand({remarkutil, "instruction-count", "--parser=yaml", path}, output)) << output;
  EXPECT_EQ(output.substr(0, output.find("\n12,")), "Function,InstructionCount\nplain,12\n blank,12");
  // Round trip: LLVM's writer writes back what LLVM's reader has read. (That reader undoes neither quotes within
  // quotes nor escapes.)
  remark.arguments.resize(2);
  remark.function = "a:b";
  yaml.clear();
  AppendRemarkYaml(remark, yaml);
  testing::WriteFile(path, yaml);
  ASSERT_TRUE(testing::RunCommand({remarkutil, "yaml2bitstream", path, "-o", bitstream}, output)) << output;
  ASSERT_TRUE(testing::RunCommand({remarkutil, "bitstream2yaml", bitstream, "-o", path}, output)) << output;
  EXPECT_EQ(testing::ReadFile(path), yaml);
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "ptxmir/compiler.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDoubling[] = R"(---
name: doubling
body: |
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &doubling_param_0, 0
    %1:b32 = nsw SHL32_ri %0, 1
    ST_i32 %1, 0, 0, 1, 32, 0, 0
    Return
...
)";

constexpr char kDoublingIr[] = R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @doubling(i32 %n, ptr addrspace(1) %p) {
  %twice = shl i32 %n, 1
  store i32 %twice, ptr addrspace(1) %p
  ret void
}
)";

ptxmir::CompileResult CompileWith(std::vector<std::string> flags, const char* text = kDoubling) {
  ptxmir::CompileOptions options;
  options.flags = std::move(flags);
  return ptxmir::Compile(text, options);
}

TEST(CompilerTest, MakesPtx) {
  const ptxmir::CompileResult result = CompileWith({"-O2", "-mcpu=sm_90"});
  ASSERT_TRUE(result.ok) << result.MessageText();
  EXPECT_THAT(result.output, HasSubstr(".target sm_90"));
  EXPECT_THAT(result.output, HasSubstr("shl.b32"));
  EXPECT_TRUE(result.messages.empty()) << result.MessageText();
}

TEST(CompilerTest, MakesMirWhereOptionsStopEarly) {
  const ptxmir::CompileResult result = CompileWith({"-stop-after=finalize-isel"});
  ASSERT_TRUE(result.ok) << result.MessageText();
  EXPECT_THAT(result.output, HasSubstr("SHL32_ri %0, 1"));
}

TEST(CompilerTest, MakesPtxOfLlvmIr) {
  ptxmir::CompileOptions options;
  options.flags = {"-mcpu=sm_90"};
  options.summarize_functions = true;
  const ptxmir::CompileResult result = ptxmir::Compile(kDoublingIr, options);
  ASSERT_TRUE(result.ok) << result.MessageText();
  EXPECT_THAT(result.output, HasSubstr("shl.b32"));
  ASSERT_EQ(result.functions.size(), 1u);
  EXPECT_TRUE(result.functions[0].is_kernel);
}

TEST(CompilerTest, MakesLlvmIrAndMirOfLlvmIrWhereOptionsStopEarly) {
  const ptxmir::CompileResult mir = CompileWith({"-stop-after=finalize-isel"}, kDoublingIr);
  ASSERT_TRUE(mir.ok) << mir.MessageText();
  EXPECT_THAT(mir.output, HasSubstr("SHL32_ri"));
  const ptxmir::CompileResult ir = CompileWith({"-stop-after=nvptx-lower-args"}, kDoublingIr);
  ASSERT_TRUE(ir.ok) << ir.MessageText();
  EXPECT_THAT(ir.output, HasSubstr("%twice = shl i32"));
}

TEST(CompilerTest, SaysWhereLlvmIrIsWrong) {
  std::string text = kDoublingIr;
  text.replace(text.find("shl i32 %n"), 10, "shl i32 %m");
  const ptxmir::CompileResult result = CompileWith({}, text.c_str());
  EXPECT_FALSE(result.ok);
  ASSERT_EQ(result.messages.size(), 1u);
  EXPECT_EQ(result.messages[0].line, 3u);
  EXPECT_EQ(result.messages[0].source_line, "  %twice = shl i32 %m, 1");
}

TEST(CompilerTest, SaysWhereTheInputIsWrong) {
  std::string mir = kDoubling;
  mir.replace(mir.find("SHL32_ri"), 8, "SHL32_rx");
  ptxmir::CompileOptions options;
  options.input_name = "doubling.mir";
  const ptxmir::CompileResult result = ptxmir::Compile(mir, options);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.output, "");
  ASSERT_EQ(result.messages.size(), 1u) << result.MessageText();
  const ptxmir::CompileMessage& message = result.messages[0];
  EXPECT_EQ(message.severity, ptxmir::CompileMessage::Severity::kError);
  EXPECT_EQ(message.file, "doubling.mir");
  EXPECT_EQ(message.line, 6u);
  EXPECT_EQ(message.column, 18u);
  EXPECT_THAT(message.text, HasSubstr("SHL32_rx"));
  EXPECT_THAT(result.MessageText(), HasSubstr("doubling.mir:6:18: error: unknown machine instruction name"));
}

TEST(CompilerTest, RefusesWrongOptions) {
  EXPECT_THAT(CompileWith({"-nonsense"}).MessageText(), HasSubstr("unknown command line argument '-nonsense'"));
  EXPECT_THAT(CompileWith({"-O7"}).MessageText(), HasSubstr("invalid value '7' for -O"));
  EXPECT_THAT(CompileWith({"-mcpu=sm_1"}).MessageText(), HasSubstr("sm_1"));
  EXPECT_THAT(CompileWith({"-start-after=nonsense"}).MessageText(), HasSubstr("unknown pass 'nonsense'"));
  EXPECT_THAT(CompileWith({""}).MessageText(), HasSubstr("empty"));
}

TEST(CompilerTest, RefusesOptionsOfTheTool) {
  for (const std::string flag : {"-help", "-version", "-print-passes", "-print-knobs", "-print-options",
                                 "-print-isa-coverage", "-print-option-sets", "-occupancy=128", "-time-trace",
                                 "-pressure-report=x.json", "-pass-remarks-output=x.yaml", "-explain-registers"}) {
    const ptxmir::CompileResult result = CompileWith({flag});
    EXPECT_FALSE(result.ok) << flag;
    EXPECT_THAT(result.MessageText(), HasSubstr(flag.substr(0, flag.find('=')) + " is for the command line tool"));
  }
  EXPECT_THAT(CompileWith({"-autotune=ptxas"}).MessageText(),
              HasSubstr("-autotune=ptxas is for the command line tool"));
  EXPECT_THAT(CompileWith({"-o", "out.ptx"}).MessageText(), HasSubstr("-o is for the command line tool"));
  EXPECT_THAT(CompileWith({"input.mir"}).MessageText(), HasSubstr("an input file is for the command line tool"));
}

TEST(CompilerTest, TakesTheModelOfPtxas) {
  EXPECT_TRUE(CompileWith({"-autotune=model"}).ok);
  EXPECT_TRUE(CompileWith({"-O3", "-autotune=none"}).ok);
}

TEST(CompilerTest, TellsOfOptionsOnce) {
  ptxmir::CompileOptions options;
  options.flags = {"-O9"};
  const ptxmir::Compiler compiler(options);
  EXPECT_FALSE(compiler.ok());
  ASSERT_EQ(compiler.messages().size(), 1u);
  EXPECT_EQ(compiler.messages()[0].line, 0u);
  EXPECT_EQ(compiler.messages()[0].file, "");
  EXPECT_EQ(compiler.Compile(kDoubling).messages.size(), 1u);
}

TEST(CompilerTest, WarnsOfKnobsWithoutEffect) {
  const ptxmir::CompileResult result = CompileWith({"-enable-new-nvvm-remat=false"});
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(result.MessageText(), HasSubstr("warning: knob '-enable-new-nvvm-remat' has no effect"));
}

TEST(CompilerTest, TakesAnyText) {
  for (const char* text : {"", "---", "x", "\xff\xfe", "--- |\n  define", "---\nname: f\nbody: |\n  bb.0:\n    %0"}) {
    const ptxmir::CompileResult result = CompileWith({}, text);
    if (!result.ok) {
      EXPECT_FALSE(result.messages.empty());
    }
  }
  EXPECT_TRUE(ptxmir::Compile(std::string_view("---\nname: f\n...\n\0x", 18)).messages.size() <= 20);
}

TEST(CompilerTest, SummarizesFunctions) {
  ptxmir::CompileOptions options;
  options.summarize_functions = true;
  const ptxmir::CompileResult result = ptxmir::Compile(kDoubling, options);
  ASSERT_TRUE(result.ok) << result.MessageText();
  ASSERT_EQ(result.functions.size(), 1u);
  EXPECT_EQ(result.functions[0].name, "doubling");
  EXPECT_EQ(result.functions[0].input_instructions, 4u);
  EXPECT_EQ(result.functions[0].input_registers, 1u);
  EXPECT_EQ(result.functions[0].spill_loads, 0u);
}

TEST(CompilerTest, HandsOverWhatPassesPrint) {
  const ptxmir::CompileResult result = CompileWith({"-print-after=finalize-isel"});
  EXPECT_THAT(result.log, HasSubstr("*** IR Dump After"));
}

TEST(CompilerTest, IsThreadSafe) {
  const ptxmir::Compiler compiler;
  const std::string expected = compiler.Compile(kDoubling).output;
  EXPECT_THAT(expected, Not(""));
  std::vector<std::string> outputs(4);
  std::vector<std::thread> threads;
  for (std::string& output : outputs) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) output = compiler.Compile(kDoubling).output;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& output : outputs) EXPECT_EQ(output, expected);
}

TEST(CompilerTest, HasTheVersionOfItsHeaders) {
  EXPECT_EQ(ptxmir::LibraryVersion(), PTXMIR_VERSION);
  const std::string text = PTXMIR_VERSION_STRING;
  EXPECT_EQ(text, std::to_string(PTXMIR_VERSION_MAJOR) + "." + std::to_string(PTXMIR_VERSION_MINOR) + "." +
                      std::to_string(PTXMIR_VERSION_PATCH));
}

}  // namespace

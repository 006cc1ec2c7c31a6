// SPDX-License-Identifier: Apache-2.0

#include "mir/text/module_document.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ir_nvvm.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "tests/mir/code/tiny_target.h"

namespace ptxmir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kDocument[] = R"(---
ptxmir-module:
  triple: nvptx64-nvidia-cuda
  cpu: sm_90
  features: +ptx88
  globals: |
    %pair = type { float, i32 }
    @table = addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 0], align 4 ; kept
    declare i32 @vprintf(ptr, ptr)
...
)";

constexpr char kFunctions[] = R"(---
name:            k
machineFunctionInfo:
  signature: 'define ptx_kernel void @k(ptr addrspace(1) noalias %p, ptr byval(%pair) align 4 %q) "nvvm.maxntid"="256"'
body:             |
  bb.0:
    RET

...
---
name:            helper
body:             |
  bb.0:
    RET

...
)";

std::unique_ptr<Module> Read(std::string text, DiagnosticEngine& diagnostics) {
  return ReadMir(std::make_shared<const SourceBuffer>("test.mir", std::move(text)), testing::TinyTarget(), diagnostics);
}

std::string Write(const Module& module) {
  std::string out;
  WriteMir(module, {}, out);
  return out;
}

std::string Errors(std::string text) {
  DiagnosticEngine diagnostics;
  Read(std::move(text), diagnostics);
  return diagnostics.ToString();
}

TEST(ModuleDocumentTest, StatesWhatAnIrModuleWould) {
  DiagnosticEngine diagnostics;
  const auto module = Read(std::string(kDocument) + kFunctions, diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  EXPECT_TRUE(module->has_module_document());
  EXPECT_EQ(module->target_triple(), "nvptx64-nvidia-cuda");
  EXPECT_EQ(module->document_cpu, "sm_90");
  EXPECT_EQ(module->document_features, "+ptx88");
  EXPECT_EQ(module->FindGlobal("table")->address_space, 1u);
  EXPECT_TRUE(module->FindFunction("vprintf")->is_declaration());
  const IrFunction* kernel = module->FindFunction("k");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->is_definition());
  EXPECT_TRUE(IsKernel(*module, *kernel));
  EXPECT_EQ(kernel->parameters[1].ByValType()->name(), "pair");
  EXPECT_THAT(GetNvvmFunctionInfo(*module, *kernel).max_ntid, ElementsAre(256));
  const IrFunction* helper = module->FindFunction("helper");
  ASSERT_NE(helper, nullptr);
  EXPECT_TRUE(helper->is_implied);
  EXPECT_TRUE(helper->parameters.empty());
}

TEST(ModuleDocumentTest, SurvivesARoundTrip) {
  DiagnosticEngine diagnostics;
  const auto module = Read(std::string(kDocument) + kFunctions, diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  const std::string text = Write(*module);
  EXPECT_THAT(text, StartsWith(kDocument));
  const auto again = Read(text, diagnostics);
  ASSERT_NE(again, nullptr) << diagnostics.ToString();
  EXPECT_EQ(Write(*again), text);
}

TEST(ModuleDocumentTest, WritesWhatWasAdded) {
  DiagnosticEngine diagnostics;
  const auto module = Read(std::string(kDocument) + kFunctions, diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  module->CreateVariable("shared", module->types().Array(module->types().Integer(8), 0), 3, Linkage::kExternal);
  const std::string text = Write(*module);
  EXPECT_THAT(text, HasSubstr("align 4\n    @shared = external addrspace(3) global [0 x i8]"));
  EXPECT_NE(Read(text, diagnostics), nullptr) << diagnostics.ToString();
}

TEST(ModuleDocumentTest, MayBeMissing) {
  DiagnosticEngine diagnostics;
  const auto module = Read("---\nname: f\nbody: |\n  bb.0:\n    RET\n...\n", diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  ASSERT_NE(module->FindFunction("f"), nullptr);
  EXPECT_THAT(Write(*module), StartsWith("---\nname:"));
}

TEST(ModuleDocumentTest, ReportsErrorsInPlace) {
  EXPECT_THAT(Errors("---\nptxmir-module:\n  globals: |\n    @x = global i32 1.0\n...\n"),
              HasSubstr("test.mir:4:21: error: floating point constant invalid for type"));
  EXPECT_THAT(Errors("---\nptxmir-module:\n  what: 1\n...\n"), HasSubstr("test.mir:3:3: error: unknown key 'what'"));
  EXPECT_THAT(Errors("---\nptxmir-module:\n  globals: none\n...\n"), HasSubstr("expected a block scalar"));
  EXPECT_THAT(Errors("---\nptxmir-module:\n  data-layout: e-q\n...\n"), HasSubstr("unknown specifier 'q'"));
  const std::string body = "body: |\n  bb.0:\n    RET\n...\n";
  EXPECT_THAT(Errors("---\nname: f\nmachineFunctionInfo:\n  signature: 'define void @f(wrong %x)'\n" + body),
              HasSubstr("test.mir:4:30: error: expected type"));
  EXPECT_THAT(Errors("---\nname: f\nmachineFunctionInfo:\n  signature: 'define void @g()'\n" + body),
              HasSubstr("signature of function 'g' stands in machine function 'f'"));
  EXPECT_THAT(Errors("---\nname: f\nmachineFunctionInfo:\n  signature: 'define void @f() { ret void }'\n" + body),
              HasSubstr("expected end of signature"));
}

}  // namespace
}  // namespace ptxmir

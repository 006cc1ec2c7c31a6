// SPDX-License-Identifier: Apache-2.0

// The kernel at the beginning of the manual and of the header is the one tested here, and compiles unchanged.

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "ptxmir/kernel_builder.h"

namespace ptxmir::builder {
namespace {

// Returns the file without blanks and comment signs, so that indentation does not matter.
std::string Squeezed(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string squeezed;
  for (const char c : text.str()) {
    if (c != ' ' && c != '\n' && c != '/') squeezed += c;
  }
  return squeezed;
}

TEST(KernelBuilderDocTest, TheExampleCompiles) {
  // clang-format off
  // [example]
  KernelModule module({.sm = "sm_80"});
  KernelBuilder& k = module.CreateKernel("saxpy", {kI32, kF32, kGlobalPointer, kGlobalPointer});
  Value i = k.GlobalThreadIdX();
  k.If(k.Less(i, k.Argument(0)), [&] {
    Value x = k.Load(kF32, k.ElementAddress(kF32, k.Argument(2), i));
    Value at = k.ElementAddress(kF32, k.Argument(3), i);
    k.Store(k.Fma(k.Argument(1), x, k.Load(kF32, at)), at);
  });
  k.Return();
  CompileResult compiled = Compile(module);
  // [end]
  // clang-format on
  EXPECT_TRUE(compiled.ok) << compiled.MessageText();
  EXPECT_NE(compiled.output.find(".visible .entry saxpy("), std::string::npos) << compiled.output;
  EXPECT_NE(compiled.output.find("fma.rn.f32"), std::string::npos) << compiled.output;

  const std::string source = Squeezed("tests/sdag/builder/kernel_builder_doc_test.cc");
  const size_t begin = source.find("[example]") + 9, end = source.find("[end]");
  ASSERT_LT(begin, end);
  const std::string example = source.substr(begin, end - begin);
  EXPECT_NE(Squeezed("docs/kernel-builder.md").find(example), std::string::npos);
  EXPECT_NE(Squeezed("include/ptxmir/kernel_builder.h").find(example), std::string::npos);
}

TEST(KernelBuilderDocTest, AModuleIsCompiledOnce) {
  KernelModule module;
  KernelBuilder& k = module.CreateKernel("k", {});
  k.Return();
  EXPECT_TRUE(Compile(module).ok);
  EXPECT_EQ(Compile(module).MessageText(), "error: Compile(module): the module was compiled already\n");
  k.Add(Value(), Value());
  k.SharedArray("s", kI32, 4);
  module.CreateKernel("other", {kI32}).Argument(0);
  module.CreateVariable("v", kI32, 1, AddressSpace::kGlobal);
  EXPECT_FALSE(module.DagText().ok());
  EXPECT_FALSE(Compile(module).ok);
  EXPECT_EQ(module.status().message(), "kernel 'k': Add(a, b): the module was compiled already");
}

TEST(KernelBuilderDocTest, OptionsThatAreWrongLeaveTheModule) {
  KernelModule module;
  module.CreateKernel("k", {}).Return();
  EXPECT_FALSE(Compile(module, {.flags = {"-no-such-option"}}).ok);
  const CompileResult mir = Compile(module, {.flags = {"-stop-after=finalize-isel"}});
  EXPECT_TRUE(mir.ok) << mir.MessageText();
  EXPECT_NE(mir.output.find("Return"), std::string::npos) << mir.output;
}

TEST(KernelBuilderDocTest, WhatCannotBeSelectedIsNamed) {
  KernelModule module;
  KernelBuilder& k = module.CreateKernel("k", {kGlobalPointer});
  const Type results[] = {kI32};
  const std::vector<Value> values = k.Intrinsic("llvm.nvvm.no.such.thing", results, {}, false);
  k.Store(values[0], k.Argument(0));
  k.Return();
  const CompileResult result = Compile(module);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.MessageText().find("llvm.nvvm.no.such.thing"), std::string::npos) << result.MessageText();
}

}  // namespace
}  // namespace ptxmir::builder

// SPDX-License-Identifier: Apache-2.0

// Links small modules, and compares with llvm-link what both make of them.

#include "ir/link/linker.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/text/program_writer.h"
#include "tests/parity/external_tools.h"

namespace ptxmir::ir {
namespace {

struct Linked {
  std::string text;
  std::string messages;
};

Linked Link(const std::vector<std::string>& texts, bool only_needed = false) {
  DiagnosticEngine diagnostics;
  Linker linker(diagnostics);
  Linked result;
  bool ok = true;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string name = std::string(1, static_cast<char>('a' + i)) + ".ll";
    ProgramFile file = ReadProgram(std::make_shared<SourceBuffer>(name, texts[i]), diagnostics);
    ok = ok && linker.Add(std::move(file), name, only_needed);
  }
  const ProgramFile linked = ok ? linker.Finish() : ProgramFile();
  result.messages = diagnostics.ToString();
  if (linked.program != nullptr) WriteProgram(*linked.program, &result.text);
  return result;
}

bool Contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
size_t Count(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(LinkerTest, DefinitionsTakeThePlaceOfDeclarations) {
  const Linked linked =
      Link({"declare i32 @f(i32)\ndefine i32 @k() {\n  %x = call i32 @f(i32 1)\n  ret i32 %x\n}\n",
            "define i32 @f(i32 %x) {\n  ret i32 %x\n}\ndefine internal void @unused() {\n  ret void\n}\n"});
  EXPECT_EQ(linked.messages, "");
  EXPECT_TRUE(Contains(linked.text, "define i32 @f(i32 %x)")) << linked.text;
  EXPECT_FALSE(Contains(linked.text, "declare")) << linked.text;
  EXPECT_FALSE(Contains(linked.text, "unused")) << linked.text;
}

TEST(LinkerTest, LocalValuesAreRenamed) {
  const std::string local =
      "@x = internal global i32 %d\ndefine i32 @%s() {\n  %v = load i32, ptr @x\n  ret i32 %v\n}\n";
  const auto with = [&](std::string_view number, std::string_view name) {
    std::string text = local;
    text.replace(text.find("%d"), 2, number);
    text.replace(text.find("%s"), 2, name);
    return text;
  };
  const Linked linked = Link({with("1", "f"), with("2", "g"), "@x = global i32 3\n"});
  EXPECT_EQ(linked.messages, "");
  // The name that other modules know is kept.
  EXPECT_TRUE(Contains(linked.text, "@x = global i32 3")) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "@x.1 = internal global i32 1")) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "@x.2 = internal global i32 2")) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "define i32 @g() {\n  %v = load i32, ptr @x.2")) << linked.text;
}

TEST(LinkerTest, WeakValues) {
  const std::string weak = "define weak i32 @f() {\n  ret i32 1\n}\n";
  const std::string strong = "define i32 @f() {\n  ret i32 2\n}\n";
  const std::string once =
      "define linkonce_odr i32 @f() {\n  ret i32 3\n}\ndefine i32 @g() {\n  %x = call i32 @f()\n  ret i32 %x\n}\n";
  for (const auto& texts : {std::vector<std::string>{weak, strong}, std::vector<std::string>{strong, weak},
                            std::vector<std::string>{once, strong}, std::vector<std::string>{strong, once}}) {
    const Linked linked = Link(texts);
    EXPECT_EQ(linked.messages, "");
    EXPECT_TRUE(Contains(linked.text, "define i32 @f() {\n  ret i32 2")) << linked.text;
    EXPECT_EQ(Count(linked.text, "@f() {"), 1u) << linked.text;
  }
  EXPECT_TRUE(Contains(Link({once, weak}).text, "define weak i32 @f() {\n  ret i32 1"));
  EXPECT_TRUE(Contains(Link({weak, weak}).text, "ret i32 1"));
  // Nothing mentions it.
  EXPECT_EQ(Link({"@a = global i32 1\n", "define linkonce i32 @f() {\n  ret i32 3\n}\n"}).text.find("@f"),
            std::string::npos);
  EXPECT_TRUE(Contains(Link({strong, strong}).messages, "'f': symbol multiply defined, in 'a.ll' and 'b.ll'"));
}

TEST(LinkerTest, ConflictsAreErrors) {
  const std::string caller = "declare i32 @f(i32)\ndefine i32 @k() {\n  %x = call i32 @f(i32 1)\n  ret i32 %x\n}\n";
  EXPECT_TRUE(Contains(Link({caller, "define i32 @f(i64 %x) {\n  ret i32 1\n}\n"}).messages,
                       "'b.ll' defines it as 'i32 (i64)', but it is 'i32 (i32)' in 'a.ll'"));
  EXPECT_TRUE(Contains(Link({caller, "@f = global i32 1\n"}).messages, "one is a function and the other a variable"));
  EXPECT_TRUE(Contains(Link({"@v = external addrspace(1) global i32\n", "@v = global i32 1\n"}).messages,
                       "the address spaces 1 and 0 differ"));
  EXPECT_TRUE(
      Contains(Link({"target triple = \"nvptx64-nvidia-cuda\"\n", "target triple = \"x86_64-linux\"\n"}).messages,
               "'b.ll' is for 'x86_64-linux'"));
  EXPECT_TRUE(
      Contains(Link({"target datalayout = \"e-i64:64\"\n", "target datalayout = \"e-i64:64-p:32:32\"\n"}).messages,
               "linking modules of different data layouts"));
  // The older layout says less and means the same.
  EXPECT_EQ(Link({"target datalayout = \"e-i64:64-v16:16-v32:32-n16:32:64\"\n@a = global i32 1\n",
                  "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n"})
                .messages,
            "");
}

TEST(LinkerTest, Structures) {
  const Linked linked = Link(
      {"%T = type { i32, ptr }\n%U = type { i32 }\n@a = global %T zeroinitializer\n@b = global %U zeroinitializer\n",
       "%T = type { i32, ptr }\n%U = type { i64 }\n@c = global %T zeroinitializer\n"
       "declare void @g(ptr byval(%U))\n"
       "define void @f(ptr byval(%U) %p) {\n  call void @g(ptr byval(%U) %p)\n  ret void\n}\n"});
  EXPECT_EQ(linked.messages, "");
  EXPECT_EQ(Count(linked.text, "%T = type"), 1u) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "%U.1 = type { i64 }")) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "define void @f(ptr byval(%U.1) %p)")) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "call void @g(ptr byval(%U.1) %p)")) << linked.text;
}

TEST(LinkerTest, AppendingVariablesAndMetadata) {
  const std::string a =
      "@llvm.used = appending global [1 x ptr] [ptr @a], section \"llvm.metadata\"\n@a = global i32 1\n"
      "define void @f() #0 {\n  ret void, !tag !1\n}\n"
      "attributes #0 = { nounwind }\n!named = !{!0}\n!0 = !{!\"x\", i32 1}\n!1 = !{!0, ptr @a}\n";
  const std::string b =
      "@llvm.used = appending global [1 x ptr] [ptr @b], section \"llvm.metadata\"\n@b = global i32 1\n"
      "define void @g() #3 {\n  ret void, !tag !5\n}\n"
      "attributes #3 = { nounwind }\n!named = !{!7, !5}\n!5 = !{!7, ptr @gone}\n!7 = !{!\"x\", i32 1}\n"
      "declare void @gone()\n";
  const Linked linked = Link({a, b});
  EXPECT_EQ(linked.messages, "");
  EXPECT_TRUE(Contains(linked.text, "@llvm.used = appending global [2 x ptr] [ptr @a, ptr @b], section"))
      << linked.text;
  EXPECT_EQ(Count(linked.text, "attributes #0 = { nounwind }"), 1u) << linked.text;
  EXPECT_EQ(Count(linked.text, "!\"x\""), 1u) << linked.text;  // equal nodes are one
  EXPECT_TRUE(Contains(linked.text, "ptr null}")) << linked.text;
}

std::string Flag(int behavior, std::string_view value) {
  return "!llvm.module.flags = !{!0}\n!0 = !{i32 " + std::to_string(behavior) + ", !\"flag\", " + std::string(value) +
         "}\n";
}

TEST(LinkerTest, ModuleFlags) {
  const auto value = [](int a, std::string_view x, int b, std::string_view y) {
    const Linked linked = Link({Flag(a, x), Flag(b, y)});
    if (!linked.messages.empty()) return linked.messages;
    const size_t begin = linked.text.find("!\"flag\", ") + 9;
    return linked.text.substr(begin, linked.text.find('\n', begin) - 1 - begin);
  };
  EXPECT_EQ(value(1, "i32 4", 1, "i32 4"), "i32 4");
  EXPECT_TRUE(Contains(value(1, "i32 4", 1, "i32 5"), "'flag': IDs have conflicting values in 'a.ll' and 'b.ll'"));
  EXPECT_TRUE(Contains(value(2, "i32 4", 2, "i32 5"), "warning"));
  EXPECT_EQ(value(7, "i32 4", 7, "i32 5"), "i32 5");
  EXPECT_EQ(value(8, "i32 4", 8, "i32 5"), "i32 4");
  EXPECT_EQ(value(4, "i32 4", 1, "i32 5"), "i32 4");
  EXPECT_EQ(value(2, "i32 4", 7, "i32 5"), "i32 5");
  EXPECT_TRUE(Contains(value(4, "i32 4", 4, "i32 5"), "conflicting override values"));
  EXPECT_TRUE(Contains(value(1, "i32 4", 5, "!{i32 5}"), "conflicting behaviors"));
  EXPECT_EQ(value(5, "!{i32 4}", 5, "!{i32 4}"), "!{i32 4, i32 4}");
  EXPECT_EQ(value(6, "!{i32 4}", 6, "!{i32 4, i32 5}"), "!{i32 4, i32 5}");
}

TEST(LinkerTest, OnlyWhatIsNeeded) {
  const std::string kernel =
      "declare float @sin(float)\ndefine ptx_kernel void @k(ptr %p) {\n  %x = call float @sin(float 1.0)\n"
      "  store float %x, ptr %p\n  ret void\n}\n";
  const std::string library =
      "@table = internal constant [2 x float] zeroinitializer\n@other = global i32 1\n"
      "define float @sin(float %x) {\n  %y = load float, ptr @table\n  ret float %y\n}\n"
      "define float @cos(float %x) {\n  ret float %x\n}\n"
      "!nvvm.annotations = !{!0}\n!0 = !{ptr @cos, !\"something\", i32 1}\n";
  const Linked linked = Link({kernel, library}, /*only_needed=*/true);
  EXPECT_EQ(linked.messages, "");
  EXPECT_TRUE(Contains(linked.text, "define float @sin")) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "@table")) << linked.text;
  EXPECT_FALSE(Contains(linked.text, "@cos")) << linked.text;
  EXPECT_FALSE(Contains(linked.text, "@other")) << linked.text;
  EXPECT_TRUE(Contains(Link({kernel, library}).text, "@cos"));
}

TEST(LinkerTest, Comdats) {
  const std::string text = "$f = comdat any\ndefine linkonce_odr i32 @f() comdat {\n  ret i32 1\n}\n";
  const Linked linked = Link({text + "define i32 @g() {\n  %x = call i32 @f()\n  ret i32 %x\n}\n",
                              text + "define i32 @h() {\n  %x = call i32 @f()\n  ret i32 %x\n}\n"});
  EXPECT_EQ(linked.messages, "");
  EXPECT_EQ(Count(linked.text, "comdat any"), 1u) << linked.text;
  EXPECT_EQ(Count(linked.text, "@f() comdat {"), 1u) << linked.text;
  EXPECT_TRUE(Contains(Link({"$f = comdat nodeduplicate\n", "$f = comdat nodeduplicate\n"}).messages, "nodeduplicate"));
}

TEST(LinkerTest, UnnamedValues) {
  const std::string text = "@0 = private constant [2 x i8] c\"x\\00\"\ndefine ptr @%s() {\n  ret ptr @0\n}\n";
  const auto with = [&](std::string_view name) {
    std::string made = text;
    made.replace(made.find("%s"), 2, name);
    return made;
  };
  const Linked linked = Link({with("f"), with("g")});
  EXPECT_EQ(linked.messages, "");
  EXPECT_TRUE(Contains(linked.text, "define ptr @f() {\n  ret ptr @__unnamed\n}")) << linked.text;
  EXPECT_TRUE(Contains(linked.text, "define ptr @g() {\n  ret ptr @__unnamed.1\n}")) << linked.text;
}

// Compares with llvm-link: the defined and declared functions and variables, with their bodies, as opt prints them.
std::multiset<std::string> Lines(const std::string& text) {
  std::multiset<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line;
    bool in_number = false;
    for (size_t i = begin; i < end; ++i) {
      const char c = text[i];
      const bool is_digit = c >= '0' && c <= '9';
      const bool follows_sigil = i > begin && (text[i - 1] == '#' || text[i - 1] == '!') && is_digit;
      in_number = follows_sigil || (in_number && is_digit);
      if (!in_number) line.push_back(c);
    }
    if (line[0] != ';' && line.rfind("source_filename", 0) != 0 && line.rfind("target datalayout", 0) != 0)
      lines.insert(line);
    begin = end + 1;
  }
  return lines;
}

TEST(LinkerTest, AgreesWithLlvmLink) {
  const std::string opt = ptxmir::testing::FindOpt();
  if (opt.empty()) GTEST_SKIP() << "opt-22 was not found";
  std::string llvm_link = opt;
  llvm_link.replace(llvm_link.rfind("opt"), 3, "llvm-link");
  const std::string folder = "tests/ir/producers/";
  const std::vector<std::vector<std::string>> cases = {
      {"numba_saxpy_kernel.ll", "numba_saxpy_function.ll"},
      {"numba_sum_kernel.ll", "numba_sum_function.ll"},
      {"flang22_blas.ll", "mlir22_math.ll", "ldc_bits.ll"},
      {"clang14_opencl_vectors.ll", "clang22_opencl_reduce.ll"},
  };
  for (const std::vector<std::string>& names : cases) {
    std::vector<std::string> texts;
    const std::string linked = ptxmir::testing::TemporaryPath("linked.ll");
    const std::string ours = ptxmir::testing::TemporaryPath("ours.ll");
    const std::string bitcode = ptxmir::testing::TemporaryPath("out.bc");
    const std::string out = ptxmir::testing::TemporaryPath("out.ll");
    std::vector<std::string> command = {llvm_link, "-S", "-o", linked};
    for (const std::string& name : names) {
      texts.push_back(ptxmir::testing::ReadFile(folder + name));
      ASSERT_NE(texts.back(), "") << name;
      command.push_back(folder + name);
    }
    std::string output;
    ASSERT_TRUE(ptxmir::testing::RunCommand(command, output)) << output;
    const Linked result = Link(texts);
    EXPECT_EQ(result.messages, "") << names[0];
    ptxmir::testing::WriteFile(ours, result.text);
    std::vector<std::multiset<std::string>> printed;
    for (const std::string& path : {linked, ours}) {
      ASSERT_TRUE(ptxmir::testing::RunCommand({opt, "-passes=globaldce,verify", path, "-o", bitcode}, output))
          << names[0] << output;
      ASSERT_TRUE(ptxmir::testing::RunCommand({opt, "-S", "-discard-value-names", bitcode, "-o", out}, output));
      printed.push_back(Lines(ptxmir::testing::ReadFile(out)));
    }
    EXPECT_EQ(printed[1], printed[0]) << names[0];
  }
}

}  // namespace
}  // namespace ptxmir::ir

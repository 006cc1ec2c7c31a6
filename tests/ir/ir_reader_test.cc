// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_reader.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/ir_test_support.h"

namespace ptxmir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kModule[] = R"(; ModuleID = 'k.ll'
source_filename = "k.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.P = type { i32, [3 x float] }
%"struct.(anonymous namespace)::Pair" = type <{ i8, ptr addrspace(3) }>
%0 = type opaque

$_Z2ktIdEvPT_S0_ = comdat any

@coef = dso_local addrspace(4) externally_initialized constant [2 x float] [float 1.000000e+00, float 0x3FB99999A0000000], align 4
@ptab = internal unnamed_addr addrspace(1) global [2 x ptr] [ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 4), ptr null], align 8
@table = weak_odr hidden addrspace(1) global [4 x i32] zeroinitializer, section "nv.data", comdat($_Z2ktIdEvPT_S0_), align 16, !dbg !1
@"_$_str" = private constant [4 x i8] c"\22;}\00"
@0 = external addrspace(3) global [0 x i32], align 16
@alias = internal alias i32, ptr addrspace(1) @table

; Function Attrs: convergent
define dso_local ptx_kernel void @k(ptr noalias noundef readonly captures(none) %p, ptr byval(%struct.P) align 4 %1, i32 range(i32 0, 1024) "nvvm.grid_constant" %"a b") local_unnamed_addr #0 !dbg !3 {
  %3 = icmp eq ptr %p, null
  br i1 %3, label %4, label %exit, !llvm.loop !4

4:                                                ; preds = %2
  call void asm "{ bra $0; } ; @p", "r"(i32 0)
  br label %exit

exit:
  ret void
}

declare !dbg !2 noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

define linkonce_odr cc 99 i64 @g(...) comdat($_Z2ktIdEvPT_S0_) align 8 personality ptr @k { ret i64 0 }

attributes #0 = { convergent nounwind memory(argmem: read) alignstack=8 "nvvm.maxntid"="256,1" "target-cpu"="sm_80" }
attributes #1 = { nounwind }

!llvm.module.flags = !{!0}
!nvvm.annotations = !{}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{!"}", !{i32 1}}
!2 = distinct !DISubprogram(name: "x", file: !1, line: 3)
!3 = !{}
!4 = distinct !{!4}
)";

TEST(IrReaderTest, ReadsGlobals) {
  ReadIr ir(kModule);
  ASSERT_TRUE(ir.ok) << ir.errors();
  const Module& module = ir.module;
  EXPECT_EQ(module.source_filename(), "k.cu");
  EXPECT_EQ(module.target_triple(), "nvptx64-nvidia-cuda");
  ASSERT_EQ(module.variables().size(), 5u);

  const GlobalVariable& coef = module.variables()[0];
  EXPECT_EQ(coef.name, "coef");
  EXPECT_EQ(coef.address_space, 4u);
  EXPECT_TRUE(coef.is_constant);
  EXPECT_TRUE(coef.dso_local);
  EXPECT_TRUE(coef.externally_initialized);
  EXPECT_EQ(coef.align, 4u);
  EXPECT_EQ(coef.value_type->ToString(), "[2 x float]");

  const auto* table = static_cast<const GlobalVariable*>(module.FindGlobal("table"));
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->linkage, Linkage::kWeakOdr);
  EXPECT_EQ(table->visibility, Visibility::kHidden);
  EXPECT_EQ(table->section, "nv.data");
  EXPECT_EQ(table->comdat, "_Z2ktIdEvPT_S0_");
  EXPECT_EQ(table->FindMetadata("dbg")->node, 1u);

  const GlobalValue* text = module.FindGlobal("_$_str");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(module.variable(text->id())->initializer->text, std::string_view("\";}\0", 4));

  EXPECT_EQ(module.FindGlobal("0"), nullptr);
  const GlobalValue* numbered = module.FindGlobal("0", /*is_numbered=*/true);
  ASSERT_NE(numbered, nullptr);
  EXPECT_EQ(numbered->address_space, 3u);
  EXPECT_TRUE(module.variable(numbered->id())->is_declaration());

  const GlobalValue* alias = module.FindGlobal("alias");
  EXPECT_EQ(alias->kind(), GlobalValue::Kind::kAlias);
  EXPECT_EQ(module.alias(alias->id())->aliasee->global, table->id());
}

TEST(IrReaderTest, ReadsFunctions) {
  ReadIr ir(kModule);
  ASSERT_TRUE(ir.ok) << ir.errors();
  const IrFunction* k = ir.module.FindFunction("k");
  ASSERT_NE(k, nullptr);
  EXPECT_TRUE(k->is_definition());
  EXPECT_EQ(k->calling_convention, calling_convention::kPtxKernel);
  ASSERT_EQ(k->parameters.size(), 3u);
  EXPECT_EQ(k->parameters[0].name, "p");
  EXPECT_TRUE(k->parameters[0].attributes.Has("noalias"));
  EXPECT_EQ(k->parameters[0].attributes.Find("captures")->text, "captures(none)");
  EXPECT_EQ(k->parameters[1].slot, 0u + 1u);
  EXPECT_EQ(k->parameters[1].ByValType()->ToString(), "%struct.P");
  EXPECT_EQ(k->parameters[1].attributes.Integer("align"), 4u);
  EXPECT_EQ(k->parameters[2].name, "a b");
  EXPECT_TRUE(k->parameters[2].attributes.Has("nvvm.grid_constant"));
  EXPECT_EQ(k->body_text.front(), '{');
  EXPECT_EQ(k->body_text.back(), '}');
  EXPECT_EQ(ir.module.FunctionAttributeString(*k, "nvvm.maxntid"), "256,1");
  EXPECT_EQ(ir.module.FindFunctionAttribute(*k, "alignstack")->integer, 8u);
  EXPECT_TRUE(ir.module.HasFunctionAttribute(*k, "convergent"));
  EXPECT_FALSE(ir.module.HasFunctionAttribute(*k, "optnone"));

  const IrFunction* tid = ir.module.FindFunction("llvm.nvvm.read.ptx.sreg.tid.x");
  ASSERT_NE(tid, nullptr);
  EXPECT_TRUE(tid->is_declaration());
  EXPECT_TRUE(tid->is_intrinsic());
  EXPECT_TRUE(tid->return_attributes.Has("range"));
  EXPECT_EQ(tid->FindMetadata("dbg")->node, 2u);

  const IrFunction* g = ir.module.FindFunction("g");
  EXPECT_EQ(g->calling_convention, 99u);
  EXPECT_TRUE(g->is_vararg());
  EXPECT_EQ(g->align, 8u);
  EXPECT_EQ(g->tail_text, "personality ptr @k");
  EXPECT_EQ(g->body_text, "{ ret i64 0 }");
}

TEST(IrReaderTest, FindsBlocksAndTheirSlots) {
  ReadIr ir(R"(
define void @f(i32 %a, i32 %0) {
  %2 = add i32 %0, 1
  switch i32 %2, label %7 [
    i32 0, label %"odd name:"
    i32 1, label %loop
  ], !llvm.loop !0

"odd name:":                                      ; preds = %1
  #dbg_value(i32 %2, !1, !DIExpression(), !2)
  %3 = load i32, ptr null, align 4
  br label %loop

loop:
  %4 = call i32 asm "!llvm.loop !9", "=r"()
  br i1 true, label %loop, label %7, !prof !3, !llvm.loop !5

7:
  ret void
}
!0 = distinct !{!0}
!5 = distinct !{!5}
)");
  ASSERT_TRUE(ir.ok) << ir.errors();
  const IrFunction* f = ir.module.FindFunction("f");
  const IrBody& body = ir.module.body(*f);
  ASSERT_EQ(body.blocks.size(), 4u);
  EXPECT_EQ(body.blocks[0].number, 1u);
  EXPECT_EQ(body.blocks[0].loop, 0u);
  EXPECT_EQ(body.blocks[1].name, "odd name:");
  EXPECT_EQ(body.blocks[1].loop, std::nullopt);
  EXPECT_EQ(body.blocks[2].loop, 5u);
  EXPECT_EQ(body.blocks[3].number, 7u);
  EXPECT_EQ(ir.module.FindIrBlock(*f, "loop", ""), &body.blocks[2]);
  EXPECT_EQ(ir.module.FindIrBlock(*f, "", "%ir-block.7"), &body.blocks[3]);
  EXPECT_EQ(ir.module.FindIrBlock(*f, "", "%ir-block.\"odd name:\""), &body.blocks[1]);
  EXPECT_EQ(ir.module.FindIrBlock(*f, "", "%ir-block.8"), nullptr);
}

TEST(IrReaderTest, NumbersBlocksWithoutLabels) {
  ReadIr ir("define void @f() { br label %1\n ret void\n}\n");
  ASSERT_TRUE(ir.ok) << ir.errors();
  const IrBody& body = ir.module.body(*ir.module.FindFunction("f"));
  ASSERT_EQ(body.blocks.size(), 2u);
  EXPECT_EQ(body.blocks[0].number, 0u);
  EXPECT_EQ(body.blocks[1].number, 1u);
}

TEST(IrReaderTest, ReadsIndentedTextAndWritesItBack) {
  for (const std::string& text : {std::string(kModule), Indented(kModule), Indented(kModule, "      ")}) {
    ReadIr ir(text);
    ASSERT_TRUE(ir.ok) << ir.errors();
    EXPECT_EQ(ir.module.IrToString(), text);
    EXPECT_EQ(ir.module.global_values().size(), 9u);
  }
}

TEST(IrReaderTest, RegeneratesEntitiesAsTheyWere) {
  ReadIr ir(kModule);
  for (const char* name : {"coef", "ptab", "k", "alias", "llvm.nvvm.read.ptx.sreg.tid.x"}) {
    const GlobalValue* value = ir.module.FindGlobal(name);
    EXPECT_EQ(ToString(ir.module, *value), value->source_text);
  }
}

TEST(IrReaderTest, ReportsErrorsWhereTheyAreAndGoesOn) {
  ReadIr ir(R"(@a = global i32 1.0
@b = global viod 0
@c = constant ptr @missing
@c = global i32 0
define void @f(i32 %x, wrong %y) {
entry:
  ret void
}
define void @f() {
  ret void
}
define void @f() {
  ret void
}
declare viod @h()
@ok = global i32 7
something
@last = global [2 x i32] [i32 1, i32 2, i32 3]
)");
  EXPECT_FALSE(ir.ok);
  const std::string errors = ir.errors();
  EXPECT_THAT(errors, HasSubstr("test.ll:1:17: error: floating point constant invalid for type"));
  EXPECT_THAT(errors, HasSubstr("test.ll:2:13: error: expected type"));
  EXPECT_THAT(errors, HasSubstr("test.ll:3:19: error: use of undefined value '@missing'"));
  EXPECT_THAT(errors, HasSubstr("test.ll:4:1: error: redefinition of global '@c'"));
  EXPECT_THAT(errors, HasSubstr("test.ll:5:24: error: expected type"));
  EXPECT_THAT(errors, HasSubstr("test.ll:12:13: error: invalid redefinition of function 'f'"));
  EXPECT_THAT(errors, HasSubstr("test.ll:15:9: error: expected type"));
  EXPECT_THAT(errors, HasSubstr("test.ll:18:27: error: constant expression type mismatch: got 3 elements"));
  EXPECT_THAT(errors, HasSubstr("test.ll:17:1: error: expected top-level entity"));
  EXPECT_EQ(ir.diagnostics.num_errors(), 9u);
  ASSERT_NE(ir.module.FindGlobal("ok"), nullptr);
}

struct BadCase {
  const char* text;
  const char* error;
};

TEST(IrReaderTest, RejectsWhatLlvmRejects) {
  const BadCase kCases[] = {
      {"@x = global i8 c\"a\"", "constant expression type mismatch"},
      {"@x = global i32 null", "null must be a pointer type"},
      {"@x = global ptr @x, align 3", "alignment is not a power of two"},
      {"@x = global i0 0", "bitwidth for integer type out of range"},
      {"@x = global i8 256", "does not fit type 'i8'"},
      {"@x = global ptr addrspace(1) @x", "defined with type 'ptr' but expected 'ptr addrspace(1)'"},
      {"@x = global %t zeroinitializer", "use of undefined type named 't'"},
      {"%t = type { %t }", "recursive"},
      {"%a = type { [4 x %b] }\n%b = type { i8, %a }", "recursive"},
      {"@x = global void 0", "void type only allowed for function results"},
      {"@x = global i32 0, huh", "unknown global variable property"},
      {"@x = huh i32 0", "expected 'global' or 'constant'"},
      {"define void @f() {\n  ret void\n", "expected '}' at end of function body"},
      {"define void @f()", "expected '{' in function body"},
      {"declare void @f(...", "expected ')' at end of argument list"},
      {"declare @f()", "expected type"},
      {"declare i32 f()", "expected function name"},
      {"declare void @f(i32 %x bar)", "expected ')' at end of argument list"},
      {"!0 = !{i32 1", "expected end of metadata node"},
      {"!0 = !{}\n!0 = !{}", "Metadata id is already used"},
      {"!x = !{!7}", "use of undefined metadata '!7'"},
      {"!0 = !{!1, !2}\n!1 = !{!\"!9\"}  ; !8", "use of undefined metadata '!2'"},
      {"!0 = !{!99999999999}", "use of undefined metadata '!99999999999'"},
      {"@x = global i32 0, comdat($y)", "use of undefined comdat '$y'"},
      {"attributes 0 = { }", "expected attribute group id"},
      {"target huh = \"\"", "unknown target property"},
      {"target datalayout = \"e-q1\"", "unknown specifier 'q'"},
      {"@x = global [2 x i32] [i32 1]", "got 1 elements but expected '[2 x i32]'"},
      {"@x = global { i8, i8 } { i8 1 }", "wrong # elements"},
      {"@x = global { i8 } { i16 1 }", "doesn't match struct element type"},
      {"@x = global { i8 } <{ i8 1 }>", "packed'ness"},
      {"@\"unclosed", "end of file in string constant"},
      {"\x01", "expected top-level entity"},
  };
  for (const BadCase& bad : kCases) {
    ReadIr ir(bad.text);
    EXPECT_FALSE(ir.ok) << bad.text;
    EXPECT_THAT(ir.errors(), HasSubstr(bad.error)) << bad.text;
  }
}

TEST(IrReaderTest, SurvivesDeepNesting) {
  const std::string deep(100000, '[');
  ReadIr types("@x = global " + std::string("[1 x ") + deep);
  EXPECT_FALSE(types.ok);
  std::string nested = "@x = global ";
  for (int i = 0; i < 10000; ++i) nested += "{ ";
  EXPECT_THAT(ReadIr(nested).errors(), HasSubstr("type is nested too deeply"));
  std::string expression = "@y = global i8 0\n@x = global i64 ";
  for (int i = 0; i < 10000; ++i) expression += "add (i64 ";
  EXPECT_THAT(ReadIr(expression).errors(), HasSubstr("nested too deeply"));
  std::string metadata = "!0 = ";
  for (int i = 0; i < 10000; ++i) metadata += "!{";
  for (int i = 0; i < 10000; ++i) metadata += "}";
  ReadIr node(metadata);
  EXPECT_TRUE(node.ok);
  EXPECT_EQ(node.module.metadata(0), nullptr);
  // Each structure contains the next one twice, which takes exponential time unless sizes are cached.
  std::string doubling;
  for (int i = 0; i < 60; ++i) {
    const std::string next = std::to_string(i + 1);
    doubling += "%s" + std::to_string(i) + " = type { %s" + next + ", %s" + next + " }\n";
  }
  ReadIr sizes(doubling + "%s60 = type { i8 }\n@x = external global %s0\n");
  ASSERT_TRUE(sizes.ok) << sizes.errors();
  EXPECT_GE(sizes.module.data_layout().AllocSize(sizes.module.variables()[0].value_type), DataLayout::kHugeSize / 8);
  std::string chain;
  for (int i = 0; i < 5000; ++i) {
    chain += "%s" + std::to_string(i) + " = type { %s" + std::to_string(i + 1) + " }\n";
  }
  ReadIr long_chain(chain + "%s5000 = type { i8 }\n@x = external global %s0\n");
  EXPECT_FALSE(long_chain.ok);
  EXPECT_GE(long_chain.module.data_layout().AllocSize(long_chain.module.variables()[0].value_type), 0u);
}

TEST(IrReaderTest, SurvivesDamagedText) {
  const std::string text = kModule;
  // Try every prefix, and replace every character by one with a meaning.
  for (size_t i = 0; i < text.size(); ++i) {
    ReadIr cut(text.substr(0, i));
    for (const char c : {'"', '}', '{', '\0'}) {
      std::string damaged = text;
      damaged[i] = c;
      ReadIr ir(damaged);
      EXPECT_EQ(ir.module.IrToString(), damaged);
      for (const IrFunction& function : ir.module.functions()) ir.module.body(function);
      for (const GlobalValue* value : ir.module.global_values()) {
        ToString(ir.module, *value);
        ir.module.Users(value->id());
      }
      for (MetadataId id = 0; id < 5; ++id) ir.module.metadata(id);
    }
  }
}

TEST(IrReaderTest, KnowsWhoUsesWhat) {
  ReadIr ir(R"(
@shared = internal addrspace(3) global [4 x i32] undef
@both = internal addrspace(3) global i32 undef
@debug_only = internal addrspace(3) global i32 undef
@in_table = internal addrspace(3) global i32 undef
@table = internal global [1 x ptr] [ptr addrspacecast (ptr addrspace(3) @in_table to ptr)]
@llvm.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(3) @shared to ptr), ptr @table], section "llvm.metadata"
@cycle_a = internal global ptr @cycle_b
@cycle_b = internal global ptr @cycle_a

define void @f() {
  store i32 0, ptr addrspace(3) @shared
  %a = load i32, ptr addrspace(3) @both ; @debug_only
  call void asm "@debug_only", ""()
    #dbg_value(ptr addrspace(3) @debug_only, !0, !DIExpression(), !1)
  ret void
}
define void @"g\20"() {
  %b = load ptr, ptr @table
  store i32 0, ptr addrspace(3) @both
  call void @f()
  call void @f()
  ret void
}
)");
  ASSERT_TRUE(ir.ok) << ir.errors();
  const Module& module = ir.module;
  const auto id = [&](std::string_view name) { return module.FindGlobal(name)->id(); };
  const auto sole = [&](std::string_view name) {
    const IrFunction* function = module.SoleUsingFunction(id(name));
    return function == nullptr ? std::string_view() : function->name;
  };
  EXPECT_THAT(module.Users(id("shared")), ElementsAre(id("llvm.used"), id("f")));
  EXPECT_THAT(module.Users(id("f")), ElementsAre(id("g ")));
  EXPECT_THAT(module.Users(id("debug_only")), ElementsAre());
  EXPECT_EQ(sole("shared"), "f");
  EXPECT_EQ(sole("both"), "");
  EXPECT_EQ(sole("in_table"), "g ");
  EXPECT_EQ(sole("debug_only"), "");
  EXPECT_EQ(sole("cycle_a"), "");
}

TEST(IrReaderTest, AddressTakenMeansMentionedOtherThanAsACallee) {
  ReadIr ir(R"(
@table = internal global ptr @in_table
@llvm.used = appending global [1 x ptr] [ptr @only_used], section "llvm.metadata"
define void @only_called() { ret void }
define void @only_used() { ret void }
define void @in_table() { ret void }
define void @"passed on"(ptr %f) { ret void }
define void @"called, quoted"() { ret void }
define void @in_text() { ret void }
define void @caller() {
  call void @only_called()
  call void @"passed on"(ptr @"passed on")  ; @in_text is not meant
  call void asm "@in_text
    and @in_text", ""(), !srcloc !0
  call void @"called, quoted"()
  ret void
}
!0 = !{i32 0}
)");
  ASSERT_TRUE(ir.ok) << ir.errors();
  const Module& module = ir.module;
  std::vector<std::string> taken;
  for (const IrFunction& function : module.functions()) {
    if (module.IsAddressTaken(function.id())) taken.push_back(std::string(function.name));
  }
  EXPECT_THAT(taken, ElementsAre("in_table", "passed on"));
}

}  // namespace
}  // namespace ptxmir

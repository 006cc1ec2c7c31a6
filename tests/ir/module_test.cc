// SPDX-License-Identifier: Apache-2.0

#include "ir/module.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ir_nvvm.h"
#include "tests/ir/ir_test_support.h"

namespace ptxmir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ModuleTest, ParsesMetadataOnDemand) {
  ReadIr ir(R"(
@g = global i32 0
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"Debug Info Version", i32 3}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!2 = distinct !DISubprogram(name: "a\22b", scope: null, file: !3, line: 12, flags: DIFlagPrototyped | DIFlagArtificial, spFlags: DISPFlagDefinition, retainedNodes: !{!4, null})
!3 = !DIFile(filename: "k.cu", directory: "/x")
!4 = !{ptr @g, !"s", metadata !3, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_deref)}
!5 = !{ptr @missing}
!6 = !{i32 wrong}
!7 = !DILocation(line: 3, column: 5, scope: !2)
)");
  ASSERT_TRUE(ir.ok) << ir.errors();
  const Module& module = ir.module;
  EXPECT_EQ(module.ModuleFlagInteger("Debug Info Version"), 3);
  EXPECT_EQ(module.ModuleFlagInteger("nvvm-reflect-ftz"), 1);
  EXPECT_EQ(module.ModuleFlagInteger("other"), std::nullopt);
  const MetadataNode* subprogram = module.metadata(2);
  ASSERT_NE(subprogram, nullptr);
  EXPECT_TRUE(subprogram->is_distinct);
  EXPECT_EQ(subprogram->kind, "DISubprogram");
  EXPECT_EQ(subprogram->Text("name"), "a\"b");
  EXPECT_EQ(subprogram->Integer("line"), 12);
  EXPECT_EQ(subprogram->Node("file"), 3u);
  EXPECT_EQ(subprogram->Text("flags"), "DIFlagPrototyped | DIFlagArtificial");
  EXPECT_EQ(subprogram->Find("scope")->kind, MetadataOperand::Kind::kNull);
  EXPECT_EQ(subprogram->Find("retainedNodes")->inline_node->operands.size(), 2u);
  const MetadataNode* tuple = module.metadata(4);
  ASSERT_EQ(tuple->operands.size(), 4u);
  EXPECT_EQ(tuple->operands[0].constant->kind, IrConstant::Kind::kGlobal);
  EXPECT_EQ(tuple->operands[1].text, "s");
  EXPECT_EQ(tuple->operands[2].node, 3u);
  EXPECT_EQ(tuple->operands[3].inline_node->operands[1].integer, 8);
  EXPECT_EQ(module.metadata(5), nullptr);
  EXPECT_EQ(module.metadata(6), nullptr);
  EXPECT_EQ(module.metadata(99), nullptr);
  EXPECT_EQ(module.metadata(7)->Integer("column"), 5);
  EXPECT_EQ(module.metadata_bound(), 8u);
  EXPECT_EQ(module.ParseInlineMetadata("!DIExpression(DW_OP_deref)")->kind, "DIExpression");
  EXPECT_EQ(module.ParseInlineMetadata("!DIExpression("), nullptr);
}

TEST(ModuleTest, AnswersNvvmQueries) {
  ReadIr ir(R"(
@tex = addrspace(1) global i64 0
define ptx_kernel void @k(ptr byval(i32) "nvvm.grid_constant" %a, i32 %b) #0 { ret void }
define void @old(i64 %a, i64 %b) { ret void }
define void @device() { ret void }
attributes #0 = { "nvvm.maxntid"="256, 2" "nvvm.minctasm"="3" "nvvm.maxnreg"="64" "nvvm.cluster_dim"="2,1,1" "nvvm.maxclusterrank"="8" "nvvm.blocksareclusters" }
!nvvm.annotations = !{!0, !1, !2, !9}
!0 = !{ptr @old, !"kernel", i32 1, !"maxntidx", i32 128, !"maxntidz", i32 2}
!1 = !{ptr @old, !"grid_constant", !3, !"rdoimage", i32 0, !"minctasm", i32 2}
!2 = !{ptr addrspacecast (ptr addrspace(1) @tex to ptr), !"texture", i32 1}
!3 = !{i32 2}
!9 = !{null}
)");
  ASSERT_TRUE(ir.ok) << ir.errors();
  const Module& module = ir.module;
  const NvvmFunctionInfo k = GetNvvmFunctionInfo(module, *module.FindFunction("k"));
  EXPECT_TRUE(k.is_kernel);
  EXPECT_THAT(k.max_ntid, ElementsAre(256, 2));
  EXPECT_EQ(k.min_cta_per_sm, 3u);
  EXPECT_EQ(k.max_nreg, 64u);
  EXPECT_THAT(k.cluster_dim, ElementsAre(2, 1, 1));
  EXPECT_EQ(k.max_cluster_rank, 8u);
  EXPECT_TRUE(k.blocks_are_clusters);
  EXPECT_TRUE(IsGridConstant(module, *module.FindFunction("k"), 0));
  EXPECT_FALSE(IsGridConstant(module, *module.FindFunction("k"), 1));
  const IrFunction& old = *module.FindFunction("old");
  const NvvmFunctionInfo info = GetNvvmFunctionInfo(module, old);
  EXPECT_TRUE(info.is_kernel);
  EXPECT_THAT(info.max_ntid, ElementsAre(128, 1, 2));
  EXPECT_EQ(info.min_cta_per_sm, 2u);
  EXPECT_EQ(info.max_nreg, std::nullopt);
  EXPECT_TRUE(IsGridConstant(module, old, 1));
  EXPECT_FALSE(IsGridConstant(module, old, 0));
  EXPECT_TRUE(IsImageReadOnly(module, old, 0));
  EXPECT_FALSE(IsImageReadOnly(module, old, 1));
  EXPECT_FALSE(IsKernel(module, *module.FindFunction("device")));
  EXPECT_TRUE(IsTexture(module, module.FindGlobal("tex")->id()));
  EXPECT_FALSE(IsSurface(module, module.FindGlobal("tex")->id()));
}

TEST(ModuleTest, TellsWhichLoopsMustNotBeUnrolled) {
  ReadIr ir(R"(
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !4, !3}
!3 = !{!"llvm.loop.unroll.count", i32 1}
!4 = !{!"llvm.loop.mustprogress"}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.unroll.count", i32 4}
)");
  ASSERT_TRUE(ir.ok) << ir.errors();
  EXPECT_TRUE(ForbidsUnrolling(ir.module, 0));
  EXPECT_TRUE(ForbidsUnrolling(ir.module, 2));
  EXPECT_FALSE(ForbidsUnrolling(ir.module, 5));
  EXPECT_FALSE(ForbidsUnrolling(ir.module, 42));
}

TEST(ModuleTest, WritesChangesIntoTheText) {
  const std::string text = Indented(R"(target triple = "nvptx64-nvidia-cuda"

@a = global i32 0, align 4 ; kept
@b = internal global i32 0

; Function Attrs: nounwind
define void @f(i32 %x) #0 {
  ret void
}

attributes #0 = { nounwind }
)");
  ReadIr ir(text);
  ASSERT_TRUE(ir.ok) << ir.errors();
  Module& module = ir.module;
  GlobalValue* a = module.FindGlobal("a");
  a->align = 16;
  a->MarkChanged();
  IrFunction* f = module.FindFunction("f");
  f->linkage = Linkage::kInternal;
  f->MarkChanged();
  const IrType* type = module.types().Array(module.types().Integer(32), 2);
  GlobalVariable& c = module.CreateVariable(module.UniqueName("b"), type, 4, Linkage::kPrivate);
  c.initializer = module.DataConstant(type, {1, 2});
  c.is_constant = true;
  module.CreateFunction("decl", module.types().Function(module.types().Void(), {module.types().Pointer()}, true),
                        Linkage::kExternal);
  EXPECT_EQ(module.IrToString(), Indented(R"(target triple = "nvptx64-nvidia-cuda"

@a = global i32 0, align 16 ; kept
@b = internal global i32 0
@b.1 = private addrspace(4) constant [2 x i32] [i32 1, i32 2]

; Function Attrs: nounwind
define internal void @f(i32 %x) #0 {
  ret void
}

attributes #0 = { nounwind }
declare void @decl(ptr, ...)
)"));
  ReadIr again(module.IrToString());
  EXPECT_TRUE(again.ok) << again.errors();
}

TEST(ModuleTest, WritesAModuleThatWasBuilt) {
  Module module;
  module.set_target_triple("nvptx64-nvidia-cuda");
  IrTypeTable& types = module.types();
  IrType* pair = types.NamedStruct("pair of");
  types.SetBody(pair, {types.Float(), types.Pointer(3)}, /*packed=*/false);
  GlobalVariable& table = module.CreateVariable("ta$ble", pair, 1, Linkage::kExternal);
  table.initializer = module.ZeroInitializer(pair);
  GlobalVariable& pointer = module.CreateVariable("p", types.Pointer(1), 0, Linkage::kInternal);
  pointer.initializer = module.GlobalAddress(table.id());
  module.CreateVariable("dynamic", types.Array(types.Integer(8), 0), 3, Linkage::kExternal);
  IrFunction& kernel =
      module.CreateFunction("k", types.Function(types.Void(), {types.Integer(64)}, false), Linkage::kExternal);
  kernel.calling_convention = calling_convention::kPtxKernel;
  kernel.has_body = true;
  kernel.body_text = "{\n  unreachable\n}";
  const std::string text = module.IrToString();
  EXPECT_EQ(text, R"(target triple = "nvptx64-nvidia-cuda"
%"pair of" = type { float, ptr addrspace(3) }
@"ta$ble" = addrspace(1) global %"pair of" zeroinitializer
@p = internal global ptr addrspace(1) @"ta$ble"
@dynamic = external addrspace(3) global [0 x i8]
define ptx_kernel void @k(i64 %0) {
  unreachable
}
)");
  ReadIr again(text);
  EXPECT_TRUE(again.ok) << again.errors();
}

TEST(ModuleTest, MayBeAskedFromSeveralThreads) {
  std::string text = "@g = global i32 0\n";
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    text +=
        "define void @f" + n + "() {\n  store i32 0, ptr @g\n  br label %1, !llvm.loop !" + n + "\n1:\n ret void\n}\n";
    text += "!" + n + " = distinct !{!" + n + ", !DILocation(line: " + n + ")}\n";
  }
  ReadIr ir(text);
  ASSERT_TRUE(ir.ok) << ir.errors();
  const Module& module = ir.module;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&module] {
      for (const IrFunction& function : module.functions()) {
        const IrBody& body = module.body(function);
        EXPECT_EQ(body.blocks.size(), 2u);
        EXPECT_FALSE(ForbidsUnrolling(module, *body.blocks[0].loop));
      }
      EXPECT_EQ(module.Users(0).size(), 200u);
      EXPECT_EQ(module.SoleUsingFunction(0), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ptxmir

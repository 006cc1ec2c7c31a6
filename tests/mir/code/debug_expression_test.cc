// SPDX-License-Identifier: Apache-2.0

#include "mir/code/debug_expression.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

class DebugExpressionTest : public testing::Test {
 protected:
  DebugExpressionTest() {
    DiagnosticEngine diagnostics;
    module_ = ReadMir(std::make_shared<SourceBuffer>("test.mir", R"(--- |
  define void @f() { ret void }
  !0 = !DIExpression(DW_OP_deref)
  !1 = !DILocation(line: 3, scope: !2)
  !2 = distinct !DISubprogram(name: "f")
...
---
name: f
body: |
  bb.0:
...
)"),
                      ptx::PtxTargetInfo(), diagnostics);
    EXPECT_EQ(diagnostics.ToString(), "");
  }
  MachineFunction& function() { return *module_->machine_functions()[0]; }
  MetadataId Expression(std::string_view operations) {
    return function().InternInlineMetadata("!DIExpression(" + std::string(operations) + ")");
  }
  // Returns the operations, or "none".
  std::string Text(std::optional<MetadataId> id) {
    if (!id.has_value()) return "none";
    const std::string text(function().inline_metadata(*id));
    return text.substr(14, text.size() - 15);
  }
  std::string WithOffset(std::string_view operations, int64_t offset, bool is_address = false) {
    return Text(ExpressionWithOffset(function(), Expression(operations), offset, is_address));
  }
  std::string Bits(std::string_view operations, uint64_t offset, uint64_t size) {
    return Text(ExpressionOfBits(function(), Expression(operations), offset, size));
  }

  std::unique_ptr<Module> module_;
};

TEST_F(DebugExpressionTest, AnOffsetIsAddedFirst) {
  EXPECT_EQ(WithOffset("", 8), "DW_OP_plus_uconst, 8, DW_OP_stack_value");
  EXPECT_EQ(WithOffset("", -8), "DW_OP_constu, 8, DW_OP_minus, DW_OP_stack_value");
  EXPECT_EQ(WithOffset("", INT64_MIN), "DW_OP_constu, 9223372036854775808, DW_OP_minus, DW_OP_stack_value");
  EXPECT_EQ(WithOffset("DW_OP_neg , DW_OP_stack_value", 1), "DW_OP_plus_uconst, 1, DW_OP_neg, DW_OP_stack_value");
  EXPECT_EQ(WithOffset("DW_OP_LLVM_fragment, 32, 16", 1),
            "DW_OP_plus_uconst, 1, DW_OP_stack_value, DW_OP_LLVM_fragment, 32, 16");
  EXPECT_EQ(WithOffset("DW_OP_neg", 0), "DW_OP_neg");
}

TEST_F(DebugExpressionTest, AVariableInMemoryStaysThere) {
  EXPECT_EQ(WithOffset("DW_OP_deref", 8), "DW_OP_plus_uconst, 8, DW_OP_deref");
  EXPECT_EQ(WithOffset("", 8, /*is_address=*/true), "DW_OP_plus_uconst, 8");
  EXPECT_EQ(Text(ExpressionWithOffset(function(), 0, 8, false)), "DW_OP_plus_uconst, 8, DW_OP_deref");
}

TEST_F(DebugExpressionTest, PartsAreFragments) {
  EXPECT_EQ(Bits("", 64, 64), "DW_OP_LLVM_fragment, 64, 64");
  EXPECT_EQ(Bits("DW_OP_stack_value", 0, 32), "DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 32");
  EXPECT_EQ(Bits("DW_OP_LLVM_fragment, 128, 96", 64, 64), "DW_OP_LLVM_fragment, 192, 32");
  EXPECT_EQ(Bits("DW_OP_LLVM_fragment, 128, 64", 64, 64), "none");
}

TEST_F(DebugExpressionTest, AComputedValueHasNoParts) {
  EXPECT_EQ(Bits("DW_OP_plus_uconst, 1, DW_OP_stack_value", 0, 32), "none");
  EXPECT_EQ(Bits("DW_OP_plus_uconst, 1, DW_OP_deref", 0, 32),
            "DW_OP_plus_uconst, 1, DW_OP_deref, DW_OP_LLVM_fragment, 0, 32");
}

TEST_F(DebugExpressionTest, OtherMetadataIsLeftAlone) {
  for (const MetadataId id : {MetadataId{1}, MetadataId{77}, function().InternInlineMetadata("!DILocation(line: 1)"),
                              Expression("DW_OP_LLVM_fragment, x, 8")}) {
    EXPECT_EQ(ExpressionWithOffset(function(), id, 8, false), std::nullopt);
    EXPECT_EQ(ExpressionOfBits(function(), id, 0, 8), std::nullopt);
  }
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/inline_asm_effects.h"

#include <string_view>

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

TEST(InlineAsmEffectsTest, AsynchronousInstructionsAccessRegistersAfterIssue) {
  for (const std::string_view text : {
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, p, 1, 1, 0, 0;",
           "{\n.reg .pred p;\nsetp.ne.b32 p, $6, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $4;\n}\n",
           "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];",
           "tcgen05.st.sync.aligned.32x32b.x1.b32 [$0], {$1};",
           "@p tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];",
           "@!%p1 tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];",
           "again: tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1]",
           "// first\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];",
       }) {
    EXPECT_TRUE(AccessesRegistersAfterIssue(text)) << text;
  }
}

TEST(InlineAsmEffectsTest, OthersDoNot) {
  for (const std::string_view text : {
           "",
           "add.u32 $0, $1, $2;",
           "wgmma.wait_group.sync.aligned 0;",
           "tcgen05.wait::ld.sync.aligned;",
           "tcgen05.ldx $0, $1;",
           "// tcgen05.ld.sync.aligned\nmov.u32 $0, $1;",
           "/* wgmma.mma_async */ mov.u32 $0, $1;",
           "mov.u32 $0, tcgen05.ld;",
           "call (wgmma.mma_async), f;",
           "tcgen05.ld: mov.u32 $0, $1;",
           "mov.u32 $0, /* ; tcgen05.ld */ $1;",
           "@",
           "/*",
       }) {
    EXPECT_FALSE(AccessesRegistersAfterIssue(text)) << text;
  }
}

TEST(InlineAsmEffectsTest, AddressesStandInBrackets) {
  EXPECT_TRUE(HasAddress("ld.shared.b32 $0, [$1];"));
  EXPECT_TRUE(HasAddress("{ .reg .b32 t; mov.b32 t, $0; st.b32 [t], 0; }"));
  EXPECT_FALSE(HasAddress("popc.b32 $0, $1;"));
  EXPECT_FALSE(HasAddress("popc.b32 $0, $1;  // not [$1]"));
}

TEST(InlineAsmEffectsTest, Carry) {
  EXPECT_EQ(CarryUseOf("add.cc.u32 $0, $1, $2;"), CarryUse::kWrites);
  EXPECT_EQ(CarryUseOf("mad.lo.cc.u32 $0, $2, $3, $4;\n\tmadc.hi.u32 $1, $2, $3, 0;"), CarryUse::kWrites);
  EXPECT_EQ(CarryUseOf("addc.u32 $0, $1, $2;"), CarryUse::kReads);
  EXPECT_EQ(CarryUseOf("madc.lo.cc.u32 $0, $1, $2, $3;"), CarryUse::kReads);
  EXPECT_EQ(CarryUseOf("add.u32 $0, $1, $2;"), CarryUse::kNone);
}

TEST(InlineAsmEffectsTest, Labels) {
  EXPECT_TRUE(HasLabel("bra done; done: mov.b32 $0, $1;"));
  EXPECT_FALSE(HasLabel("cvt.sat.f32.f32 $0, $1;"));
  EXPECT_FALSE(HasLabel("tcgen05.wait::ld.sync.aligned;"));
}

TEST(InlineAsmEffectsTest, SetmaxnregHasItsCountAsOperand) {
  EXPECT_EQ(SetmaxnregOperand("setmaxnreg.dec.sync.aligned.u32 40;\n"), "40");
  EXPECT_EQ(SetmaxnregOperand("{ // setmaxnreg\n  setmaxnreg.inc.sync.aligned.u32 $0 ; }"), "$0");
  EXPECT_EQ(SetmaxnregOperand("setmaxnreg.dec.sync.aligned.u32 24; setmaxnreg.inc.sync.aligned.u32 64;"), "64");
  EXPECT_EQ(SetmaxnregOperand("mov.b32 $0, $1;"), "");
}

TEST(InlineAsmEffectsTest, DeclarationsAreNoInstructions) {
  EXPECT_EQ(CountInstructions(""), 0u);
  EXPECT_EQ(CountInstructions("{ .reg .pred p; setp.ne.b32 p, $1, 0; @p mov.b32 $0, 1; }"), 2u);
}

}  // namespace
}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

// Constants: reading, printing, evaluating and lowering. The expected results of lowering agree with the globals
// that llc-22 prints for the same IR.

#include "ir/ir_constant.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ir_initializer.h"
#include "tests/ir/ir_test_support.h"

namespace ptxmir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Hex(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (const uint8_t byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// Returns the bytes in hexadecimal, then " offset:size=symbol+addend" for every relocation. On failure, returns the
// error.
std::string Lower(const std::string& type_and_value) {
  ReadIr ir(
      "%pair = type { i8, [2 x i64] }\n"
      "@g = addrspace(1) global [16 x i32] zeroinitializer\n"
      "@h = global i32 0\n"
      "declare void @f()\n"
      "@x = global " +
      type_and_value + "\n");
  if (!ir.ok) return ir.errors();
  const GlobalValue* x = ir.module.FindGlobal("x");
  const auto lowered = LowerInitializer(ir.module, *ir.module.variable(x->id())->initializer);
  if (!lowered.ok()) return std::string(lowered.status().message().data(), lowered.status().message().size());
  std::string out = Hex(lowered->bytes);
  for (const auto& relocation : lowered->relocations) {
    const std::string name(ir.module.global_value(relocation.symbol).name);
    out += " " + std::to_string(relocation.offset) + ":" + std::to_string(relocation.size) + "=" +
           (relocation.generic ? "generic(" + name + ")" : name) + "+" + std::to_string(relocation.addend);
  }
  return out;
}

TEST(IrConstantTest, LowersNumbers) {
  EXPECT_EQ(Lower("i32 -2"), "feffffff");
  EXPECT_EQ(Lower("i8 255"), "ff");
  EXPECT_EQ(Lower("i1 true"), "01");
  EXPECT_EQ(Lower("i1 false"), "00");
  EXPECT_EQ(Lower("i64 -9223372036854775808"), "0000000000000080");
  EXPECT_EQ(Lower("i64 18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(Lower("i128 -1"), "ffffffffffffffffffffffffffffffff");
  EXPECT_EQ(Lower("i128 170141183460469231731687303715884105727"), "ffffffffffffffffffffffffffffff7f");
  EXPECT_EQ(Lower("i33 4294967296"), "0000000001000000");
  EXPECT_EQ(Lower("i32 u0xABCD"), "cdab0000");
  EXPECT_EQ(Lower("i32 s0xFF"), "ffffffff");
}

TEST(IrConstantTest, LowersFloats) {
  EXPECT_EQ(Lower("float 1.000000e+00"), "0000803f");
  EXPECT_EQ(Lower("float -0.000000e+00"), "00000080");
  EXPECT_EQ(Lower("float 0x3FB99999A0000000"), "cdcccc3d");
  EXPECT_EQ(Lower("float 0x7FF8000000000000"), "0000c07f");
  EXPECT_EQ(Lower("float 0xFFF0000000000000"), "000080ff");
  EXPECT_EQ(Lower("float 0x36A0000000000000"), "01000000");
  EXPECT_THAT(Lower("float 0.1"), HasSubstr("floating point constant invalid for type"));
  EXPECT_EQ(Lower("double 0x3FF0000000000001"), "010000000000f03f");
  EXPECT_EQ(Lower("half 0xH3C00"), "003c");
  EXPECT_EQ(Lower("half 1.5"), "003e");
  EXPECT_EQ(Lower("half 0x3E70000000000000"), "0100");
  EXPECT_EQ(Lower("bfloat 0xR3F80"), "803f");
  EXPECT_EQ(Lower("bfloat 2.0"), "0040");
  EXPECT_EQ(Lower("fp128 0xL00000000000000013FFF000000000000"), "0100000000000000000000000000ff3f");
  EXPECT_EQ(Lower("x86_fp80 0xK3FFF8000000000000000").substr(0, 20), "0000000000000080ff3f");
}

TEST(IrConstantTest, LowersAggregates) {
  EXPECT_EQ(Lower("[3 x i16] [i16 1, i16 undef, i16 3]"), "010000000300");
  EXPECT_EQ(Lower("[4 x i8] c\"a\\00\\FF\\\\\""), "6100ff5c");
  EXPECT_EQ(Lower("{ i8, i32 } { i8 1, i32 2 }"), "0100000002000000");
  EXPECT_EQ(Lower("<{ i8, i32 }> <{ i8 1, i32 2 }>"), "0102000000");
  EXPECT_EQ(Lower("%pair { i8 1, [2 x i64] [i64 2, i64 3] }"), "010000000000000002000000000000000300000000000000");
  EXPECT_EQ(Lower("<4 x i8> <i8 1, i8 2, i8 3, i8 4>"), "01020304");
  EXPECT_EQ(Lower("<4 x i8> splat (i8 7)"), "07070707");
  EXPECT_EQ(Lower("<8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 1>"), "85");
  EXPECT_EQ(Lower("[2 x { ptr, i8 }] zeroinitializer"), std::string(64, '0'));
  EXPECT_EQ(Lower("[0 x i32] []"), "");
  EXPECT_EQ(Lower("{} {}"), "");
}

TEST(IrConstantTest, LowersAddresses) {
  EXPECT_EQ(Lower("ptr @h"), "0000000000000000 0:8=h+0");
  EXPECT_EQ(Lower("ptr @f"), "0000000000000000 0:8=f+0");
  EXPECT_EQ(Lower("ptr addrspace(1) @g"), "0000000000000000 0:8=g+0");
  EXPECT_EQ(Lower("ptr addrspacecast (ptr addrspace(1) @g to ptr)"), "0000000000000000 0:8=generic(g)+0");
  EXPECT_EQ(Lower("ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 4)"),
            "0000000000000000 0:8=generic(g)+4");
  EXPECT_EQ(Lower("ptr addrspacecast (ptr addrspace(1) getelementptr inbounds nuw inrange(-4, 60) "
                  "([16 x i32], ptr addrspace(1) @g, i64 0, i64 3) to ptr)"),
            "0000000000000000 0:8=generic(g)+12");
  EXPECT_EQ(Lower("ptr getelementptr (%pair, ptr @h, i32 -1, i32 1, i64 1)"), "0000000000000000 0:8=h+-8");
  EXPECT_EQ(Lower("i64 ptrtoint (ptr @h to i64)"), "0000000000000000 0:8=h+0");
  EXPECT_EQ(Lower("i64 add (i64 ptrtoint (ptr @h to i64), i64 5)"), "0000000000000000 0:8=h+5");
  EXPECT_EQ(Lower("i64 sub (i64 ptrtoint (ptr @h to i64), i64 5)"), "0000000000000000 0:8=h+-5");
  EXPECT_EQ(Lower("i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @h, i64 9) to i64), "
                  "i64 ptrtoint (ptr @h to i64))"),
            "0900000000000000");
  EXPECT_EQ(Lower("{ i32, ptr } { i32 1, ptr @h }"), "01000000000000000000000000000000 8:8=h+0");
  EXPECT_EQ(Lower("<{ i8, ptr }> <{ i8 1, ptr @h }>"), "010000000000000000 1:8=h+0");
  EXPECT_EQ(Lower("i32 ptrtoint (ptr @h to i32)"), "00000000 0:4=h+0");
  EXPECT_EQ(Lower("i32 trunc (i64 ptrtoint (ptr @h to i64) to i32)"), "00000000 0:4=h+0");
  EXPECT_EQ(Lower("ptr inttoptr (i64 4096 to ptr)"), "0010000000000000");
  EXPECT_EQ(Lower("ptr dso_local_equivalent @f"), "0000000000000000 0:8=f+0");
  EXPECT_EQ(Lower("ptr no_cfi @f"), "0000000000000000 0:8=f+0");
}

TEST(IrConstantTest, FoldsIntegers) {
  EXPECT_EQ(Lower("i32 xor (i32 5, i32 -1)"), "faffffff");
  EXPECT_EQ(Lower("i16 shl (i16 1, i16 9)"), "0002");
  EXPECT_EQ(Lower("i8 and (i8 12, i8 10)"), "08");
  EXPECT_EQ(Lower("i8 or (i8 12, i8 3)"), "0f");
  EXPECT_EQ(Lower("i64 sext (i8 -1 to i64)"), "ffffffffffffffff");
  EXPECT_EQ(Lower("i64 zext (i8 -1 to i64)"), "ff00000000000000");
  EXPECT_EQ(Lower("i8 trunc (i32 258 to i8)"), "02");
  EXPECT_EQ(Lower("i128 shl (i128 1, i128 100)"), "00000000000000000000000010000000");
}

TEST(IrConstantTest, RejectsWhatCannotBeStated) {
  EXPECT_THAT(Lower("i64 mul (i64 ptrtoint (ptr @h to i64), i64 2)"),
              HasSubstr("unsupported expression in static initializer: mul (i64 ptrtoint"));
  EXPECT_THAT(Lower("i8 shl (i8 1, i8 9)"), HasSubstr("unsupported expression"));
  EXPECT_THAT(Lower("ptr blockaddress(@f, %x)"), HasSubstr("unsupported expression"));
  EXPECT_THAT(Lower("i128 zext (i64 ptrtoint (ptr @h to i64) to i128)"), HasSubstr("unsupported"));
  EXPECT_THAT(Lower("ptr getelementptr ({ i8 }, ptr @h, i32 0, i32 1)"), HasSubstr("unsupported"));
  EXPECT_THAT(Lower("[1099511627776 x i8] zeroinitializer"), HasSubstr("too large"));
}

TEST(IrConstantTest, PrintsAsLlvmDoes) {
  const char* const kCases[] = {
      "i32 -7",
      "i1 true",
      "i128 -170141183460469231731687303715884105728",
      "i128 170141183460469231731687303715884105727",
      "double 3.250000e+00",
      "double 0x3FF0000000000001",
      "float 0x3FB99999A0000000",
      "float 0x7FF4000000000000",
      "half 0xH3C00",
      "bfloat 0xR3F80",
      "fp128 0xL00000000000000013FFF000000000000",
      "x86_fp80 0xK3FFF8000000000000000",
      "ppc_fp128 0xM3FF00000000000000000000000000000",
      "[2 x i32] [i32 1, i32 2]",
      "[2 x i32] [i32 1, i32 undef]",
      "<2 x float> <float 1.000000e+00, float 0x7FF8000000000000>",
      "<2 x float> splat (float 1.000000e+00)",
      "[3 x i8] c\"a\\22\\00\"",
      "{ i8, ptr } { i8 1, ptr null }",
      "<{ i8, { i32 } }> <{ i8 1, { i32 } { i32 2 } }>",
      "{} zeroinitializer",
      "token none",
      "ptr getelementptr inbounds nuw inrange(-8, 8) ({ i8, [4 x i32] }, ptr null, i64 0, i32 1, i64 2)",
      "ptr addrspacecast (ptr addrspace(3) null to ptr)",
      "i64 sub nuw nsw (i64 1, i64 2)",
      "ptr poison",
      "target(\"spirv.Image\", void, 1, 0) undef",
  };
  for (const char* text : kCases) {
    Module module;
    const auto constant = ParseIrConstant(text, module);
    ASSERT_TRUE(constant.ok()) << text << ": " << constant.status();
    EXPECT_EQ(ToStringWithType(module, **constant), text);
  }
}

TEST(IrConstantTest, KeepsLongRowsAsWords) {
  Module module;
  const auto constant = ParseIrConstant("[3 x i8] [i8 1, i8 -1, i8 3]", module);
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ((*constant)->kind, IrConstant::Kind::kData);
  EXPECT_THAT((*constant)->words, ElementsAre(1, 255, 3));
}

TEST(IrConstantTest, KnowsZero) {
  Module module;
  for (const char* text : {"i32 0", "[2 x i8] c\"\\00\\00\"", "{ ptr, i8 } { ptr null, i8 0 }", "i32 undef",
                           "[2 x float] [float 0.0, float 0.0]", "i8 poison"}) {
    EXPECT_TRUE(IsZeroOrUndef(**ParseIrConstant(text, module))) << text;
  }
  for (const char* text : {"i32 1", "float -0.0", "[2 x i8] c\"\\00a\"", "{ ptr, i8 } { ptr null, i8 1 }"}) {
    EXPECT_FALSE(IsZeroOrUndef(**ParseIrConstant(text, module))) << text;
  }
}

}  // namespace
}  // namespace ptxmir

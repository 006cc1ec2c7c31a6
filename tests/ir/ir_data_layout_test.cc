// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_data_layout.h"

#include <string>

#include "gtest/gtest.h"
#include "ir/ir_reader.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir {
namespace {

struct SizeCase {
  const char* type;
  uint64_t bits;
  uint64_t alloc;
  uint64_t abi;
  uint64_t preferred;
};

TEST(DataLayoutTest, MeasuresTypesAsLlvmDoesForNvptx) {
  const SizeCase kCases[] = {
      {"i1", 1, 1, 1, 1},
      {"i8", 8, 1, 1, 1},
      {"i16", 16, 2, 2, 2},
      {"i24", 24, 4, 4, 4},
      {"i32", 32, 4, 4, 4},
      {"i64", 64, 8, 8, 8},
      {"i65", 65, 16, 16, 16},
      {"i128", 128, 16, 16, 16},
      {"i256", 256, 32, 32, 32},
      {"half", 16, 2, 2, 2},
      {"bfloat", 16, 2, 2, 2},
      {"float", 32, 4, 4, 4},
      {"double", 64, 8, 8, 8},
      {"fp128", 128, 16, 16, 16},
      {"ptr", 64, 8, 8, 8},
      {"ptr addrspace(3)", 64, 8, 8, 8},
      {"ptr addrspace(6)", 32, 4, 4, 4},
      {"<2 x i8>", 16, 2, 2, 2},
      {"<4 x i8>", 32, 4, 4, 4},
      {"<2 x half>", 32, 4, 4, 4},
      {"<2 x float>", 64, 8, 8, 8},
      {"<3 x float>", 96, 16, 16, 16},
      {"<4 x float>", 128, 16, 16, 16},
      {"<8 x float>", 256, 32, 32, 32},
      {"<8 x i1>", 8, 1, 1, 1},
      {"[3 x i32]", 96, 12, 4, 4},
      {"[0 x i64]", 0, 0, 8, 8},
      {"{ i8, i64 }", 128, 16, 8, 8},
      {"<{ i8, i64 }>", 72, 9, 1, 8},
      {"{ i8 }", 8, 1, 1, 8},
      {"{ i8, { i16, i8 }, i8 }", 64, 8, 2, 8},
      {"{}", 0, 0, 1, 8},
  };
  Module module;
  const DataLayout& layout = module.data_layout();
  for (const SizeCase& c : kCases) {
    const auto type = ParseIrType(c.type, module);
    ASSERT_TRUE(type.ok()) << c.type << type.status();
    EXPECT_EQ(layout.AbiAlign(*type), c.abi) << c.type;
    EXPECT_EQ(layout.PreferredAlign(*type), c.preferred) << c.type;
    EXPECT_EQ(layout.AllocSize(*type), c.alloc) << c.type;
    if (std::string(c.type) == "{ i8, { i16, i8 }, i8 }") continue;
    EXPECT_EQ(layout.SizeInBits(*type), c.bits) << c.type;
  }
}

TEST(DataLayoutTest, UsesDefaultsForWhatIsNotStated) {
  const auto layout = DataLayout::Parse("");
  ASSERT_TRUE(layout.ok());
  Module module;
  EXPECT_EQ(layout->AbiAlign(*ParseIrType("i64", module)), 4u);
  EXPECT_EQ(layout->PreferredAlign(*ParseIrType("i64", module)), 8u);
  EXPECT_EQ(layout->PointerBits(5), 64u);
  EXPECT_FALSE(layout->is_big_endian());
}

TEST(DataLayoutTest, ReadsEverySpecification) {
  const auto layout = DataLayout::Parse(
      "E-m:e-p:32:32:64:16-p270:32:32-i64:64:128-f80:128-v96:64-a:8:32-n8:16-ni:7:8-S128-A5-G1-P2-Fi8");
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_TRUE(layout->is_big_endian());
  EXPECT_EQ(layout->PointerBits(0), 32u);
  EXPECT_EQ(layout->IndexBits(0), 16u);
  EXPECT_EQ(layout->alloca_address_space(), 5u);
  EXPECT_EQ(layout->globals_address_space(), 1u);
  EXPECT_EQ(layout->program_address_space(), 2u);
  EXPECT_EQ(layout->native_integers(), (std::vector<uint32_t>{8, 16}));
  Module module;
  EXPECT_EQ(layout->AbiAlign(*ParseIrType("<3 x i32>", module)), 8u);
  EXPECT_EQ(layout->PreferredAlign(*ParseIrType("{ i8 }", module)), 4u);
}

TEST(DataLayoutTest, RejectsMalformedText) {
  for (const char* text : {"-",     "e-",        "x",      "i",          "i32",           "i0:8", "i32:7",  "i32:12",
                           "i8:16", "p:64",      "p:0:64", "p:64:64:32", "p:32:32:32:64", "a",    "a:0:12", "n0",
                           "eE",    "v64:64:32", "m",      "S"}) {
    EXPECT_FALSE(DataLayout::Parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ptxmir

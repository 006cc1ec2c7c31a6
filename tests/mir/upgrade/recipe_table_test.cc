// SPDX-License-Identifier: Apache-2.0

#include "mir/upgrade/recipe_table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "gtest/gtest.h"
#include "mir/upgrade/old_llvm.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

constexpr OldLlvm kVersions[] = {OldLlvm::k16OrOlder, OldLlvm::k17To19, OldLlvm::k19OrOlder};

bool IsCondition(const RecipeOperand& operand) {
  return operand.kind == RecipeOperand::Kind::kIsValue || operand.kind == RecipeOperand::Kind::kIsOne;
}

// Returns how many operands a step makes.
size_t NumMade(const RecipeStep& step) {
  size_t count = 0;
  for (const RecipeOperand& operand : step.operands) count += IsCondition(operand) ? 0 : 1;
  return count;
}

TEST(RecipeTable, ReadsEveryRow) {
  for (const OldLlvm version : kVersions) {
    RecipeTable table(ptx::PtxTargetInfo(), version);
    size_t rows = 0;
    for (const std::string_view name : table.Names()) {
      if (name.ends_with('*')) continue;
      const bool has_two_meanings = name == "trapinst" || name == "ROTL64reg_sw" || name == "ROTR64reg_sw";
      if (version == OldLlvm::k19OrOlder && has_two_meanings) continue;
      ASSERT_NE(table.Find(name), nullptr) << name;
      ++rows;
    }
    EXPECT_GT(rows, 1500u);
  }
}

TEST(RecipeTable, MakesTheOperandsThatOpcodesHave) {
  for (const OldLlvm version : kVersions) {
    RecipeTable table(ptx::PtxTargetInfo(), version);
    for (const std::string_view name : table.Names()) {
      const Recipe* recipe = table.Find(name);
      if (recipe == nullptr || recipe->is_unchanged) continue;
      for (const RecipeStep& step : recipe->steps) {
        if (step.action != RecipeStep::Action::kEmit) continue;
        EXPECT_EQ(NumMade(step), ptx::PtxTargetInfo().Get(step.opcode).num_operands) << name;
      }
    }
  }
}

TEST(RecipeTable, ReadsNoOperandThatTheOldInstructionLacks) {
  RecipeTable table(ptx::PtxTargetInfo(), OldLlvm::k17To19);
  for (const std::string_view name : table.Names()) {
    const Recipe* recipe = table.Find(name);
    if (recipe == nullptr || recipe->num_operands == Recipe::kAnyNumber) continue;
    for (const RecipeStep& step : recipe->steps) {
      for (const RecipeOperand& operand : step.operands) {
        if (operand.kind == RecipeOperand::Kind::kTemporary || operand.kind == RecipeOperand::Kind::kDefinition)
          continue;
        EXPECT_LT(operand.number, std::max(recipe->num_operands, 1)) << name;
      }
    }
  }
}

TEST(RecipeTable, UnchangedOpcodesHaveTheSameNumberOfOperands) {
  for (const OldLlvm version : kVersions) {
    RecipeTable table(ptx::PtxTargetInfo(), version);
    for (const std::string_view name : table.Names()) {
      const Recipe* recipe = table.Find(name);
      if (recipe == nullptr || !recipe->is_unchanged || recipe->num_operands == Recipe::kAnyNumber) continue;
      EXPECT_EQ(recipe->num_operands, ptx::PtxTargetInfo().Get(recipe->steps[0].opcode).num_operands) << name;
    }
  }
}

TEST(RecipeTable, KnowsNoOtherOpcodes) {
  for (const OldLlvm version : kVersions) {
    RecipeTable table(ptx::PtxTargetInfo(), version);
    EXPECT_EQ(table.Find("anonymous_9620"), nullptr);
    EXPECT_EQ(table.Find("LD_i32"), nullptr) << "an opcode of LLVM 22 alone";
    EXPECT_EQ(table.Find("TEX_NO_SUCH_FORM"), nullptr);
    EXPECT_NE(table.Find("TEX_1D_F32_F32_RR"), nullptr);
  }
}

TEST(RecipeTable, RowsOfOneVersionAreNotForOthers) {
  EXPECT_NE(RecipeTable(ptx::PtxTargetInfo(), OldLlvm::k17To19).Find("StoreParamI32_r"), nullptr);
  EXPECT_EQ(RecipeTable(ptx::PtxTargetInfo(), OldLlvm::k16OrOlder).Find("StoreParamI32_r"), nullptr);
  EXPECT_NE(RecipeTable(ptx::PtxTargetInfo(), OldLlvm::k16OrOlder).Find("StoreParamI32"), nullptr);
  // If the version is not known, it must be one of those that have the opcode.
  EXPECT_NE(RecipeTable(ptx::PtxTargetInfo(), OldLlvm::k19OrOlder).Find("StoreParamI32"), nullptr);
  EXPECT_NE(RecipeTable(ptx::PtxTargetInfo(), OldLlvm::k19OrOlder).Find("StoreParamI32_r"), nullptr);
  // trapinst also exits in the later ones.
  EXPECT_EQ(RecipeTable(ptx::PtxTargetInfo(), OldLlvm::k19OrOlder).Find("trapinst"), nullptr);
}

TEST(RecipeTable, KnowsNothingOfLlvm20) {
  RecipeTable table(ptx::PtxTargetInfo(), OldLlvm::k20);
  EXPECT_TRUE(table.Names().empty());
  EXPECT_EQ(table.Find("COPY"), nullptr);
}

TEST(OldLlvm, IsSeenInRegisterClassesAndKeys) {
  EXPECT_EQ(OldLlvmOf("---\nname: k\nregisters:\n  - { id: 0, class: int32regs, preferred-register: '' }\n"
                      "callSites:       []\n"),
            OldLlvm::k16OrOlder);
  EXPECT_EQ(OldLlvmOf("---\nname: k\nregisters:\n  - { id: 0, class: float32regs }\nentry_values:    []\n"),
            OldLlvm::k17To19);
  EXPECT_EQ(OldLlvmOf("---\nname: k\nnoPhis: true\nregisters:\n  - { id: 0, class: float32regs }\nentry_values: []\n"),
            OldLlvm::k20);
  EXPECT_EQ(OldLlvmOf("---\nname: k\nbody: |\n  bb.0:\n    %0:int1regs = IMPLICIT_DEF\n"), OldLlvm::k19OrOlder);
  EXPECT_EQ(OldLlvmOf(""), OldLlvm::kNone);
  EXPECT_EQ(OldLlvmOf("---\nname: int32regs\nbody: |\n  bb.0:\n    %0:b32 = COPY %int32regs\n"), OldLlvm::kNone);
}

TEST(OldLlvm, ClassesHaveNewNames) {
  EXPECT_EQ(RenamedRegClass("int64regs"), "b64");
  EXPECT_EQ(RenamedRegClass("float16x2regs"), "b32");
  EXPECT_EQ(RenamedRegClass("b32"), "");
}

}  // namespace
}  // namespace ptxmir

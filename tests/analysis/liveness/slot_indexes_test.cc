// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/slot_indexes.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

constexpr char kLoop[] = R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    %1:b32 = ADD32ri %0, 1
  bb.1:
    successors: %bb.1, %bb.2
    %2:b32 = PHI %1, %bb.0, %3, %bb.1
    DBG_VALUE %2, $noreg
    %3:b32 = ADD32ri %2, 1
    %4:b1 = SETP_i32ri %3, 10, 1
    CBranch %4, %bb.1
  bb.2:
    successors: %bb.3
  bb.3:
    Return
)";

TEST(SlotIndexTest, SlotsOfAnInstructionAreInOrder) {
  const SlotIndex base = SlotIndex::FromBits(64);
  EXPECT_TRUE(base.is_block());
  EXPECT_LT(base, base.RegSlot(true));
  EXPECT_LT(base.RegSlot(true), base.RegSlot());
  EXPECT_LT(base.RegSlot(), base.DeadSlot());
  EXPECT_EQ(base.DeadSlot().Next().Base().bits(), 68u);
  EXPECT_TRUE(SlotIndex::IsSameInstr(base.RegSlot(), base.DeadSlot()));
  EXPECT_FALSE(SlotIndex().is_valid());
}

// The numbers are those of llc-22 -passes='print<slot-indexes>' for this function.
TEST(SlotIndexesTest, PrintsAsLlvm) {
  const auto module = ReadBody(kLoop);
  AnalysisManager analyses(OnlyFunction(*module));
  std::string text;
  analyses.Get<SlotIndexes>().Print(text);
  EXPECT_EQ(text.substr(0, text.find("16 ")), "Slot indexes in machine function: f\n0 \n");
  EXPECT_NE(text.find("\n48 \n64 %2:b32 = PHI"), std::string::npos) << text;
  EXPECT_NE(text.find("\n80 %3:b32 = ADD32ri"), std::string::npos) << text;
  EXPECT_NE(text.find("%bb.0\t[0B;48B)\n%bb.1\t[48B;128B)\n%bb.2\t[128B;144B)\n%bb.3\t[144B;176B)\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(analyses.CheckCached(), "");
}

TEST(SlotIndexesTest, InstructionsOfABundleShareItsIndex) {
  const auto module = ReadBody(R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    BUNDLE implicit-def %1:b32, implicit %0 {
      %1:b32 = ADD32ri %0, 1
      %2:b32 = ADD32ri internal %1, 1
    }
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  SlotIndexes& indexes = analyses.Get<SlotIndexes>();
  const MachineInstr* bundle = function.front()->front()->next();
  ASSERT_EQ(bundle->opcode(), generic::kBundle);
  EXPECT_EQ(indexes.InstrIndex(*bundle->next()), indexes.InstrIndex(*bundle));
  EXPECT_EQ(indexes.InstrIndex(*bundle->next()->next()), indexes.InstrIndex(*bundle));
  EXPECT_EQ(indexes.InstrAt(indexes.InstrIndex(*bundle)), bundle);
  EXPECT_EQ(indexes.Check(), "");
}

TEST(SlotIndexesTest, DebugInstructionsHaveTheirNeighbors) {
  const auto module = ReadBody(kLoop);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  SlotIndexes& indexes = analyses.Get<SlotIndexes>();
  const MachineInstr* debug = function.block(1)->front()->next();
  ASSERT_TRUE(debug->is_debug());
  EXPECT_FALSE(indexes.HasIndex(*debug));
  EXPECT_EQ(indexes.IndexBefore(*debug), indexes.InstrIndex(*debug->previous()));
  EXPECT_EQ(indexes.IndexAfter(*debug), indexes.InstrIndex(*debug->next()));
  EXPECT_EQ(indexes.IndexBefore(*function.block(1)->front()), indexes.BlockStart(1));
  EXPECT_EQ(indexes.IndexAfter(*function.block(1)->back()), indexes.BlockEnd(1));
}

// Keeps indexes of instructions like LiveIntervals, and translates them.
class Keeper : public SlotRenumberingListener {
 public:
  explicit Keeper(SlotIndexes& indexes) : indexes_(indexes) { indexes.AddListener(*this); }
  ~Keeper() { indexes_.RemoveListener(*this); }
  void OnRenumbering(const SlotRenumbering& renumbering) override {
    for (auto& [instr, index] : kept) index = renumbering.Map(index);
    for (SlotIndex& index : removed) index = renumbering.Map(index);
    for (auto& [block, index] : starts) index = renumbering.Map(index);
  }
  std::map<const MachineInstr*, SlotIndex> kept;
  std::map<const MachineBasicBlock*, SlotIndex> starts;
  std::vector<SlotIndex> removed;  // in order

 private:
  SlotIndexes& indexes_;
};

void ExpectKept(const Keeper& keeper, const SlotIndexes& indexes) {
  for (const auto& [instr, index] : keeper.kept) ASSERT_EQ(index, indexes.InstrIndex(*instr).RegSlot());
  for (const auto& [block, index] : keeper.starts) ASSERT_EQ(index, indexes.BlockStart(*block));
}

TEST(SlotIndexesTest, EditsAtRandomKeepTheOrderAndWhatListenersKeep) {
  std::mt19937 random(3);
  for (uint64_t round = 0; round < testing::NumInputs(20); ++round) {
    const auto module = ReadBody(kLoop);
    MachineFunction& function = OnlyFunction(*module);
    AnalysisManager analyses(function);
    SlotIndexes& indexes = analyses.Get<SlotIndexes>();
    Keeper keeper(indexes);
    std::vector<MachineInstr*> instrs;
    for (MachineBasicBlock& block : function) {
      keeper.starts[&block] = indexes.BlockStart(block);
      for (MachineInstr& instr : block) {
        if (!SlotIndexes::IsIndexed(instr)) continue;
        instrs.push_back(&instr);
        keeper.kept[&instr] = indexes.InstrIndex(instr).RegSlot();
      }
    }
    const bool at_one_place = round % 2 == 0;
    MachineInstr* place = function.block(1)->back();
    for (int edit = 0; edit < 3000; ++edit) {
      MachineInstr* before = at_one_place ? place : instrs[random() % instrs.size()];
      if (random() % 8 == 0 && instrs.size() > 4 && before != place) {
        indexes.RemoveInstr(*before);
        EXPECT_FALSE(indexes.HasIndex(*before));
        keeper.kept.erase(before);
        std::erase(instrs, before);
        before->EraseFromParent();
        continue;
      }
      MachineInstr* added = function.CreateInstr(
          generic::kImplicitDef,
          {MachineOperand::CreateReg(function.reg_info().CreateVirtualRegister(1), MachineOperand::kDefine)});
      before->parent()->Insert(before, added);
      const SlotIndex index = indexes.InsertInstr(*added);
      EXPECT_EQ(indexes.InstrAt(index), added);
      keeper.kept[added] = index.RegSlot();
      instrs.push_back(added);
      if (random() % 3 == 0) place = added;
    }
    ASSERT_EQ(indexes.Check(), "");
    ExpectKept(keeper, indexes);
  }
}

TEST(SlotIndexesTest, IndexesOfRemovedInstructionsStayBetweenTheirNeighbors) {
  const auto module = ReadBody(kLoop);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  SlotIndexes& indexes = analyses.Get<SlotIndexes>();
  Keeper keeper(indexes);
  MachineInstr* add = function.block(1)->front()->next()->next();
  MachineInstr* before = add->previous()->previous();
  MachineInstr* after = add->next();
  keeper.removed.push_back(indexes.InstrIndex(*add).RegSlot());
  indexes.RemoveInstr(*add);
  add->RemoveFromParent();
  for (int i = 0; i < 2000; ++i) {
    MachineInstr* added = function.CreateInstr(generic::kImplicitDef, {});
    function.block(1)->Insert(i % 2 == 0 ? before : after->next(), added);
    indexes.InsertInstr(*added);
    ASSERT_GT(keeper.removed[0], indexes.InstrIndex(*before).DeadSlot());
    ASSERT_LT(keeper.removed[0], indexes.InstrIndex(*after));
  }
  EXPECT_GT(indexes.num_renumbered(), 0u);
  EXPECT_EQ(indexes.Check(), "");
}

TEST(SlotIndexesTest, InsertionsAtOnePlaceAreCheap) {
  const auto module = ReadBody(kLoop);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  SlotIndexes& indexes = analyses.Get<SlotIndexes>();
  constexpr uint64_t kInsertions = 20000;
  MachineInstr* place = function.block(1)->back();
  for (uint64_t i = 0; i < kInsertions; ++i) {
    MachineInstr* added = function.CreateInstr(generic::kImplicitDef, {});
    function.block(1)->Insert(place, added);
    indexes.InsertInstr(*added);
  }
  EXPECT_EQ(indexes.Check(), "");
  EXPECT_LT(indexes.num_renumbered(), 60 * kInsertions);
}

TEST(SlotIndexesTest, SplitBlocksAndReplacedInstructions) {
  const auto module = ReadBody(kLoop);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  SlotIndexes& indexes = analyses.Get<SlotIndexes>();
  MachineInstr* compare = function.block(1)->back()->previous();
  const SlotIndex index = indexes.InstrIndex(*compare);
  MachineBasicBlock* tail = function.SplitBlock(compare);
  indexes.InsertBlock(*tail);
  EXPECT_EQ(indexes.InstrIndex(*compare), index);
  EXPECT_EQ(indexes.Check(), "");
  MachineBasicBlock* empty = function.CreateBlock();
  function.InsertBlock(function.front(), empty);
  indexes.InsertBlock(*empty);
  EXPECT_EQ(indexes.Check(), "");
  MachineInstr* copy = function.CloneInstr(*compare);
  compare->parent()->Insert(compare, copy);
  const SlotIndex now = indexes.InstrIndex(*compare);
  indexes.ReplaceInstr(*compare, *copy);
  compare->EraseFromParent();
  EXPECT_EQ(indexes.InstrIndex(*copy), now);
  EXPECT_EQ(indexes.Check(), "");
  EXPECT_EQ(analyses.CheckCached(), "");
  copy->RemoveFromParent();
  tail->Append(copy);
  EXPECT_NE(analyses.CheckCached(), "");
}

TEST(SlotIndexesTest, GeneratedFunctions) {
  for (const fuzz::FuzzShape shape : {fuzz::FuzzShape::kMixed, fuzz::FuzzShape::kNest}) {
    testing::ForEachGeneratedFunction(shape, 1, shape == fuzz::FuzzShape::kMixed ? 100 : 1,
                                      [](MachineFunction& function, const std::string& where) {
                                        AnalysisManager analyses(function);
                                        EXPECT_EQ(analyses.Get<SlotIndexes>().Check(), "") << where;
                                      });
  }
}

}  // namespace
}  // namespace ptxmir

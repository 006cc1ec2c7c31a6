// SPDX-License-Identifier: Apache-2.0

#include "analysis/analysis_manager.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/mir/code/tiny_target.h"

namespace ptxmir {
namespace {

// Analyses whose result is the number of blocks. They record when they are computed and dropped.
std::vector<std::string>& Events() {
  static auto& events = *new std::vector<std::string>;
  return events;
}

class CountBlocks : public Analysis {
 public:
  CountBlocks(const MachineFunction& function, std::string name)
      : name_(std::move(name)), count_(function.num_blocks()) {
    Events().push_back("compute " + name_);
  }
  ~CountBlocks() override { Events().push_back("drop " + name_); }
  void Print(std::string& out) const override { out += name_ + "\n"; }
  std::string DifferenceFrom(const Analysis& fresh) const override {
    return count_ == static_cast<const CountBlocks&>(fresh).count_ ? "" : "block count differs";
  }
  size_t count() const { return count_; }

 private:
  std::string name_;
  size_t count_;
};

class First : public CountBlocks {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kSlotIndexes;
  First(MachineFunction& function, AnalysisManager&) : CountBlocks(function, "first") {}
};

class Second : public CountBlocks {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kLiveIntervals;
  Second(MachineFunction& function, AnalysisManager& analyses)
      : CountBlocks(function, "second"), first(analyses.Get<First>()) {}
  First& first;
};

class Third : public CountBlocks {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineDominatorTree;
  Third(MachineFunction& function, AnalysisManager&) : CountBlocks(function, "third") {}
};

class AnalysisManagerTest : public ::testing::Test {
 protected:
  AnalysisManagerTest() : function_(nullptr, testing::TinyTarget(), "f", 0) {
    Events().clear();
    function_.InsertBlock(nullptr, function_.CreateBlock());
  }
  MachineFunction function_;
};

TEST_F(AnalysisManagerTest, ComputesOnFirstRequestAndKeeps) {
  AnalysisManager analyses(function_);
  EXPECT_EQ(analyses.GetCached<Third>(), nullptr);
  Third& third = analyses.Get<Third>();
  EXPECT_EQ(&analyses.Get<Third>(), &third);
  EXPECT_EQ(analyses.GetCached<Third>(), &third);
  EXPECT_EQ(analyses.num_computed(), 1);
}

TEST_F(AnalysisManagerTest, InvalidationSparesWhatIsPreserved) {
  AnalysisManager analyses(function_);
  analyses.Get<First>();
  analyses.Get<Third>();
  analyses.Invalidate(PreservedAnalyses::ControlFlow());
  EXPECT_FALSE(analyses.IsCached(First::kKind));
  EXPECT_TRUE(analyses.IsCached(Third::kKind));
  analyses.Invalidate(PreservedAnalyses::All());
  EXPECT_TRUE(analyses.IsCached(Third::kKind));
}

TEST_F(AnalysisManagerTest, DependentsGoBeforeWhatTheyWereComputedFrom) {
  AnalysisManager analyses(function_);
  analyses.Get<Second>();
  Events().clear();
  // Second is preserved by name, but it refers to First.
  analyses.Invalidate(PreservedAnalyses::All().Abandon(First::kKind));
  EXPECT_EQ(Events(), (std::vector<std::string>{"drop second", "drop first"}));
}

TEST_F(AnalysisManagerTest, DependenceIsSeenAlsoWhenTheOtherWasAtHand) {
  AnalysisManager analyses(function_);
  First& first = analyses.Get<First>();
  EXPECT_EQ(&analyses.Get<Second>().first, &first);
  analyses.Invalidate(PreservedAnalyses::None().Preserve(Second::kKind));
  EXPECT_FALSE(analyses.IsCached(Second::kKind));
}

TEST_F(AnalysisManagerTest, CheckNamesTheAnalysisThatNoLongerHolds) {
  AnalysisManager analyses(function_);
  analyses.Get<Third>();
  EXPECT_EQ(analyses.CheckCached(), "");
  function_.InsertBlock(nullptr, function_.CreateBlock());
  EXPECT_EQ(analyses.CheckCached(), "machine-dom-tree: block count differs");
  EXPECT_EQ(analyses.num_computed(), 1);
}

}  // namespace
}  // namespace ptxmir

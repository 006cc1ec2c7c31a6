// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/assignment/reg_alloc_advisors.h"

#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

constexpr char kCode[] = R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    %1:b32 = IMPLICIT_DEF
    %2:b32 = ADD32rr %0, %1
    %3:b32 = ADD32rr %1, %2
    KILL %3
  bb.1:
    KILL %0
    Return
)";

class AdvisorsTest : public ::testing::Test {
 protected:
  AdvisorsTest()
      : module_(ReadBody(kCode)),
        analyses_(OnlyFunction(*module_)),
        intervals_(analyses_.Get<LiveIntervals>()),
        matrix_(analyses_.Get<LiveRegMatrix>()),
        evictions_(analyses_.Get<RegAllocEvictionAdvisor>()),
        priorities_(analyses_.Get<RegAllocPriorityAdvisor>()) {}
  LiveInterval& Interval(uint32_t i) { return intervals_.Interval(Register::Virtual(i)); }
  uint32_t Priority(uint32_t i) { return priorities_.Priority(Interval(i)); }

  std::unique_ptr<Module> module_;
  AnalysisManager analyses_;
  LiveIntervals& intervals_;
  LiveRegMatrix& matrix_;
  RegAllocEvictionAdvisor& evictions_;
  RegAllocPriorityAdvisor& priorities_;
};

TEST_F(AdvisorsTest, DefaultPriorityTakesGlobalRangesFirstAndLocalOnesInOrder) {
  EXPECT_GT(Priority(0), Priority(1));  // across blocks
  EXPECT_GT(Priority(1), Priority(2));
  EXPECT_GT(Priority(2), Priority(3));
  // Bit 31: not deferred; bit 29: global; about 6 instructions of 16 points; 7 instructions and borders to the end.
  EXPECT_EQ(Priority(0) & ~0xffu, 1u << 31 | 1u << 29);
  EXPECT_EQ(Priority(1), 1u << 31 | 7u);
  evictions_.progress().SetStage(Register::Virtual(0), LiveRangeStage::kSplit);
  EXPECT_LT(Priority(0), Priority(3));
  evictions_.progress().SetStage(Register::Virtual(0), LiveRangeStage::kMemory);
  EXPECT_EQ(Priority(0), 0u);
  // With one register, a range of more than two instructions is a giant.
  matrix_.SetLimit(PressureKind::Total(), 1);
  EXPECT_LT(Priority(1), 1u << 31 | 1u << 29);
  matrix_.SetLimit(PressureKind::Total(), 0);
  EXPECT_GT(Priority(1), 1u << 31 | 1u << 29);
}

TEST_F(AdvisorsTest, PoliciesCanBeReplaced) {
  priorities_.SetPolicy(std::make_unique<NumberPriorityPolicy>());
  EXPECT_EQ(Priority(2), ~2u);
  EXPECT_EQ(priorities_.policy().name(), "number");
  std::string text;
  priorities_.Print(text);
  EXPECT_EQ(text.substr(0, text.find("%1")), "Priorities of machine function: f, policy number\n%0: 4294967295\n");
}

TEST_F(AdvisorsTest, TheLightestOfThoseThatAreInTheWayIsEvicted) {
  matrix_.SetLimit(PressureKind::Total(), 2);
  Interval(0).set_weight(1);
  Interval(1).set_weight(2);
  Interval(2).set_weight(3);
  matrix_.Assign(Interval(0));
  matrix_.Assign(Interval(1));
  std::vector<Register> victims;
  EXPECT_TRUE(evictions_.TryEvict(Interval(2), EvictionCost::Max(), victims));
  EXPECT_EQ(victims, (std::vector<Register>{Register::Virtual(0)}));
  EXPECT_FALSE(matrix_.IsAssigned(Register::Virtual(0)));
  EXPECT_EQ(evictions_.progress().Cascade(Register::Virtual(0)), evictions_.progress().Cascade(Register::Virtual(2)));
  matrix_.Assign(Interval(2));
  // The victim must not evict its evictor, even if it has become heavier.
  Interval(0).set_weight(10);
  victims.clear();
  EXPECT_TRUE(evictions_.TryEvict(Interval(0), EvictionCost::Max(), victims));
  EXPECT_EQ(victims, (std::vector<Register>{Register::Virtual(1)}));
  EXPECT_TRUE(matrix_.IsAssigned(Register::Virtual(2)));
}

TEST_F(AdvisorsTest, HeavierOnesStayUnlessTheIntervalCannotBeSpilled) {
  matrix_.SetLimit(PressureKind::Class(ptx::reg_class::kB32), 1);
  Interval(1).set_weight(5);
  Interval(2).set_weight(1);
  matrix_.Assign(Interval(1));
  std::vector<Register> victims;
  EXPECT_FALSE(evictions_.TryEvict(Interval(2), EvictionCost::Max(), victims));
  EXPECT_TRUE(victims.empty());
  EXPECT_TRUE(matrix_.IsAssigned(Register::Virtual(1)));
  EXPECT_EQ(evictions_.progress().Cascade(Register::Virtual(2)), AllocationProgress::kNoCascade);
  Interval(2).MarkUnspillable();
  EXPECT_FALSE(evictions_.TryEvict(Interval(2), {0, 5}, victims));  // too expensive
  EXPECT_TRUE(evictions_.TryEvict(Interval(2), EvictionCost::Max(), victims));
  EXPECT_EQ(victims, (std::vector<Register>{Register::Virtual(1)}));
  matrix_.Assign(Interval(2));
  evictions_.progress().SetStage(Register::Virtual(2), LiveRangeStage::kDone);
  Interval(1).MarkUnspillable();
  EXPECT_FALSE(evictions_.TryEvict(Interval(1), EvictionCost::Max(), victims));
  EXPECT_EQ(analyses_.CheckCached(), "");
}

// An allocator with only these two parts terminates and never exceeds a limit.
TEST(AdvisorsFuzzTest, AllocationByEvictionEndsWithinTheLimits) {
  std::mt19937 random(1);
  size_t evictions = 0;
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 1, 60, [&](MachineFunction& function, const std::string& where) {
        AnalysisManager analyses(function);
        LiveIntervals& intervals = analyses.Get<LiveIntervals>();
        LiveRegMatrix& matrix = analyses.Get<LiveRegMatrix>();
        RegAllocEvictionAdvisor& advisor = analyses.Get<RegAllocEvictionAdvisor>();
        const RegAllocPriorityAdvisor& priorities = analyses.Get<RegAllocPriorityAdvisor>();
        matrix.SetLimit(PressureKind::Total(), 4 + static_cast<int32_t>(random() % 30));
        matrix.SetLimit(PressureKind::Class(ptx::reg_class::kB1), 1 + static_cast<int32_t>(random() % 3));
        std::priority_queue<std::pair<uint32_t, uint32_t>> queue;
        const auto enqueue = [&](Register reg) {
          queue.push({priorities.Priority(intervals.Interval(reg)), ~reg.virtual_index()});
        };
        for (uint32_t i = 0; i < intervals.num_intervals(); ++i) {
          LiveInterval& interval = intervals.Interval(Register::Virtual(i));
          interval.set_weight(static_cast<float>(random() % 1000));
          enqueue(interval.reg());
        }
        size_t spilled = 0;
        size_t rounds = 0;
        while (!queue.empty()) {
          const Register reg = Register::Virtual(~queue.top().second);
          queue.pop();
          ASSERT_LT(++rounds, 1000u * intervals.num_intervals()) << where;
          std::vector<Register> victims;
          advisor.progress().SetStageIfNew(reg, LiveRangeStage::kAssign);
          const LiveInterval& interval = intervals.Interval(reg);
          if (!advisor.TryEvict(interval, EvictionCost::Max(), victims)) {
            ++spilled;
            continue;
          }
          for (const Register victim : victims) {
            ASSERT_LT(intervals.Interval(victim).weight(), interval.weight()) << where;
            enqueue(victim);
          }
          evictions += victims.size();
          matrix.Assign(interval);
        }
        ASSERT_FALSE(matrix.FindExcess().has_value()) << where;
        ASSERT_EQ(matrix.num_assigned() + spilled, intervals.num_intervals()) << where;
        ASSERT_EQ(matrix.DifferenceFrom(matrix), "") << where;
      });
  EXPECT_GT(evictions, 1000u);
}

}  // namespace
}  // namespace ptxmir

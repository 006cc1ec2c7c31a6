// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/schedule_dag_sdnodes.h"

#include <algorithm>
#include <random>
#include <vector>

#include "sdag/emit/list_scheduler.h"
#include "tests/sdag/emit/emit_fixture.h"

namespace ptxmir::sdag {
namespace {

class ScheduleTest : public EmitTest {
 protected:
  // Makes a complete tree of additions over loads, which come first in the program.
  SDValue Tree(const std::vector<SDValue>& leaves, size_t first, size_t size) {
    if (size == 1) return leaves[first];
    return Add(Tree(leaves, first, size / 2), Tree(leaves, first + size / 2, size / 2), {.order = ++order_});
  }
  SDValue Load(int64_t offset, SDValue chain) {
    const SDValue base = dag_->GetExternalSymbol("k_param_0", MVT::kI64, true);
    return Node(op::LD_i32, {MVT::kI32, MVT::kOther},
                {Imm(0), Imm(0), Imm(101), Imm(3), Imm(32), Imm(-1), base, Imm(offset), chain}, {.order = ++order_});
  }

  // Checks that operands come before their users.
  void ExpectLegal(const ScheduleDAGSDNodes& schedule, const std::vector<uint32_t>& order) {
    ASSERT_EQ(order.size(), schedule.units().size());
    std::vector<size_t> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (uint32_t i = 0; i < order.size(); ++i) {
      for (const SUnit::Dep& pred : schedule.units()[i].preds) EXPECT_LT(place[pred.unit], place[i]);
    }
  }
  uint32_t order_ = 0;
};

TEST_F(ScheduleTest, TheTableIsInOrder) {
  for (size_t i = 0; i < DagSchedulers().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(DagSchedulers()[i].scheduler), i);
    EXPECT_EQ(FindDagScheduler(DagSchedulers()[i].name), &DagSchedulers()[i]);
  }
  EXPECT_EQ(FindDagScheduler("nonsense"), nullptr);
}

TEST_F(ScheduleTest, KnobsChoose) {
  Knobs knobs;
  EXPECT_EQ(DagSchedulerFor(knobs), DagScheduler::kSource);
  ASSERT_TRUE(knobs.Set("nvptx-sched4reg", "true", KnobOrigin::kApi).ok());
  EXPECT_EQ(DagSchedulerFor(knobs), DagScheduler::kRegisterPressure);
  ASSERT_TRUE(knobs.Set("scheduling-mode", "simple", KnobOrigin::kApi).ok());
  EXPECT_EQ(DagSchedulerFor(knobs), DagScheduler::kSource);
}

TEST_F(ScheduleTest, GluedNodesAreOneUnitAndLeavesAreNone) {
  const SDValue a = Live(), b = Live();
  const SDValue low = Node(op::ADDCCi32rr, {MVT::kI32, MVT::kGlue}, {a, b});
  const SDValue high = Node(op::ADDCCCi32rr, {MVT::kI32}, {a, b, low.Result(1)});
  Export(high);
  Export(low);
  const ScheduleDAGSDNodes schedule(*dag_);
  ASSERT_TRUE(schedule.status().ok());
  EXPECT_EQ(schedule.UnitOf(*low.node()), schedule.UnitOf(*high.node()));
  EXPECT_EQ(schedule.units()[schedule.UnitOf(*low.node())].nodes.size(), 2u);
  EXPECT_EQ(schedule.UnitOf(*dag_->EntryToken().node()), ScheduleDAGSDNodes::kNoUnit);
  EXPECT_EQ(schedule.UnitOf(*a.operand(1).node()), ScheduleDAGSDNodes::kNoUnit);
  for (const DagSchedulerInfo& info : DagSchedulers()) ExpectLegal(schedule, schedule.Schedule(info.scheduler));
}

TEST_F(ScheduleTest, WhatTheRootDoesNotNeedIsInNoUnit) {
  const SDValue a = Live();
  const SDValue dead = Add(a, a);
  Export(a);
  EXPECT_EQ(ScheduleDAGSDNodes(*dag_).UnitOf(*dead.node()), ScheduleDAGSDNodes::kNoUnit);
  EXPECT_NE(ScheduleDAGSDNodes(*dag_, /*keep_dead=*/true).UnitOf(*dead.node()), ScheduleDAGSDNodes::kNoUnit);
}

TEST_F(ScheduleTest, ANodeBetweenGluedOnesHasNoPlace) {
  const SDValue a = Live();
  const SDValue low = Node(op::ADDCCi32rr, {MVT::kI32, MVT::kGlue}, {a, a});
  const SDValue between = Add(low, a);
  Export(Node(op::ADDCCCi32rr, {MVT::kI32}, {between, a, low.Result(1)}));
  EXPECT_FALSE(ScheduleDAGSDNodes(*dag_).status().ok());
  EXPECT_NE(ErrorOf().find("glued"), std::string::npos);
}

TEST_F(ScheduleTest, SourceOrderIsTheProgramsWhateverTheOrderOfNodes) {
  const SDValue a = Live();
  const SDValue second = Node(op::ADD32ri, {MVT::kI32}, {a, Imm(2)}, {.order = 20});
  const SDValue first = Node(op::ADD32ri, {MVT::kI32}, {a, Imm(1)}, {.order = 10});
  const SDValue chains[] = {dag_->GetCopyToReg({.order = 30}, dag_->root(), NewRegister(), second),
                            dag_->GetCopyToReg({.order = 30}, dag_->root(), NewRegister(), first)};
  dag_->SetRoot(dag_->GetTokenFactor({}, chains));
  const ScheduleDAGSDNodes schedule(*dag_);
  const std::vector<uint32_t> order = schedule.Schedule(DagScheduler::kSource);
  ExpectLegal(schedule, order);
  const auto place = [&](SDValue value) {
    return std::find(order.begin(), order.end(), schedule.UnitOf(*value.node())) - order.begin();
  };
  EXPECT_LT(place(first), place(second));
}

TEST_F(ScheduleTest, SortingGivesTheOrderOfTheListScheduler) {
  std::mt19937 random(7);
  const auto below = [&](size_t bound) { return static_cast<uint32_t>(random() % bound); };
  for (int round = 0; round < 200; ++round) {
    dag_->Clear();
    const uint32_t without_position = below(3);  // how many of four nodes
    std::vector<SDValue> values = {Live(), Live()};
    std::vector<SDValue> chains;
    for (uint32_t i = 0; i < 2 + below(40); ++i) {
      // Mostly in the order of the program, as front ends make nodes.
      const uint32_t place = below(4) < without_position ? 0 : 100 + i + (below(8) == 0 ? below(60) : 0);
      values.push_back(Node(op::ADD32ri, {MVT::kI32}, {values[below(values.size())], Imm(i)}, {.order = place}));
      if (below(3) == 0) {
        chains.push_back(dag_->GetCopyToReg({.order = place}, dag_->EntryToken(), NewRegister(), values.back()));
      }
    }
    chains.push_back(dag_->GetCopyToReg({}, dag_->EntryToken(), NewRegister(), values.back()));
    dag_->SetRoot(dag_->GetTokenFactor({}, chains));
    const ScheduleDAGSDNodes schedule(*dag_);
    ASSERT_TRUE(schedule.status().ok());
    EXPECT_EQ(schedule.Schedule(DagScheduler::kSource), ScheduleList(schedule.units(), DagScheduler::kSource)) << round;
  }
}

TEST_F(ScheduleTest, TreesTakeTheFewestRegisters) {
  std::vector<SDValue> leaves;
  for (int i = 0; i < 32; ++i) leaves.push_back(Load(4 * i, dag_->EntryToken()));
  Export(Tree(leaves, 0, 32));
  const ScheduleDAGSDNodes schedule(*dag_);
  const std::vector<uint32_t> source = schedule.Schedule(DagScheduler::kSource);
  const std::vector<uint32_t> few = schedule.Schedule(DagScheduler::kRegisterPressure);
  ExpectLegal(schedule, source);
  ExpectLegal(schedule, few);
  EXPECT_GE(schedule.PressureOf(source), 32u);  // all loads first
  EXPECT_EQ(schedule.PressureOf(few), 6u);      // Sethi and Ullman: log2(32) + 1
}

TEST_F(ScheduleTest, StoresInAChainDoNotKeepAllTheirValues) {
  SDValue chain = dag_->EntryToken();
  std::vector<SDValue> sums;
  for (int i = 0; i < 16; ++i) {
    sums.push_back(Add(Load(8 * i, dag_->EntryToken()), Load(8 * i + 4, dag_->EntryToken()), {.order = ++order_}));
  }
  const SDValue base = dag_->GetExternalSymbol("k_param_0", MVT::kI64, true);
  for (const SDValue sum : sums) {
    chain = Node(op::ST_i32, {MVT::kOther}, {sum, Imm(0), Imm(0), Imm(1), Imm(32), base, Imm(0), chain},
                 {.order = ++order_});
  }
  dag_->SetRoot(chain);
  const ScheduleDAGSDNodes schedule(*dag_);
  EXPECT_GE(schedule.PressureOf(schedule.Schedule(DagScheduler::kSource)), 16u);
  EXPECT_EQ(schedule.PressureOf(schedule.Schedule(DagScheduler::kRegisterPressure)), 2u);
}

TEST_F(ScheduleTest, LongLatenciesComeFirst) {
  const SDValue a = Live();
  SDValue quick = a;
  for (int i = 1; i < 5; ++i) quick = Node(op::ADD32ri, {MVT::kI32}, {quick, Imm(i)}, {.order = ++order_});
  const SDValue base = dag_->GetExternalSymbol("k_param_0", MVT::kI64, true);
  const SDValue slow =
      Node(op::LD_i32, {MVT::kI32, MVT::kOther},
           {Imm(0), Imm(0), Imm(1), Imm(3), Imm(32), Imm(-1), base, Imm(0), dag_->EntryToken()}, {.order = ++order_});
  Export(Add(quick, slow, {.order = ++order_}));
  const ScheduleDAGSDNodes schedule(*dag_);
  const auto place = [&](DagScheduler scheduler, SDValue value) {
    const std::vector<uint32_t> order = schedule.Schedule(scheduler);
    ExpectLegal(schedule, order);
    return std::find(order.begin(), order.end(), schedule.UnitOf(*value.node())) - order.begin();
  };
  EXPECT_LT(place(DagScheduler::kSource, quick), place(DagScheduler::kSource, slow));
  EXPECT_GT(place(DagScheduler::kLatency, quick), place(DagScheduler::kLatency, slow));
}

TEST_F(ScheduleTest, TerminatorsAreLast) {
  MachineBasicBlock* target = function_->CreateBlock();
  function_->InsertBlock(nullptr, target);
  const SDValue branch = Node(op::GOTO, {MVT::kOther}, {dag_->GetBasicBlock(target->number()), dag_->EntryToken()});
  const SDValue copy = dag_->GetCopyToReg({.order = 5}, dag_->EntryToken(), NewRegister(), Live());
  const SDValue chains[] = {branch, copy};
  dag_->SetRoot(dag_->GetTokenFactor({}, chains));
  const ScheduleDAGSDNodes schedule(*dag_);
  for (const DagSchedulerInfo& info : DagSchedulers()) {
    const std::vector<uint32_t> order = schedule.Schedule(info.scheduler);
    const auto place = [&](SDValue value) {
      return std::find(order.begin(), order.end(), schedule.UnitOf(*value.node())) - order.begin();
    };
    EXPECT_GT(place(branch), place(copy)) << info.name;
  }
}

}  // namespace
}  // namespace ptxmir::sdag

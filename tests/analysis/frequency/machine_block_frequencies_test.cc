// SPDX-License-Identifier: Apache-2.0

// Branch probabilities and block frequencies: worked examples, and the flow equations where they hold exactly.
// llc_parity_test checks that the numbers are exactly llc's, also for irreducible cycles.

#include "analysis/frequency/machine_block_frequencies.h"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "gtest/gtest.h"
#include "tests/analysis/graph_fixture.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

constexpr uint32_t kOne = BranchProbability::kDenominator;

void GiveProbabilities(std::mt19937& random, MachineFunction& function) {
  for (MachineBasicBlock& block : function) {
    uint32_t rest = kOne;
    for (size_t i = 0; i < block.successors().size(); ++i) {
      // Avoid probabilities so small that a loop runs a million times.
      const uint32_t part = i + 1 == block.successors().size() ? rest : rest / 16 * (1 + random() % 15);
      block.SetSuccessorProbability(i, BranchProbability(part));
      rest -= part;
    }
  }
}

TEST(MachineBranchProbabilitiesTest, UnknownOnesShareWhatIsLeft) {
  const auto function = testing::MakeGraph(6, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {1, 5}, {1, 2}});
  function->front()->SetSuccessorProbability(0, BranchProbability(kOne / 2));
  AnalysisManager analyses(*function);
  const auto& probabilities = analyses.Get<MachineBranchProbabilities>();
  EXPECT_FALSE(probabilities.is_estimated());
  std::string text;
  probabilities.Print(text);
  EXPECT_EQ(text,
            "  edge %bb.0 -> %bb.1 probability is 0x40000000 / 0x80000000 = 50.00%\n"
            "  edge %bb.0 -> %bb.2 probability is 0x20000000 / 0x80000000 = 25.00%\n"
            "  edge %bb.0 -> %bb.3 probability is 0x20000000 / 0x80000000 = 25.00%\n"
            "  edge %bb.1 -> %bb.4 probability is 0x2aaaaaab / 0x80000000 = 33.33%\n"
            "  edge %bb.1 -> %bb.5 probability is 0x2aaaaaab / 0x80000000 = 33.33%\n"
            "  edge %bb.1 -> %bb.2 probability is 0x2aaaaaab / 0x80000000 = 33.33%\n");
  EXPECT_EQ(probabilities.Probability(*function->block(0), *function->block(4)).numerator(), 0u);
}

TEST(MachineBranchProbabilitiesTest, EstimatesWhereNothingIsKnown) {
  // A loop of bb.1 and bb.2 that is left from both; bb.2 may trap as well.
  const auto module = testing::ReadBody(
      "  bb.0:\n"
      "    successors: %bb.1\n"
      "  bb.1:\n"
      "    successors: %bb.2, %bb.3\n"
      "  bb.2:\n"
      "    successors: %bb.1, %bb.3, %bb.4\n"
      "  bb.3:\n"
      "    Return\n"
      "  bb.4:\n"
      "    trapexitinst\n");
  ASSERT_NE(module, nullptr);
  MachineFunction& function = testing::OnlyFunction(*module);
  for (MachineBasicBlock& block : function) {
    for (size_t i = 0; i < block.successors().size(); ++i) {
      block.SetSuccessorProbability(i, BranchProbability::Unknown());
    }
  }
  AnalysisManager analyses(function);
  const auto& probabilities = analyses.Get<MachineBranchProbabilities>();
  EXPECT_TRUE(probabilities.is_estimated());
  std::vector<BranchProbability> all;
  probabilities.GetProbabilities(*function.block(1), all);
  EXPECT_EQ(all[0].numerator(), kOne / 128 * 124);
  EXPECT_EQ(all[1].numerator(), kOne / 128 * 4);
  EXPECT_EQ(probabilities.HotSuccessor(*function.block(1)), function.block(2));
  probabilities.GetProbabilities(*function.block(2), all);
  EXPECT_EQ(all[2].numerator(), kOne >> 20);
  EXPECT_EQ(all[1].numerator(), (kOne - (kOne >> 20)) / 128 * 4);
  EXPECT_EQ(uint64_t{all[0].numerator()} + all[1].numerator() + all[2].numerator(), kOne);
  // The block before the loop is in no loop.
  EXPECT_EQ(probabilities.Probability(*function.block(0), 0), BranchProbability::One());
}

TEST(MachineBlockFrequenciesTest, LoopsInALoop) {
  // An outer loop 1..4 of 10 iterations. In it, a loop 2 of 4 iterations under a condition of probability 1/2.
  const auto function = testing::MakeGraph(6, {{0, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 4}, {4, 1}, {4, 5}});
  const auto set = [&](BlockNumber block, std::vector<uint32_t> numerators) {
    for (size_t i = 0; i < numerators.size(); ++i) {
      function->block(block)->SetSuccessorProbability(i, BranchProbability(numerators[i]));
    }
  };
  set(1, {kOne / 2, kOne / 2});
  set(2, {kOne / 4 * 3, kOne / 4});
  set(4, {kOne / 16 * 15, kOne / 16});
  AnalysisManager analyses(*function);
  auto& frequencies = analyses.Get<MachineBlockFrequencies>();
  std::string text;
  frequencies.Print(text);
  EXPECT_EQ(text,
            "block-frequency-info: graph\n"
            " - BB0: float = 1.0, int = 562949953421312\n"
            " - BB1: float = 16.0, int = 9007199254740992\n"
            " - BB2: float = 32.0, int = 18014398509481984\n"
            " - BB3: float = 16.0, int = 9007199254740992\n"
            " - BB4: float = 16.0, int = 9007199254740992\n"
            " - BB5: float = 1.0, int = 562949953421312\n");
  EXPECT_EQ(frequencies.Executions(*function->block(2), 100), 3200u);
  EXPECT_EQ(frequencies.EdgeFrequency(*function->block(2), 1), frequencies.Frequency(*function->block(2)) / 4);
  // Split an edge with a block.
  const uint64_t edge_frequency = frequencies.EdgeFrequency(*function->block(1), 0);
  MachineBasicBlock* middle = function->CreateBlock();
  function->InsertBlock(nullptr, middle);
  function->block(1)->RetargetSuccessor(function->block(2), middle);
  middle->AddSuccessor(function->block(2));
  frequencies.AddMiddleOfEdge(*middle, edge_frequency);
  AnalysisManager fresh(*function);
  EXPECT_EQ(frequencies.DifferenceFrom(fresh.Get<MachineBlockFrequencies>()), "");
  frequencies.SetFrequency(*middle, 1);
  EXPECT_EQ(frequencies.DifferenceFrom(fresh.Get<MachineBlockFrequencies>()),
            "%bb.6 is executed 0 times in 1048576; recomputed, 8388608 times");
}

TEST(MachineBlockFrequenciesTest, EndlessLoopsAndUnreachableBlocks) {
  const auto function = testing::MakeGraph(4, {{0, 1}, {1, 1}, {2, 3}});
  AnalysisManager analyses(*function);
  const auto& frequencies = analyses.Get<MachineBlockFrequencies>();
  EXPECT_EQ(frequencies.Executions(*function->block(1), 1), 4096u);
  EXPECT_EQ(frequencies.Frequency(*function->block(2)), 0u);
  EXPECT_EQ(frequencies.Frequency(*function->block(3)), 0u);
}

// If all cycles are natural loops that terminate, the frequency of a block is the sum of its incoming edges'
// frequencies.
void ExpectFlowIsConserved(MachineFunction& function) {
  // Here the entry is executed more than once.
  if (!function.front()->predecessors().empty()) return;
  AnalysisManager analyses(function);
  const auto& cycles = analyses.Get<MachineCycles>();
  for (CycleId cycle = 0; cycle < cycles.num_cycles(); ++cycle) {
    if (!cycles.IsReducible(cycle) || cycles.ExitingBlocks(cycle).empty()) return;
  }
  const auto& frequencies = analyses.Get<MachineBlockFrequencies>();
  const auto& probabilities = analyses.Get<MachineBranchProbabilities>();
  const double entry = static_cast<double>(frequencies.EntryFrequency());
  std::vector<double> inflow(function.block_number_bound());
  inflow[function.front()->number()] = 1;
  for (const MachineBasicBlock& block : function) {
    for (size_t i = 0; i < block.successors().size(); ++i) {
      inflow[block.successors()[i]->number()] += static_cast<double>(frequencies.Frequency(block)) / entry *
                                                 probabilities.Probability(block, i).numerator() / kOne;
    }
  }
  for (const MachineBasicBlock& block : function) {
    const double frequency = static_cast<double>(frequencies.Frequency(block)) / entry;
    ASSERT_NEAR(inflow[block.number()], frequency, 1e-4 * frequency + 1e-6) << block.number();
  }
}

TEST(MachineBlockFrequenciesTest, FlowIsConserved) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const auto function = testing::MakeRandomGraph(random, 16);
    GiveProbabilities(random, *function);
    ASSERT_NO_FATAL_FAILURE(ExpectFlowIsConserved(*function)) << "round " << round;
  }
}

TEST(MachineBlockFrequenciesTest, DeepNestsSaturate) {
  constexpr uint32_t kDepth = 3000;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i + 1 < 2 * kDepth; ++i) edges.emplace_back(i, i + 1);
  for (uint32_t i = 1; i < kDepth; ++i) edges.emplace_back(2 * kDepth - 1 - i, i);
  const auto function = testing::MakeGraph(2 * kDepth, edges);
  AnalysisManager analyses(*function);
  const auto& frequencies = analyses.Get<MachineBlockFrequencies>();
  EXPECT_EQ(frequencies.EntryFrequency(), 1u);
  EXPECT_EQ(frequencies.Frequency(*function->block(kDepth - 1)), uint64_t{1} << 54);
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// Loops and cycles against their definitions.

#include "analysis/control_flow/machine_loops.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"
#include "gtest/gtest.h"
#include "tests/analysis/graph_fixture.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

namespace reference {

using Blocks = std::set<BlockNumber>;

struct Cycle {
  BlockNumber header;
  Blocks entries, blocks;
};

// Returns the blocks of `within` from which `to` can be reached without leaving `within`. `to` itself counts.
Blocks Reaching(const MachineFunction& function, BlockNumber to, const Blocks& within) {
  Blocks result = {to};
  std::vector<BlockNumber> stack = {to};
  while (!stack.empty()) {
    const MachineBasicBlock* block = function.block(stack.back());
    stack.pop_back();
    for (const MachineBasicBlock* predecessor : block->predecessors()) {
      if (within.count(predecessor->number()) != 0 && result.insert(predecessor->number()).second) {
        stack.push_back(predecessor->number());
      }
    }
  }
  return result;
}

Blocks Reachable(const MachineFunction& function, BlockNumber from, const Blocks& within) {
  Blocks result = {from};
  std::vector<BlockNumber> stack = {from};
  while (!stack.empty()) {
    const MachineBasicBlock* block = function.block(stack.back());
    stack.pop_back();
    for (const MachineBasicBlock* successor : block->successors()) {
      if (within.count(successor->number()) != 0 && result.insert(successor->number()).second) {
        stack.push_back(successor->number());
      }
    }
  }
  return result;
}

Blocks AllBlocks(const MachineFunction& function) {
  Blocks all;
  for (const MachineBasicBlock& block : function) all.insert(block.number());
  return Reachable(function, function.front()->number(), all);
}

// Returns the blocks of each natural loop, by header.
std::map<BlockNumber, Blocks> NaturalLoops(const MachineFunction& function) {
  std::map<BlockNumber, Blocks> loops;
  const MachineDominatorTree dominators(function);
  const Blocks all = AllBlocks(function);
  for (const BlockNumber number : all) {
    for (const MachineBasicBlock* header : function.block(number)->successors()) {
      if (!dominators.Dominates(*header, *function.block(number))) continue;
      loops[header->number()].insert(header->number());
      if (header->number() == number) continue;
      Blocks others = all;
      others.erase(header->number());
      const Blocks body = Reaching(function, number, others);
      loops[header->number()].insert(body.begin(), body.end());
    }
  }
  return loops;
}

// Finds cycles by definition: strongly connected components, and then those of each component without its header.
void AddCycles(const MachineFunction& function, const DepthFirstOrder& order, Blocks within,
               std::vector<Cycle>& cycles) {
  while (!within.empty()) {
    const BlockNumber start = *within.begin();
    const Blocks reaching = Reaching(function, start, within);
    Blocks component;
    for (const BlockNumber block : Reachable(function, start, within)) {
      if (reaching.count(block) != 0) component.insert(block);
    }
    for (const BlockNumber block : component) within.erase(block);
    if (component.size() == 1 && !function.block(start)->IsSuccessor(function.block(start))) continue;
    const auto is_before = [&](BlockNumber a, BlockNumber b) {
      return order.preorder_number[a] < order.preorder_number[b];
    };
    Cycle cycle{*std::min_element(component.begin(), component.end(), is_before), {}, component};
    for (const BlockNumber block : component) {
      for (const MachineBasicBlock* predecessor : function.block(block)->predecessors()) {
        if (component.count(predecessor->number()) == 0 && order.IsReached(predecessor->number())) {
          cycle.entries.insert(block);
        }
      }
    }
    cycle.entries.insert(cycle.header);
    component.erase(cycle.header);
    cycles.push_back(cycle);
    AddCycles(function, order, component, cycles);
  }
}

}  // namespace reference

// Checks the conditions that the queries satisfy for any cycles.
void ExpectConsistent(const MachineFunction& function, const CycleForest& forest) {
  for (CycleId cycle = 0; cycle < forest.num_cycles(); ++cycle) {
    ASSERT_EQ(forest.Header(cycle), forest.Blocks(cycle).front());
    ASSERT_EQ(forest.Depth(*forest.Header(cycle)), forest.Depth(cycle));
    reference::Blocks blocks;
    for (const MachineBasicBlock* block : forest.Blocks(cycle)) blocks.insert(block->number());
    ASSERT_EQ(blocks.size(), forest.Blocks(cycle).size());
    reference::Blocks exiting, exits, latches, outer_predecessors;
    for (const MachineBasicBlock& block : function) {
      const bool is_inside = blocks.count(block.number()) != 0;
      ASSERT_EQ(forest.Contains(cycle, block), is_inside);
      for (const MachineBasicBlock* successor : block.successors()) {
        if (is_inside && blocks.count(successor->number()) == 0) {
          exiting.insert(block.number());
          exits.insert(successor->number());
        }
        if (is_inside && successor == forest.Header(cycle)) latches.insert(block.number());
        if (!is_inside && successor == forest.Header(cycle)) outer_predecessors.insert(block.number());
      }
    }
    const auto numbers = [](const std::vector<MachineBasicBlock*>& list) {
      reference::Blocks set;
      for (const MachineBasicBlock* block : list) EXPECT_TRUE(set.insert(block->number()).second);
      return set;
    };
    ASSERT_EQ(numbers(forest.ExitingBlocks(cycle)), exiting);
    ASSERT_EQ(numbers(forest.ExitBlocks(cycle)), exits);
    ASSERT_EQ(numbers(forest.Latches(cycle)), latches);
    ASSERT_EQ(forest.UniqueLatch(cycle) != nullptr, latches.size() == 1);
    const MachineBasicBlock* preheader = forest.Preheader(cycle);
    if (preheader != nullptr) {
      ASSERT_EQ(outer_predecessors, reference::Blocks{preheader->number()});
      ASSERT_EQ(preheader->successors().size(), 1u);
    } else if (forest.IsReducible(cycle) && outer_predecessors.size() == 1) {
      ASSERT_GT(function.block(*outer_predecessors.begin())->successors().size(), 1u);
    }
  }
}

void ExpectMatchesDefinition(const MachineFunction& function) {
  const MachineDominatorTree dominators(function);
  const MachineLoops loops(function, dominators);
  ASSERT_NO_FATAL_FAILURE(ExpectConsistent(function, loops));
  const auto wanted_loops = reference::NaturalLoops(function);
  ASSERT_EQ(loops.num_cycles(), wanted_loops.size());
  std::vector<uint32_t> depth(function.block_number_bound());
  for (CycleId loop = 0; loop < loops.num_cycles(); ++loop) {
    reference::Blocks blocks;
    for (const MachineBasicBlock* block : loops.Blocks(loop)) blocks.insert(block->number());
    ASSERT_EQ(blocks, wanted_loops.at(loops.Header(loop)->number()));
    for (const BlockNumber block : blocks) ++depth[block];
    ASSERT_TRUE(loops.IsHeader(*loops.Header(loop)));
  }
  for (const MachineBasicBlock& block : function) ASSERT_EQ(loops.Depth(block), depth[block.number()]);

  const MachineCycles cycles(function);
  ASSERT_NO_FATAL_FAILURE(ExpectConsistent(function, cycles));
  std::vector<reference::Cycle> wanted_cycles;
  reference::AddCycles(function, DepthFirstOrder(function, SuccessorOrder::kLastToFirst),
                       reference::AllBlocks(function), wanted_cycles);
  ASSERT_EQ(cycles.num_cycles(), wanted_cycles.size());
  std::map<BlockNumber, reference::Cycle> by_header;
  for (const reference::Cycle& cycle : wanted_cycles) by_header[cycle.header] = cycle;
  for (CycleId cycle = 0; cycle < cycles.num_cycles(); ++cycle) {
    reference::Blocks blocks, entries;
    for (const MachineBasicBlock* block : cycles.Blocks(cycle)) blocks.insert(block->number());
    for (const MachineBasicBlock* entry : cycles.Entries(cycle)) entries.insert(entry->number());
    const reference::Cycle& wanted = by_header.at(cycles.Header(cycle)->number());
    ASSERT_EQ(blocks, wanted.blocks);
    ASSERT_EQ(entries, wanted.entries);
    const CycleId parent = cycles.Parent(cycle);
    for (CycleId other = 0; other < cycles.num_cycles(); ++other) {
      const bool is_around =
          other != cycle && by_header.at(cycles.Header(other)->number()).blocks.count(wanted.header) != 0;
      ASSERT_EQ(other != cycle && cycles.Contains(other, cycle), is_around);
      if (is_around) {
        ASSERT_TRUE(cycles.Contains(other, parent));
        ASSERT_EQ(cycles.CommonCycle(other, cycle), other);
      }
    }
  }
}

TEST(MachineLoopsTest, RandomGraphsMatchTheDefinitions) {
  std::mt19937 random(1);
  for (int round = 0; round < 1500; ++round) {
    const auto function = testing::MakeRandomGraph(random, 18);
    ASSERT_NO_FATAL_FAILURE(ExpectMatchesDefinition(*function)) << "round " << round;
  }
}

TEST(MachineLoopsTest, GeneratedFunctionsMatchTheDefinitions) {
  const auto check = [&](MachineFunction& function, const std::string& where) {
    if (function.num_blocks() > 120) return;
    ASSERT_NO_FATAL_FAILURE(ExpectMatchesDefinition(function)) << where;
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 900, 40, check);
}

TEST(MachineLoopsTest, PrintsWhatLlvmPrints) {
  // An outer loop 1..5 with an inner one 2..3, and a loop 6, 7 with both blocks as entries.
  const auto function = testing::MakeGraph(
      9, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 5}, {5, 1}, {5, 6}, {4, 7}, {6, 7}, {7, 6}, {7, 8}});
  AnalysisManager analyses(*function);
  std::string text;
  analyses.Get<MachineLoops>().Print(text);
  EXPECT_EQ(text,
            "Loop at depth 1 containing: %bb.1<header>,%bb.2,%bb.3,%bb.4<exiting>,%bb.5<latch><exiting>\n"
            "    Loop at depth 2 containing: %bb.2<header>,%bb.3<latch><exiting>\n");
  text.clear();
  analyses.Get<MachineCycles>().Print(text);
  EXPECT_EQ(text,
            "    depth=1: entries(%bb.1) %bb.2 %bb.3 %bb.4 %bb.5\n"
            "        depth=2: entries(%bb.2) %bb.3\n"
            "    depth=1: entries(%bb.7 %bb.6)\n");
}

TEST(MachineLoopsTest, FollowsNewBlocks) {
  const auto function = testing::MakeGraph(4, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {0, 2}});
  // There is no natural loop, but a cycle.
  AnalysisManager analyses(*function);
  EXPECT_EQ(analyses.Get<MachineLoops>().num_cycles(), 0u);
  function->block(0)->RemoveSuccessor(function->block(2));
  analyses.Clear();
  MachineLoops& loops = analyses.Get<MachineLoops>();
  MachineCycles& cycles = analyses.Get<MachineCycles>();
  EXPECT_EQ(loops.Preheader(0), function->block(0));
  // A block in the middle of the edge 1 -> 2, and a block that is in no loop.
  MachineBasicBlock* middle = function->CreateBlock();
  function->InsertBlock(nullptr, middle);
  function->block(1)->RetargetSuccessor(function->block(2), middle);
  middle->AddSuccessor(function->block(2));
  EXPECT_EQ(loops.DifferenceFrom(MachineLoops(*function, MachineDominatorTree(*function))),
            "%bb.4 is in no loop; recomputed it is in the loop of %bb.1 at depth 1");
  loops.AddBlock(*middle, 0);
  cycles.AddBlock(*middle, 0);
  EXPECT_EQ(loops.Blocks(0).size(), 3u);
  EXPECT_EQ(loops.DifferenceFrom(MachineLoops(*function, MachineDominatorTree(*function))), "");
  EXPECT_EQ(cycles.DifferenceFrom(MachineCycles(*function)), "");
}

TEST(MachineLoopsTest, DeepNestsAndLongChainsAreNearLinear) {
  // Each of the blocks 1..n begins a loop that its partner ends.
  constexpr uint32_t kDepth = 100000;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i + 1 < 2 * kDepth; ++i) edges.emplace_back(i, i + 1);
  for (uint32_t i = 1; i < kDepth; ++i) edges.emplace_back(2 * kDepth - 1 - i, i);
  const auto function = testing::MakeGraph(2 * kDepth, edges);
  AnalysisManager analyses(*function);
  EXPECT_EQ(analyses.Get<MachineLoops>().Depth(*function->block(kDepth - 1)), kDepth - 1);
  EXPECT_EQ(analyses.Get<MachineCycles>().Depth(*function->block(kDepth - 1)), kDepth - 1);
  EXPECT_EQ(analyses.Get<MachineLoops>().Blocks(0).size(), 2 * kDepth - 2);
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/backward_reachability.h"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/analysis/graph_fixture.h"

namespace ptxmir {
namespace {

std::vector<BlockNumber> Sorted(absl::Span<const BlockNumber> blocks) {
  std::vector<BlockNumber> sorted(blocks.begin(), blocks.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

TEST(BackwardReachabilityTest, StopsAtDefinitions) {
  // 0 -> 1 -> 2 -> 3, and a loop from 2 to 1.
  const std::unique_ptr<MachineFunction> function = testing::MakeGraph(4, {{0, 1}, {1, 2}, {2, 3}, {2, 1}});
  BackwardReachability search(*function);
  search.Begin();
  search.AddDef(1);
  search.ReachTop(3);
  search.Search();
  EXPECT_EQ(Sorted(search.live_in()), (std::vector<BlockNumber>{2, 3}));
  EXPECT_EQ(Sorted(search.live_out()), (std::vector<BlockNumber>{1, 2}));
  // The next value has no definition, and is live around the loop.
  search.Begin();
  search.ReachEnd(1);
  search.Search();
  EXPECT_EQ(Sorted(search.live_in()), (std::vector<BlockNumber>{0, 1, 2}));
  EXPECT_EQ(Sorted(search.live_out()), (std::vector<BlockNumber>{0, 1, 2}));
  EXPECT_FALSE(search.IsLiveIn(3));
}

TEST(BackwardReachabilityTest, DefinitionsOnEdgesHideAValueFromPredecessors) {
  const std::unique_ptr<MachineFunction> function = testing::MakeGraph(3, {{0, 1}, {1, 2}, {0, 2}});
  BackwardReachability search(*function);
  search.Begin();
  search.AddDefOnEdges(1);
  search.ReachTop(1);
  search.Search();
  EXPECT_EQ(Sorted(search.live_in()), (std::vector<BlockNumber>{1}));
  EXPECT_TRUE(search.live_out().empty());
  // A PHI reads it at the end of the entry.
  search.Begin();
  search.AddDefOnEdges(1);
  search.ReachTop(1);
  search.ReachEnd(0);
  search.Search();
  EXPECT_EQ(Sorted(search.live_in()), (std::vector<BlockNumber>{0, 1}));
  EXPECT_EQ(Sorted(search.live_out()), (std::vector<BlockNumber>{0}));
}

// The uses and definitions of a value, by block.
struct Value {
  explicit Value(size_t num_blocks)
      : defined(num_blocks), defined_on_edges(num_blocks), used_at_top(num_blocks), used_at_end(num_blocks) {}
  std::vector<bool> defined, defined_on_edges, used_at_top, used_at_end;
};

// Iterates the equations of liveness over all blocks until nothing changes.
void Solve(const MachineFunction& function, const Value& value, std::vector<bool>& in, std::vector<bool>& out) {
  in = value.used_at_top;
  out = value.used_at_end;
  for (bool changed = true; changed;) {
    changed = false;
    for (const MachineBasicBlock& block : function) {
      const BlockNumber number = block.number();
      bool is_live_out = out[number];
      for (const MachineBasicBlock* successor : block.successors()) {
        is_live_out = is_live_out || (in[successor->number()] && !value.defined_on_edges[successor->number()]);
      }
      const bool is_live_in = in[number] || (is_live_out && !value.defined[number]);
      changed = changed || is_live_out != out[number] || is_live_in != in[number];
      out[number] = is_live_out;
      in[number] = is_live_in;
    }
  }
}

TEST(BackwardReachabilityTest, RandomGraphsSatisfyTheEquations) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::unique_ptr<MachineFunction> function = testing::MakeRandomGraph(random, 12);
    const size_t num_blocks = function->block_number_bound();
    BackwardReachability search(*function);
    for (int k = 0; k < 8; ++k) {
      Value value(num_blocks);
      const auto draw = [&](std::vector<bool>& flags, uint32_t one_in) {
        for (size_t block = 0; block < num_blocks; ++block) flags[block] = random() % one_in == 0;
      };
      draw(value.defined, 3);
      draw(value.defined_on_edges, 6);
      draw(value.used_at_top, 5);
      draw(value.used_at_end, 7);
      search.Begin();
      for (BlockNumber block = 0; block < num_blocks; ++block) {
        if (value.defined[block]) search.AddDef(block);
        if (value.defined_on_edges[block]) search.AddDefOnEdges(block);
      }
      for (BlockNumber block = 0; block < num_blocks; ++block) {
        if (value.used_at_top[block]) search.ReachTop(block);
        if (value.used_at_end[block]) search.ReachEnd(block);
      }
      search.Search();
      std::vector<bool> in, out;
      Solve(*function, value, in, out);
      for (BlockNumber block = 0; block < num_blocks; ++block) {
        EXPECT_EQ(search.IsLiveIn(block), in[block]) << "bb." << block;
        EXPECT_EQ(search.IsLiveOut(block), out[block]) << "bb." << block;
      }
      EXPECT_EQ(search.live_in().size(), static_cast<size_t>(std::count(in.begin(), in.end(), true)));
      EXPECT_EQ(search.live_out().size(), static_cast<size_t>(std::count(out.begin(), out.end(), true)));
    }
  }
}

}  // namespace
}  // namespace ptxmir

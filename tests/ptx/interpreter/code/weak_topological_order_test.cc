// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/code/weak_topological_order.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/analysis/graph_fixture.h"

namespace ptxmir::ptx {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

// Figure 4 of Bourdoncle's paper, except that marks are removed when a component is searched again.
class Bourdoncle {
 public:
  explicit Bourdoncle(const MachineFunction& function) : number_(function.block_number_bound()) {
    Visit(*function.front(), order_);
    std::reverse(order_.begin(), order_.end());
  }
  const std::vector<BlockNumber>& order() const { return order_; }

 private:
  static constexpr uint32_t kDone = ~uint32_t{0};

  uint32_t Visit(const MachineBasicBlock& block, std::vector<BlockNumber>& out) {
    stack_.push_back(block.number());
    uint32_t head = number_[block.number()] = ++counter_;
    bool is_loop = false;
    for (const MachineBasicBlock* successor : block.successors()) {
      const uint32_t number = number_[successor->number()];
      const uint32_t low = number == 0 ? Visit(*successor, out) : number;
      if (low > head) continue;
      head = low;
      is_loop = true;
    }
    if (head != number_[block.number()]) return head;
    number_[block.number()] = kDone;
    for (BlockNumber top = stack_.back(); top != block.number(); top = stack_.back()) {
      stack_.pop_back();
      number_[top] = 0;
    }
    stack_.pop_back();
    if (is_loop) {
      for (const MachineBasicBlock* successor : block.successors()) {
        if (number_[successor->number()] == 0) Visit(*successor, out);
      }
    }
    out.push_back(block.number());
    return head;
  }

  std::vector<uint32_t> number_;  // 0: not visited
  uint32_t counter_ = 0;
  std::vector<BlockNumber> stack_;
  std::vector<BlockNumber> order_;  // the last one first until it is complete
};

std::vector<BlockNumber> Order(const MachineFunction& function) {
  std::vector<BlockNumber> numbers;
  for (const MachineBasicBlock* block : WeakTopologicalOrder(function)) numbers.push_back(block->number());
  return numbers;
}

std::string Text(const MachineFunction& function) {
  std::string text;
  for (const MachineBasicBlock& block : function) {
    for (const MachineBasicBlock* successor : block.successors()) {
      StrAppend(&text, " ", block.number(), "->", successor->number());
    }
  }
  return text;
}

TEST(BlockOrderTest, IsThatOfThePaper) {
  // Figure 2: 1 2 (3 4 (5 6) 7) 8.
  const Edges edges = {{0, 1}, {1, 2}, {1, 7}, {2, 3}, {3, 4}, {3, 6}, {4, 5}, {5, 4}, {5, 6}, {6, 2}, {6, 7}};
  EXPECT_EQ(Order(*testing::MakeGraph(8, edges)), (std::vector<BlockNumber>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(BlockOrderTest, IsThatOfTheRecursiveDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::unique_ptr<MachineFunction> function = testing::MakeRandomGraph(random, i < 2000 ? 12 : 80);
    ASSERT_EQ(Order(*function), Bourdoncle(*function).order()) << Text(*function);
  }
}

// A loop with two entries around another one, and so on: every block can be entered from outside of all loops.
TEST(BlockOrderTest, TakesIrreducibleLoopsApart) {
  constexpr uint32_t kDepth = 60;
  Edges edges;
  for (uint32_t i = 0; i < kDepth; ++i) {
    edges.push_back({0, i + 1});
    if (i > 0) edges.push_back({i, i + 1});
    edges.push_back({kDepth + 1 + i, kDepth - i});
    edges.push_back({kDepth + i, kDepth + 1 + i});
  }
  edges.push_back({0, kDepth + 5});
  const std::unique_ptr<MachineFunction> function = testing::MakeGraph(2 * kDepth + 1, edges);
  EXPECT_EQ(Order(*function), Bourdoncle(*function).order());
}

TEST(BlockOrderTest, EmptyAndUnreachable) {
  EXPECT_TRUE(Order(*testing::MakeGraph(0, {})).empty());
  EXPECT_EQ(Order(*testing::MakeGraph(4, Edges{{0, 3}, {1, 3}, {2, 2}, {3, 3}})), (std::vector<BlockNumber>{0, 3}));
}

// Deep nests must take neither quadratic time nor stack proportional to the depth.
TEST(BlockOrderTest, TakesDeepNests) {
  constexpr uint32_t kDepth = 200'000;
  Edges edges;
  for (uint32_t i = 0; i < kDepth; ++i) {
    edges.push_back({i, i + 1});
    edges.push_back({kDepth + i, kDepth + i + 1});
    edges.push_back({kDepth + i + 1, kDepth - i});
  }
  const std::vector<BlockNumber> order = Order(*testing::MakeGraph(2 * kDepth + 1, edges));
  ASSERT_EQ(order.size(), 2 * kDepth + 1);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace ptxmir::ptx

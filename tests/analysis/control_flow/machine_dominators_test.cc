// SPDX-License-Identifier: Apache-2.0

// Compares the dominator trees with dominance by its definition (removing a block cuts the other off), and updated
// trees with recomputed ones.

#include "analysis/control_flow/machine_dominators.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/analysis/graph_fixture.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

namespace reference {

std::vector<MachineBasicBlock*> Blocks(const MachineFunction& function) {
  std::vector<MachineBasicBlock*> blocks;
  for (MachineBasicBlock& block : function) blocks.push_back(&block);
  return blocks;
}

absl::Span<MachineBasicBlock* const> Next(const MachineBasicBlock& block, bool backward) {
  return backward ? block.predecessors() : block.successors();
}

// Returns, by block number, whether a block is reached from the starts without entering `without`.
std::vector<bool> Reachable(const MachineFunction& function, absl::Span<const BlockNumber> starts, bool backward,
                            const MachineBasicBlock* without) {
  std::vector<bool> reached(function.block_number_bound());
  std::vector<const MachineBasicBlock*> stack;
  const auto reach = [&](const MachineBasicBlock* block) {
    if (block == without || reached[block->number()]) return;
    reached[block->number()] = true;
    stack.push_back(block);
  };
  for (const BlockNumber start : starts) reach(function.block(start));
  while (!stack.empty()) {
    const MachineBasicBlock* block = stack.back();
    stack.pop_back();
    for (const MachineBasicBlock* next : Next(*block, backward)) reach(next);
  }
  return reached;
}

// Returns a matrix: result[a][b] is true if a dominates b and both are reached from the roots.
std::vector<std::vector<bool>> Dominance(const MachineFunction& function, absl::Span<const BlockNumber> roots,
                                         bool backward) {
  const std::vector<bool> reachable = Reachable(function, roots, backward, nullptr);
  std::vector<std::vector<bool>> result(function.block_number_bound());
  for (const MachineBasicBlock* a : Blocks(function)) {
    std::vector<bool>& dominated = result[a->number()];
    dominated.resize(function.block_number_bound());
    if (!reachable[a->number()]) continue;
    const std::vector<bool> others = Reachable(function, roots, backward, a);
    for (size_t b = 0; b < others.size(); ++b) dominated[b] = reachable[b] && !others[b];
  }
  return result;
}

// Returns the blocks that need a PHI for assignments in `definitions`, computed from the definition of the frontier
// by iteration to a fixed point.
std::vector<BlockNumber> IteratedFrontier(const MachineFunction& function,
                                          const std::vector<std::vector<bool>>& dominance, bool backward,
                                          const std::vector<BlockNumber>& definitions) {
  std::set<BlockNumber> result;
  std::set<BlockNumber> sources(definitions.begin(), definitions.end());
  while (true) {
    const size_t before = result.size();
    for (const MachineBasicBlock* join : Blocks(function)) {
      for (const MachineBasicBlock* from : Next(*join, !backward)) {
        for (const BlockNumber source : sources) {
          const bool ends_here =
              dominance[source][from->number()] && (source == join->number() || !dominance[source][join->number()]);
          if (ends_here) result.insert(join->number());
        }
      }
    }
    if (result.size() == before) return {result.begin(), result.end()};
    sources.insert(result.begin(), result.end());
  }
}

}  // namespace reference

void ExpectMatchesDefinition(const MachineFunction& function, const DominatorTree& tree) {
  const bool backward = tree.direction() == DominatorTree::Direction::kPostDominators;
  const auto dominance = reference::Dominance(function, tree.roots(), backward);
  const std::vector<MachineBasicBlock*> blocks = reference::Blocks(function);
  for (const MachineBasicBlock* b : blocks) {
    const bool is_reached = dominance[b->number()][b->number()];
    ASSERT_EQ(tree.Contains(*b), is_reached) << b->number();
    uint32_t num_dominators = 0;
    for (const MachineBasicBlock* a : blocks) {
      const bool wanted = dominance[a->number()][b->number()];
      num_dominators += wanted;
      ASSERT_EQ(tree.Dominates(*a, *b), wanted || !is_reached) << a->number() << " " << b->number();
    }
    if (!is_reached) {
      ASSERT_EQ(tree.ImmediateDominator(*b), nullptr);
      continue;
    }
    ASSERT_EQ(tree.Level(*b), num_dominators - (backward ? 0 : 1)) << b->number();
    // All other dominators dominate the immediate one.
    const MachineBasicBlock* immediate = tree.ImmediateDominator(*b);
    if (immediate == nullptr) {
      ASSERT_EQ(num_dominators, 1u);
    } else {
      ASSERT_EQ(tree.Level(*immediate) + 1, tree.Level(*b));
      ASSERT_TRUE(dominance[immediate->number()][b->number()]);
    }
    for (const MachineBasicBlock* a : blocks) {
      if (!tree.Contains(*a)) continue;
      const MachineBasicBlock* common = tree.NearestCommonDominator(*a, *b);
      uint32_t num_common = 0;
      for (const MachineBasicBlock* c : blocks) {
        num_common += dominance[c->number()][a->number()] && dominance[c->number()][b->number()];
      }
      ASSERT_EQ(common == nullptr ? 0 : tree.Level(*common) + (backward ? 0 : 1), num_common);
      if (common != nullptr) {
        ASSERT_TRUE(tree.Dominates(*common, *a) && tree.Dominates(*common, *b));
      }
    }
  }
}

void ExpectMatchesDefinition(const MachineFunction& function) {
  MachineDominatorTree tree(function);
  ExpectMatchesDefinition(function, tree);
  MachinePostDominatorTree post_tree(function);
  ExpectMatchesDefinition(function, post_tree);
  // Every block leads to a root, and no root leads to another.
  for (const MachineBasicBlock& block : function) ASSERT_TRUE(post_tree.Contains(block));
  for (const BlockNumber root : post_tree.roots()) {
    const std::vector<bool> reached = reference::Reachable(function, {&root, 1}, false, nullptr);
    for (const BlockNumber other : post_tree.roots()) ASSERT_EQ(reached[other], other == root);
  }
}

TEST(DominatorTreeTest, RandomGraphsMatchTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 1200; ++round) {
    const auto function = testing::MakeRandomGraph(random, 20);
    ASSERT_NO_FATAL_FAILURE(ExpectMatchesDefinition(*function)) << "round " << round;
  }
}

TEST(DominatorTreeTest, GeneratedFunctionsMatchTheDefinition) {
  int num_checked = 0;
  const auto check = [&](MachineFunction& function, const std::string& where) {
    if (function.num_blocks() > 60) return;
    ++num_checked;
    ASSERT_NO_FATAL_FAILURE(ExpectMatchesDefinition(function)) << where;
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 100, 60, check);
  EXPECT_GT(static_cast<uint64_t>(num_checked), testing::NumInputs(200, 10));
}

TEST(DominatorTreeTest, FrontiersMatchTheDefinition) {
  std::mt19937 random(2);
  for (int round = 0; round < 600; ++round) {
    const auto function = testing::MakeRandomGraph(random, 16);
    for (const bool backward : {false, true}) {
      const DominatorTree tree(
          *function, backward ? DominatorTree::Direction::kPostDominators : DominatorTree::Direction::kDominators);
      const auto dominance = reference::Dominance(*function, tree.roots(), backward);
      DominanceFrontiers frontiers(tree);
      for (int query = 0; query < 4; ++query) {
        std::vector<BlockNumber> definitions;
        for (uint32_t i = 0; i <= random() % 4; ++i) definitions.push_back(random() % function->num_blocks());
        ASSERT_EQ(frontiers.Iterated(definitions),
                  reference::IteratedFrontier(*function, dominance, backward, definitions))
            << "round " << round;
      }
    }
  }
}

// Edits a function at random and informs both trees.
class Editor {
 public:
  Editor(std::mt19937& random, MachineFunction& function)
      : random_(random), function_(function), tree_(function), post_tree_(function) {}

  void Step() {
    switch (random_() % 8) {
      case 0:
        return Split();
      case 1:
        return EraseUnreachable();
      case 2:
      case 3:
        return Batch(1 + random_() % 6);
      default:
        return Batch(1);
    }
  }

  void Check() {
    const MachineDominatorTree fresh(function_);
    ASSERT_EQ(tree_.DifferenceFrom(fresh), "");
    const MachinePostDominatorTree fresh_post(function_);
    ASSERT_EQ(post_tree_.DifferenceFrom(fresh_post), "");
    if (random_() % 4 != 0) return;
    // Query with and without intervals.
    const std::vector<MachineBasicBlock*> blocks = reference::Blocks(function_);
    for (int query = 0; query < 20; ++query) {
      const MachineBasicBlock& a = *blocks[random_() % blocks.size()];
      const MachineBasicBlock& b = *blocks[random_() % blocks.size()];
      ASSERT_EQ(tree_.Dominates(a, b), fresh.Dominates(a, b));
      ASSERT_EQ(post_tree_.Dominates(a, b), fresh_post.Dominates(a, b));
    }
  }

 private:
  MachineBasicBlock* RandomBlock() {
    const std::vector<MachineBasicBlock*> blocks = reference::Blocks(function_);
    return blocks[random_() % blocks.size()];
  }
  void Tell(const std::vector<EdgeUpdate>& updates) {
    tree_.ApplyUpdates(updates);
    post_tree_.ApplyUpdates(updates);
  }
  void Batch(uint32_t count) {
    std::vector<EdgeUpdate> updates;
    for (uint32_t i = 0; i < count; ++i) {
      MachineBasicBlock* from = RandomBlock();
      MachineBasicBlock* to = RandomBlock();
      if (random_() % 2 == 0 && !from->successors().empty()) {
        to = from->successors()[random_() % from->successors().size()];
      }
      if (from->IsSuccessor(to)) {
        from->RemoveSuccessor(to);
        updates.push_back(EdgeUpdate::Delete(*from, *to));
      } else {
        from->AddSuccessor(to);
        updates.push_back(EdgeUpdate::Insert(*from, *to));
      }
    }
    Tell(updates);
  }
  void Split() {
    MachineBasicBlock* block = RandomBlock();
    if (random_() % 2 == 0 && !block->successors().empty()) {
      // Split an edge.
      MachineBasicBlock* to = block->successors()[random_() % block->successors().size()];
      MachineBasicBlock* middle = function_.CreateBlock();
      function_.InsertBlock(nullptr, middle);
      block->RemoveSuccessor(to);
      block->AddSuccessor(middle);
      middle->AddSuccessor(to);
      return Tell(
          {EdgeUpdate::Insert(*block, *middle), EdgeUpdate::Insert(*middle, *to), EdgeUpdate::Delete(*block, *to)});
    }
    MachineBasicBlock* tail = function_.CreateBlock();
    function_.InsertBlock(block->next(), tail);
    tail->TransferSuccessorsAndUpdatePhis(block);
    block->AddSuccessor(tail);
    tree_.SplitBlock(*block, *tail);
    post_tree_.SplitBlock(*block, *tail);
  }
  void EraseUnreachable() {
    for (MachineBasicBlock* block : reference::Blocks(function_)) {
      if (block == function_.front() || !block->predecessors().empty()) continue;
      const BlockNumber number = block->number();
      function_.EraseBlock(block);
      tree_.EraseBlock(number);
      return post_tree_.EraseBlock(number);
    }
  }

  std::mt19937& random_;
  MachineFunction& function_;
  MachineDominatorTree tree_;
  MachinePostDominatorTree post_tree_;
};

TEST(DominatorTreeTest, UpdatesMatchComputingAnew) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    const auto function = testing::MakeRandomGraph(random, 30);
    Editor editor(random, *function);
    for (int step = 0; step < 40; ++step) {
      editor.Step();
      ASSERT_NO_FATAL_FAILURE(editor.Check()) << "round " << round << " step " << step;
    }
  }
}

TEST(DominatorTreeTest, UpdatesOfGeneratedFunctionsMatchComputingAnew) {
  std::mt19937 random(4);
  const auto check = [&](MachineFunction& original, const std::string& where) {
    if (original.num_blocks() > 400) return;
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (const MachineBasicBlock& block : original) {
      for (const MachineBasicBlock* to : block.successors()) edges.emplace_back(block.number(), to->number());
    }
    const auto function = testing::MakeGraph(original.block_number_bound(), edges);
    Editor editor(random, *function);
    for (int step = 0; step < 20; ++step) {
      editor.Step();
      ASSERT_NO_FATAL_FAILURE(editor.Check()) << where << ", step " << step;
    }
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 500, 40, check);
}

TEST(DominatorTreeTest, PrintsWhatLlvmPrints) {
  // A loop with two exits and a diamond in it, and an unreachable block.
  const auto function = testing::MakeGraph(7, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {2, 5}, {6, 5}});
  MachineDominatorTree tree(*function);
  std::string text;
  tree.Print(text);
  EXPECT_EQ(text,
            "Inorder Dominator Tree:\n"
            "  [1] %bb.0 [0]\n"
            "    [2] %bb.1 [1]\n"
            "      [3] %bb.2 [2]\n"
            "      [3] %bb.3 [2]\n"
            "      [3] %bb.4 [2]\n"
            "      [3] %bb.5 [2]\n"
            "Roots: %bb.0\n");
  MachinePostDominatorTree post_tree(*function);
  text.clear();
  post_tree.Print(text);
  EXPECT_EQ(text,
            "Inorder PostDominator Tree:\n"
            "  [1] <<exit node>> [0]\n"
            "    [2] %bb.5 [1]\n"
            "      [3] %bb.1 [2]\n"
            "        [4] %bb.0 [3]\n"
            "      [3] %bb.2 [2]\n"
            "      [3] %bb.4 [2]\n"
            "        [4] %bb.3 [3]\n"
            "      [3] %bb.6 [2]\n"
            "Roots: %bb.5\n");
}

TEST(DominatorTreeTest, OrdersInstructionsOfABlock) {
  const auto module = testing::ReadBody(
      "  bb.0:\n"
      "    %0:b32 = MOV_B32_i 1\n"
      "    %1:b32 = MOV_B32_i 2\n"
      "    %2:b32 = ADD32rr %0, %1\n"
      "  bb.1:\n"
      "    Return\n");
  ASSERT_NE(module, nullptr);
  MachineFunction& function = testing::OnlyFunction(*module);
  const MachineDominatorTree tree(function);
  const MachinePostDominatorTree post_tree(function);
  const MachineInstr& first = *function.front()->front();
  const MachineInstr& second = *first.next();
  const MachineInstr& third = *second.next();
  const MachineInstr& last = *function.back()->front();
  for (const auto& [a, b] :
       {std::pair(&first, &second), std::pair(&first, &third), std::pair(&second, &third), std::pair(&third, &last)}) {
    EXPECT_TRUE(tree.ProperlyDominates(*a, *b));
    EXPECT_FALSE(tree.ProperlyDominates(*b, *a));
    EXPECT_TRUE(post_tree.ProperlyDominates(*b, *a));
    EXPECT_FALSE(post_tree.ProperlyDominates(*a, *b));
    EXPECT_FALSE(tree.ProperlyDominates(*a, *a));
    EXPECT_TRUE(tree.Dominates(*a, *a));
  }
}

TEST(DominatorTreeTest, ManagerNoticesAStaleTree) {
  const auto function = testing::MakeGraph(3, {{0, 1}, {1, 2}});
  AnalysisManager analyses(*function);
  MachineDominatorTree& tree = analyses.Get<MachineDominatorTree>();
  analyses.Get<MachinePostDominatorTree>();
  EXPECT_EQ(analyses.CheckCached(), "");
  function->block(0)->AddSuccessor(function->block(2));
  EXPECT_EQ(analyses.CheckCached(),
            "machine-dom-tree: %bb.2 is below %bb.1 at level 2; recomputed it is below %bb.0 at level 1");
  tree.InsertEdge(*function->block(0), *function->block(2));
  analyses.Get<MachinePostDominatorTree>().InsertEdge(*function->block(0), *function->block(2));
  EXPECT_EQ(analyses.CheckCached(), "");
}

TEST(DominatorTreeTest, LongChainsAndManyEndlessLoops) {
  // A chain would overflow the stack of a recursive search. Many endless loops would take LLVM too long.
  constexpr uint32_t kBlocks = 200000;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i + 2 < kBlocks; i += 2) {
    edges.emplace_back(i, i + 1);
    edges.emplace_back(i, i + 2);
    edges.emplace_back(i + 1, i + 1);
  }
  edges.emplace_back(kBlocks - 2, kBlocks - 1);
  edges.emplace_back(kBlocks - 1, kBlocks - 2);
  const auto function = testing::MakeGraph(kBlocks, edges);
  MachineDominatorTree tree(*function);
  EXPECT_EQ(tree.Level(*function->back()), kBlocks / 2);
  EXPECT_TRUE(tree.Dominates(*function->front(), *function->back()));
  MachinePostDominatorTree post_tree(*function);
  EXPECT_EQ(post_tree.roots().size(), kBlocks / 2);
  // Remove an edge and add it again. Each is a small update.
  for (int i = 0; i < 1000; ++i) {
    MachineBasicBlock* from = function->block(kBlocks - 4);
    MachineBasicBlock* to = function->block(kBlocks - 3);
    from->RemoveSuccessor(to);
    tree.DeleteEdge(*from, *to);
    EXPECT_FALSE(tree.Contains(*to));
    from->AddSuccessor(to);
    tree.InsertEdge(*from, *to);
    EXPECT_TRUE(tree.Dominates(*from, *to));
  }
}

}  // namespace
}  // namespace ptxmir

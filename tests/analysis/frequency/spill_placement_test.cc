// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/spill_placement.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/control_flow/edge_bundles.h"
#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;
using Constraint = SpillPlacement::Constraint;

// Checks bundles against those found by spreading over edges until nothing changes.
void ExpectBundles(MachineFunction& function, const std::string& where) {
  AnalysisManager analyses(function);
  const EdgeBundles& bundles = analyses.Get<EdgeBundles>();
  std::map<std::pair<BlockNumber, bool>, int> number;
  int next = 0;
  for (const MachineBasicBlock& block : function) {
    number[{block.number(), false}] = next++;
    number[{block.number(), true}] = next++;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const MachineBasicBlock& block : function) {
      for (const MachineBasicBlock* successor : block.successors()) {
        int& a = number[{block.number(), true}];
        int& b = number[{successor->number(), false}];
        if (a == b) continue;
        a = b = std::min(a, b);
        changed = true;
      }
    }
  }
  std::map<int, uint32_t> bundle_of;
  std::set<uint32_t> seen;
  for (const auto& [end, group] : number) {
    const uint32_t bundle = bundles.Bundle(end.first, end.second);
    ASSERT_LT(bundle, bundles.num_bundles()) << where;
    ASSERT_EQ(bundle_of.emplace(group, bundle).first->second, bundle) << where;
    seen.insert(bundle);
    const auto blocks = bundles.Blocks(bundle);
    ASSERT_TRUE(std::binary_search(blocks.begin(), blocks.end(), end.first)) << where;
  }
  ASSERT_EQ(bundle_of.size(), bundles.num_bundles()) << where;
  ASSERT_EQ(seen.size(), bundles.num_bundles()) << where;
}

TEST(EdgeBundlesTest, GeneratedFunctions) {
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1, 200, ExpectBundles);
}

constexpr char kLoop[] = R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    %1:b1 = IMPLICIT_DEF
  bb.1:
    successors: %bb.2, %bb.3
    CBranch %1, %bb.3
  bb.2:
    successors: %bb.1
    KILL %0
    GOTO %bb.1
  bb.3:
    successors: %bb.4
    GOTO %bb.4
  bb.4:
    KILL %0
    Return
)";

TEST(EdgeBundlesTest, LoopByHand) {
  const auto module = ReadBody(kLoop);
  AnalysisManager analyses(OnlyFunction(*module));
  std::string text;
  analyses.Get<EdgeBundles>().Print(text);
  EXPECT_EQ(text,
            "Edge bundles in machine function: f\n"
            "%bb.0: in 0, out 1\n%bb.1: in 1, out 2\n%bb.2: in 2, out 1\n%bb.3: in 2, out 3\n%bb.4: in 3, out 4\n");
  const auto blocks = analyses.Get<EdgeBundles>().Blocks(1);
  EXPECT_EQ(std::vector<BlockNumber>(blocks.begin(), blocks.end()), (std::vector<BlockNumber>{0, 1, 2}));
  EXPECT_EQ(analyses.CheckCached(), "");
}

// A value that is defined in bb.0 and used in the loop of bb.1 and bb.2 and in bb.4. In bb.3 no register is free.
TEST(SpillPlacementTest, ALoopKeepsItsRegisterAndTheRestDoesNot) {
  const auto module = ReadBody(kLoop);
  AnalysisManager analyses(OnlyFunction(*module));
  SpillPlacement& placement = analyses.Get<SpillPlacement>();
  placement.SetFrequencies({8192, 81920, 73728, 8192, 8192});
  placement.Begin();
  placement.AddConstraints({{0, Constraint::kDontCare, Constraint::kPrefReg},
                            {2, Constraint::kPrefReg, Constraint::kPrefReg},
                            {3, Constraint::kPrefSpill, Constraint::kMustSpill},
                            {4, Constraint::kPrefReg, Constraint::kDontCare}});
  EXPECT_TRUE(placement.ScanActiveBundles());
  placement.AddLinks({1});
  placement.Iterate();
  EXPECT_TRUE(placement.IsStable());
  EXPECT_FALSE(placement.Finish());
  EXPECT_EQ(placement.RegisterBundles(), (std::vector<uint32_t>{1, 2}));
  // The loop does not pay off if it is rarely entered and its registers are taken.
  placement.Begin();
  placement.SetFrequencies({8192, 100, 90, 8192, 8192});
  placement.AddConstraints(
      {{2, Constraint::kPrefReg, Constraint::kPrefReg}, {1, Constraint::kMustSpill, Constraint::kPrefSpill}});
  placement.AddPrefSpill({3}, true);
  placement.ScanActiveBundles();
  placement.Iterate();
  EXPECT_FALSE(placement.Finish());
  EXPECT_TRUE(placement.RegisterBundles().empty());
}

TEST(SpillPlacementTest, DecisionsSpreadOverLinksAsFarAsTheyPay) {
  const auto module = ReadBody(kLoop);
  AnalysisManager analyses(OnlyFunction(*module));
  SpillPlacement& placement = analyses.Get<SpillPlacement>();
  placement.SetFrequencies({8192, 8192, 8192, 8192, 8192});
  placement.Begin();
  placement.AddConstraints({{0, Constraint::kDontCare, Constraint::kPrefReg}});
  EXPECT_TRUE(placement.ScanActiveBundles());
  EXPECT_EQ(placement.RecentPositive().size(), 1u);
  placement.AddLinks({1, 3});
  placement.Iterate();
  // From bundle 1 through bb.1 to 2, and from there through bb.3 to 3.
  EXPECT_TRUE(placement.Finish());
  EXPECT_EQ(placement.RegisterBundles(), (std::vector<uint32_t>{1, 2, 3}));
}

// Computes the cost of a choice of sides: the biases that it violates and the links that it cuts.
class Network {
 public:
  explicit Network(uint32_t bundles) : in_register(bundles), spill(bundles) {}
  std::vector<uint64_t> in_register;
  std::vector<uint64_t> spill;
  struct Link {
    uint32_t a, b;
    uint64_t weight;
  };
  std::vector<Link> links;

  uint64_t Cost(const std::vector<bool>& side) const {
    uint64_t cost = 0;
    for (size_t i = 0; i < side.size(); ++i) cost += side[i] ? spill[i] : in_register[i];
    for (const Link& link : links) cost += side[link.a] != side[link.b] ? link.weight : 0;
    return cost;
  }
};

struct Quality {
  int functions = 0;
  int at_rest = 0;
  int networks = 0;  // small enough to try all choices
  int optimal = 0;
};

void ExpectStableAndCheap(MachineFunction& function, std::mt19937& random, Quality& quality, const std::string& where) {
  AnalysisManager analyses(function);
  SpillPlacement& placement = analyses.Get<SpillPlacement>();
  const EdgeBundles& bundles = placement.bundles();
  std::vector<uint64_t> frequencies(function.block_number_bound());
  for (uint64_t& frequency : frequencies) frequency = 100 + random() % 100000;
  placement.SetFrequencies(frequencies);
  placement.Begin();
  Network network(bundles.num_bundles());
  std::vector<SpillPlacement::BlockConstraint> constraints;
  std::vector<BlockNumber> through;
  for (const MachineBasicBlock& block : function) {
    const BlockNumber number = block.number();
    if (random() % 2 == 0) {
      through.push_back(number);
      if (bundles.In(number) != bundles.Out(number)) {
        network.links.push_back({bundles.In(number), bundles.Out(number), frequencies[number]});
      }
      continue;
    }
    SpillPlacement::BlockConstraint constraint{number, static_cast<Constraint>(random() % 3),
                                               static_cast<Constraint>(random() % 3)};
    constraints.push_back(constraint);
    const auto note = [&](uint32_t bundle, Constraint direction) {
      if (direction == Constraint::kPrefReg) network.in_register[bundle] += frequencies[number];
      if (direction == Constraint::kPrefSpill) network.spill[bundle] += frequencies[number];
    };
    note(bundles.In(number), constraint.entry);
    note(bundles.Out(number), constraint.exit);
  }
  placement.AddConstraints(constraints);
  placement.AddLinks(through);
  placement.ScanActiveBundles();
  placement.Iterate();
  ++quality.functions;
  quality.at_rest += placement.IsStable();
  placement.Finish();
  std::vector<bool> side(bundles.num_bundles());
  for (const uint32_t bundle : placement.RegisterBundles()) side[bundle] = true;
  for (uint32_t i = 0; i < bundles.num_bundles(); ++i) ASSERT_EQ(placement.IsInRegister(i), side[i]) << where;
  const uint64_t cost = network.Cost(side);
  ASSERT_LE(cost, network.Cost(std::vector<bool>(side.size()))) << where;
  // No single bundle would be better off on the stack.
  for (uint32_t i = 0; i < bundles.num_bundles(); ++i) {
    std::vector<bool> other = side;
    other[i] = false;
    ASSERT_LE(cost, network.Cost(other)) << where;
  }
  if (bundles.num_bundles() > 12) return;
  uint64_t best = cost;
  for (uint32_t bits = 0; bits < 1u << bundles.num_bundles(); ++bits) {
    std::vector<bool> other(side.size());
    for (size_t i = 0; i < other.size(); ++i) other[i] = (bits >> i & 1) != 0;
    best = std::min(best, network.Cost(other));
  }
  ++quality.networks;
  quality.optimal += cost <= best + best / 50;
}

TEST(SpillPlacementTest, RandomNetworksOverGeneratedFunctions) {
  std::mt19937 random(3);
  Quality quality;
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1, 250,
                                    [&](MachineFunction& function, const std::string& where) {
                                      ExpectStableAndCheap(function, random, quality, where);
                                    });
  EXPECT_GT(quality.networks, 50);
  // The bound on updates stops the slowest networks.
  EXPECT_GE(quality.at_rest, quality.functions * 99 / 100) << quality.functions;
  // A network may stop in a local minimum.
  EXPECT_GT(quality.optimal, quality.networks * 8 / 10) << quality.networks;
}

}  // namespace
}  // namespace ptxmir

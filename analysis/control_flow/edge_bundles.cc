// SPDX-License-Identifier: Apache-2.0

#include "analysis/control_flow/edge_bundles.h"

#include <algorithm>
#include <numeric>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr uint32_t kNoBundle = ~uint32_t{0};

uint32_t Find(std::vector<uint32_t>& leader, uint32_t i) {
  while (leader[i] != i) i = leader[i] = leader[leader[i]];
  return i;
}

}  // namespace

EdgeBundles::EdgeBundles(MachineFunction& function, AnalysisManager&) : function_(function) {
  std::vector<uint32_t> leader(2 * function.block_number_bound());
  std::iota(leader.begin(), leader.end(), 0u);
  for (const MachineBasicBlock& block : function) {
    for (const MachineBasicBlock* successor : block.successors()) {
      const uint32_t a = Find(leader, 2 * block.number() + 1);
      const uint32_t b = Find(leader, 2 * successor->number());
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  bundle_.assign(leader.size(), kNoBundle);
  uint32_t count = 0;
  const auto number = [&](uint32_t end) {
    const uint32_t of = Find(leader, end);
    // A leader has the smallest number of its set, but its block may not exist.
    if (bundle_[of] == kNoBundle) bundle_[of] = count++;
    bundle_[end] = bundle_[of];
  };
  for (BlockNumber block = 0; block < function.block_number_bound(); ++block) {
    if (function.block(block) == nullptr) continue;
    number(2 * block);
    number(2 * block + 1);
  }
  // Computes the start of each bundle's blocks, then the blocks in order.
  std::vector<uint32_t> next(count + 1, 0);
  const auto for_each = [&](auto visit) {
    for (BlockNumber block = 0; block < function.block_number_bound(); ++block) {
      if (function.block(block) == nullptr) continue;
      visit(In(block), block);
      if (Out(block) != In(block)) visit(Out(block), block);
    }
  };
  for_each([&](uint32_t bundle, BlockNumber) { ++next[bundle + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  first_block_ = next;
  blocks_.resize(first_block_.back());
  for_each([&](uint32_t bundle, BlockNumber block) { blocks_[next[bundle]++] = block; });
}

void EdgeBundles::Print(std::string& out) const {
  StrAppend(&out, "Edge bundles in machine function: ", function_.name(), "\n");
  for (const MachineBasicBlock& block : function_) {
    StrAppend(&out, "%bb.", block.number(), ": in ", In(block.number()), ", out ", Out(block.number()), "\n");
  }
}

std::string EdgeBundles::DifferenceFrom(const Analysis& fresh) const {
  const EdgeBundles& other = static_cast<const EdgeBundles&>(fresh);
  if (bundle_.size() != other.bundle_.size()) return "the number of blocks differs";
  for (const MachineBasicBlock& block : function_) {
    if (In(block.number()) != other.In(block.number()) || Out(block.number()) != other.Out(block.number())) {
      return StrCat("the bundles of %bb.", block.number(), " differ");
    }
  }
  return "";
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/split/region_splitter.h"

#include <algorithm>

#include "base/split_mix64.h"

namespace ptxmir {

void RegionSplitter::AddConstraints(SpillPlacement& placement) const {
  using Constraint = SpillPlacement::Constraint;
  std::vector<SpillPlacement::BlockConstraint> uses;
  std::vector<BlockNumber> blocked;
  std::vector<BlockNumber> through;
  for (const SplitAnalysis::BlockInfo& info : analysis_.blocks()) {
    const BlockNumber block = info.block->number();
    const bool is_through = info.is_live_in && info.is_live_out && !info.has_touches();
    if (is_through && !info.interferes) {
      through.push_back(block);
      continue;
    }
    const auto preference = [&](bool is_live, bool is_blocked) {
      if (!is_live) return Constraint::kDontCare;
      if (is_blocked) return Constraint::kMustSpill;
      return info.interferes ? Constraint::kPrefSpill : Constraint::kPrefReg;
    };
    uses.push_back({.block = block,
                    .entry = preference(info.is_live_in, info.interferes_at_entry),
                    .exit = preference(info.is_live_out, info.interferes_at_exit)});
    if (is_through) blocked.push_back(block);
  }
  placement.AddConstraints(uses);
  placement.AddPrefSpill(blocked, /*strong=*/true);
  placement.AddLinks(through);
}

bool RegionSplitter::FindPlacement(SpillPlacement& placement) {
  placement.Begin();
  AddConstraints(placement);
  if (!placement.ScanActiveBundles()) return false;
  placement.Iterate();
  placement.Finish();
  const EdgeBundles& bundles = placement.bundles();
  placements_.clear();
  bool is_anywhere = false;
  for (const SplitAnalysis::BlockInfo& info : analysis_.blocks()) {
    const BlockNumber block = info.block->number();
    BlockPlacement in_block;
    in_block.at_entry = info.is_live_in && placement.IsInRegister(bundles.In(block));
    in_block.at_exit = info.is_live_out && placement.IsInRegister(bundles.Out(block));
    in_block.at_touches = !info.interferes && (info.has_touches() ? in_block.at_entry || in_block.at_exit
                                                                  : in_block.at_entry && in_block.at_exit);
    is_anywhere |= in_block.at_touches;
    placements_.push_back(in_block);
  }
  return is_anywhere;
}

bool RegionSplitter::TrySplit(const LiveInterval& interval, std::vector<Register>& created) {
  if (edit_.state().intervals.OnlyBlock(interval) != nullptr || effort_left_ == 0) return false;
  analysis_.Analyze(interval);
  effort_left_ -= std::min<uint64_t>(effort_left_, analysis_.blocks().size() + analysis_.touches().size());
  if (!FindPlacement(analyses_.Get<SpillPlacement>())) return false;
  editor_.Split(analysis_, placements_, created);
  ++num_splits_;
  return true;
}

bool RegionSplitter::SplitAtRandom(const LiveInterval& interval, uint64_t seed, std::vector<Register>& created) {
  if (edit_.state().intervals.OnlyBlock(interval) != nullptr) return false;
  analysis_.Analyze(interval);
  SplitMix64 random(seed);
  const EdgeBundles& bundles = analyses_.Get<EdgeBundles>();
  std::vector<bool> is_in_register(bundles.num_bundles());
  for (uint32_t i = 0; i < bundles.num_bundles(); ++i) is_in_register[i] = random.Next() % 2 == 0;
  placements_.clear();
  for (const SplitAnalysis::BlockInfo& info : analysis_.blocks()) {
    const BlockNumber block = info.block->number();
    placements_.push_back({.at_entry = info.is_live_in && is_in_register[bundles.In(block)],
                           .at_exit = info.is_live_out && is_in_register[bundles.Out(block)],
                           .at_touches = random.Next() % 2 == 0});
  }
  editor_.Split(analysis_, placements_, created);
  ++num_splits_;
  return true;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/allocation_stress.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/split_mix64.h"

namespace ptxmir {
namespace {

// The factor by which splitting may make the function grow.
constexpr uint64_t kMaxGrowth = 2;

// Returns the number of blocks in which each register is live, summed over all registers.
uint64_t CountLiveBlocks(const MachineFunction& function, const LiveIntervals& intervals) {
  const SlotIndexes& indexes = intervals.indexes();
  std::vector<uint64_t> position(function.block_number_bound());
  uint64_t next = 0;
  for (const MachineBasicBlock& block : function) position[block.number()] = ++next;
  uint64_t count = 0;
  for (uint32_t i = 0; i < intervals.num_intervals(); ++i) {
    uint64_t seen = 0;  // the position of the last block that was counted
    for (const LiveSegment& segment : intervals.Interval(Register::Virtual(i)).segments()) {
      const uint64_t first = position[indexes.BlockAt(segment.start)->number()];
      const uint64_t last = position[indexes.BlockAt(segment.end.Previous())->number()];
      count += last + 1 - std::max(first, std::min(last, seen) + 1);
      seen = last;
    }
  }
  return count;
}

// Spills some of the registers that spilling has created.
void SpillAgain(const AllocationState& state, const std::vector<Register>& registers, const SpillOptions& options,
                SplitMix64& random, InlineSpiller& spiller) {
  for (const Register reg : registers) {
    if (state.progress.Stage(reg) == LiveRangeStage::kDone || state.intervals.Interval(reg).empty()) continue;
    std::vector<Register> pieces;
    if (random.Next() % 2 == 0) spiller.Spill(reg, options, pieces);
  }
}

}  // namespace

void StressAllocation(MachineFunction& function, const AllocationState& state, RegisterStress stress,
                      RegionSplitter& splitter, InlineSpiller& spiller) {
  const bool splits = stress == RegisterStress::kSplit;
  const SpillOptions options = {.share = stress != RegisterStress::kSpillAll};
  SplitMix64 random(function.number());
  // A split adds copies to the blocks in which the register is live. If thousands of registers are live everywhere,
  // these are their number times the number of blocks. In that case only some registers are split, so that the
  // function grows in proportion to its size.
  const uint64_t growth = splits ? CountLiveBlocks(function, state.intervals) : 0;
  const uint64_t most_growth = kMaxGrowth * (function.CountInstrs() + function.num_blocks());
  const uint32_t count = state.intervals.num_intervals();
  for (uint32_t i = 0; i < count; ++i) {
    const Register reg = Register::Virtual(i);
    if (state.intervals.Interval(reg).empty() || !InlineSpiller::CanSpill(function, reg)) continue;
    std::vector<Register> parts = {reg};
    const bool is_chosen = growth <= most_growth || random.Next() % growth < most_growth;
    if (splits && is_chosen) splitter.SplitAtRandom(state.intervals.Interval(reg), random.Next(), parts);
    for (const Register part : parts) {
      if (state.intervals.Interval(part).empty()) continue;
      std::vector<Register> created;
      if (stress == RegisterStress::kSpillAll || random.Next() % 2 == 0) spiller.Spill(part, options, created);
      if (splits) SpillAgain(state, created, options, random, spiller);
    }
  }
}

}  // namespace ptxmir

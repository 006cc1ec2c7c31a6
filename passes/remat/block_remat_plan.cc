// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_plan.h"

#include <algorithm>
#include <optional>

namespace ptxmir {
namespace {

// Above this limit, walking over the uses of a value for each plan would cost more than the plan can gain.
constexpr size_t kMaxUses = 1000;
// The number of definitions that are visited for one chain. A failed attempt is repeated in other ways, at each
// level.
constexpr uint32_t kMaxVisits = 32;
constexpr RematCost kEntry = 16;
// Above any block that is executed in earnest. A billion instructions in such blocks do not overflow a sum.
constexpr uint64_t kMaxExecutions = uint64_t{1} << 32;
// The default for the most instructions in a chain. Each instruction is charged for its executions, so cicc's
// limit of 6 would only exclude good chains.
constexpr uint32_t kMaxChain = 12;

uint32_t MaxChain(const Knobs& knobs) {
  const std::optional<int32_t> limit = knobs.nv_remat_block_map_size_limit();
  return limit.has_value() ? static_cast<uint32_t>(*limit) : kMaxChain;
}

}  // namespace

void RematPlan::Reset(Register value) {
  reg = value;
  clones.clear();
  ranges.clear();
  changes.clear();
  leaves.clear();
  gain = 0;
  cost = added = 0;
  removes_original = false;
}

RematPlanner::RematPlanner(MachineFunction& function, PassContext& context, RematValues& values,
                           const RematPoints& points, const MachineRegisterPressure& pressure)
    : function_(function),
      reg_info_(function.reg_info()),
      values_(values),
      points_(points),
      pressure_(pressure),
      loops_(context.analyses.Get<MachineLoops>()),
      max_chain_(MaxChain(context.knobs)),
      executions_(function.block_number_bound()),
      gone_(reg_info_.num_virtual_registers()),
      is_leaf_(reg_info_.num_virtual_registers()),
      available_(reg_info_.num_virtual_registers()),
      states_(function.block_number_bound()),
      hot_loops_(loops_.num_cycles()),
      range_stamp_(function.block_number_bound()),
      range_end_(function.block_number_bound()) {
  const auto& frequencies = context.analyses.Get<MachineBlockFrequencies>();
  for (const MachineBasicBlock& block : function) {
    const uint64_t executions = frequencies.Executions(block, static_cast<uint64_t>(kEntry));
    executions_[block.number()] = static_cast<RematCost>(std::min(executions, kMaxExecutions));
  }
}

RematPlanner::BlockState& RematPlanner::State(BlockNumber block) {
  BlockState& state = states_[block];
  if (state.stamp != stamp_) state = {.stamp = stamp_};
  return state;
}

bool RematPlanner::CollectUses(Register reg) {
  uses_.clear();
  for (MachineOperand& use : reg_info_.NonDebugUses(reg)) {
    if (use.is_undef() || use.is_tied() || uses_.size() == kMaxUses) return false;
    uses_.push_back({points_.PointOfUse(use), &use});
  }
  // Equal uses stay in the order of the use list.
  const auto is_before = [](const Use& a, const Use& b) { return a.at.point < b.at.point; };
  if (!std::is_sorted(uses_.begin(), uses_.end(), is_before)) std::stable_sort(uses_.begin(), uses_.end(), is_before);
  return !uses_.empty();
}

void RematPlanner::AddLiveOut(BlockNumber block) {
  BlockState& state = State(block);
  state.is_live_out = true;
  state.live_until = points_.End(block) + 1;
  if (block == definition_.block || state.is_live_in) return;
  state.is_live_in = true;
  live_blocks_.push_back(block);
}

// Walks backwards from the uses to the definition.
void RematPlanner::FindLiveBlocks() {
  ++stamp_;
  live_blocks_.assign(1, definition_.block);
  for (uint32_t i = 0; i < uses_.size(); ++i) {
    const PointInBlock at = uses_[i].at;
    BlockState& state = State(at.block);
    if (state.num_uses++ == 0) state.first_use = i;
    state.live_until = std::max(state.live_until, at.point + 1);
    if (at.block == definition_.block || state.is_live_in) continue;
    state.is_live_in = true;
    live_blocks_.push_back(at.block);
  }
  for (size_t i = 1; i < live_blocks_.size(); ++i) {
    for (const MachineBasicBlock* predecessor : function_.block(live_blocks_[i])->predecessors()) {
      AddLiveOut(predecessor->number());
    }
  }
}

// Calls visit(first, last) for the ranges of points in the block at which the value is live without being read, until
// it returns true. Returns true if it did.
template <typename Visit>
bool RematPlanner::ForEachGap(BlockNumber block, Visit visit) {
  const BlockState& state = State(block);
  uint32_t from = block == definition_.block ? definition_.point + 1 : points_.First(block);
  for (uint32_t i = state.first_use; i < state.first_use + state.num_uses; ++i) {
    if (visit(from, uses_[i].at.point)) return true;
    from = uses_[i].at.point + 1;
  }
  return state.is_live_out && visit(from, points_.End(block) + 1);
}

// Returns true if the value is live through a point over the target in the block without being read there.
bool RematPlanner::FindPeaks(BlockNumber block) {
  return ForEachGap(block, [&](uint32_t first, uint32_t last) { return IsHot(first, last); });
}

void RematPlanner::AddRelief(absl::Span<int32_t> relief) {
  for (const BlockNumber block : live_blocks_) {
    ForEachGap(block, [&](uint32_t first, uint32_t last) {
      if (first < last) {
        relief[first] += units_;
        relief[last] -= units_;
      }
      return false;
    });
  }
}

bool RematPlanner::IsThroughPoint(PointInBlock at) {
  if (states_[at.block].stamp != stamp_) return false;
  return ForEachGap(at.block, [&](uint32_t first, uint32_t last) { return first <= at.point && at.point < last; });
}

// Marks the blocks that the value reaches from a point over the target. Returns false if it is live through none.
bool RematPlanner::SpreadTaint() {
  std::vector<BlockNumber>& worklist = taint_worklist_;
  worklist.clear();
  for (const BlockNumber block : live_blocks_) {
    if (!FindPeaks(block)) continue;
    worklist.push_back(block);
    CycleId loop = loops_.InnermostCycle(*function_.block(block));
    for (; loop != CycleForest::kNoCycle && hot_loops_[loop] != stamp_; loop = loops_.Parent(loop)) {
      hot_loops_[loop] = stamp_;
    }
  }
  if (worklist.empty()) return false;
  while (!worklist.empty()) {
    const BlockNumber block = worklist.back();
    worklist.pop_back();
    if (!State(block).is_live_out) continue;
    for (const MachineBasicBlock* successor : function_.block(block)->successors()) {
      BlockState& state = State(successor->number());
      if (!state.is_live_in || state.is_tainted) continue;
      state.is_tainted = true;
      worklist.push_back(successor->number());
    }
  }
  return true;
}

// Returns the outermost loop around the block before which one clone can serve all uses in the loop.
CycleId RematPlanner::ColdLoopAround(BlockNumber block) const {
  CycleId best = CycleForest::kNoCycle;
  const MachineBasicBlock& home = *function_.block(definition_.block);
  CycleId loop = loops_.InnermostCycle(*function_.block(block));
  for (; loop != CycleForest::kNoCycle; loop = loops_.Parent(loop)) {
    if (hot_loops_[loop] == stamp_ || loops_.Contains(loop, home)) break;
    const MachineBasicBlock* const preheader = loops_.Preheader(loop);
    if (preheader != nullptr && states_[preheader->number()].stamp == stamp_) best = loop;
  }
  return best;
}

void RematPlanner::HoistClone(CycleId loop, RematClone& clone) const {
  MachineBasicBlock* const preheader = loops_.Preheader(loop);
  clone.place = {preheader->number(), points_.TerminatorPoint(preheader->number())};
  clone.before = preheader->FirstTerminator();
}

void RematPlanner::AddToClone(const Use& use, bool shares_block, RematPlan& plan) {
  const CycleId loop = shares_block ? CycleForest::kNoCycle : ColdLoopAround(use.at.block);
  if (loop != CycleForest::kNoCycle) {
    const auto known = std::find_if(clone_of_loop_.begin(), clone_of_loop_.end(),
                                    [&](const std::pair<CycleId, uint32_t>& entry) { return entry.first == loop; });
    if (known != clone_of_loop_.end()) {
      plan.clones[known->second].uses.push_back(use.operand);
      return;
    }
    clone_of_loop_.emplace_back(loop, static_cast<uint32_t>(plan.clones.size()));
  }
  RematClone& clone = plan.clones.emplace_back();
  clone.uses.push_back(use.operand);
  if (loop != CycleForest::kNoCycle) {
    HoistClone(loop, clone);
    return;
  }
  clone.place = use.at;
  MachineBasicBlock* const block = function_.block(use.at.block);
  MachineInstr* const user = use.operand->parent();
  const bool at_end = use.at.point == points_.TerminatorPoint(use.at.block);
  clone.before = at_end ? block->FirstTerminator() : user;
}

void RematPlanner::MakeClones(RematPlan& plan) {
  clone_of_loop_.clear();
  kept_uses_.clear();
  std::sort(live_blocks_.begin() + 1, live_blocks_.end(),
            [&](BlockNumber a, BlockNumber b) { return points_.First(a) < points_.First(b); });
  for (const BlockNumber block : live_blocks_) {
    const BlockState state = State(block);
    bool is_tainted = state.is_tainted;
    bool has_peak = false;         // between the block's beginning and this use
    uint32_t open = ~uint32_t{0};  // the clone that later uses may share
    uint32_t from = block == definition_.block ? definition_.point + 1 : points_.First(block);
    for (uint32_t i = state.first_use; i < state.first_use + state.num_uses; ++i) {
      const Use& use = uses_[i];
      if (IsHot(from, use.at.point)) {
        is_tainted = has_peak = true;
        open = ~uint32_t{0};
      }
      from = use.at.point + 1;
      if (!is_tainted) {
        kept_uses_.push_back(use.at);
      } else if (open != ~uint32_t{0}) {
        plan.clones[open].uses.push_back(use.operand);
      } else {
        AddToClone(use, has_peak, plan);
        // A clone before a loop has its own list.
        open = plan.clones.back().place.block == block ? static_cast<uint32_t>(plan.clones.size()) - 1 : open;
      }
    }
  }
}

bool RematPlanner::IsAvailable(Register reg, PointInBlock at) {
  if (IsGone(reg)) return false;
  Availability& known = available_[reg.virtual_index()];
  if (known.block_after != at.block + 1) {
    const bool is_live_out = pressure_.IsLiveOut(*function_.block(at.block), reg);
    known = {at.block + 1, is_live_out ? ~uint32_t{0} : points_.EndOfReads(reg, at.block)};
  }
  return at.point < known.until;
}

// Records that the value is live, or no longer live, at the points of the ranges from `first_range` on.
void RematPlanner::AddChange(uint32_t first_range, int32_t units, RematPlan& plan) const {
  const RematPlan::Change& change = plan.changes.emplace_back(RematPlan::Change{
      .first_range = first_range, .end_range = static_cast<uint32_t>(plan.ranges.size()), .units = units});
  plan.gain -= units * static_cast<int64_t>(points_.Excess(plan.Ranges(change)));
}

// Extends the live range of a register to a point where it will be read, back to where it is live now.
bool RematPlanner::ExtendTo(Register reg, PointInBlock at, RematPlan& plan) {
  const MachineInstr* const definition = reg_info_.UniqueDef(reg);
  if (definition == nullptr || IsGone(reg) || values_.Units(reg) == 0) return false;
  const uint32_t first_range = static_cast<uint32_t>(plan.ranges.size());
  std::vector<PointInBlock>& worklist = extension_worklist_;
  worklist.assign(1, at);
  ++range_number_;
  constexpr size_t kMaxBlocks = 100;
  for (size_t i = 0; i < worklist.size(); ++i) {
    const PointInBlock end = worklist[i];
    const MachineBasicBlock& block = *function_.block(end.block);
    const bool is_home = definition->parent() == &block;
    const bool lives_here = is_home || pressure_.IsLiveIn(block, reg);
    // If nothing is left to gain, all that counts is that it can be extended.
    if (lives_here && worklist.size() == 1 && plan.gain <= 0) return true;
    const uint32_t begin = points_.First(end.block);
    const uint32_t defined = is_home ? points_.PointOf(*definition) + 1 : begin;
    const uint32_t from = lives_here ? points_.LastReadBefore(reg, end.block, end.point, defined) : begin;
    plan.ranges.push_back({std::max(from, defined), end.point + 1});
    if (lives_here) continue;
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (range_stamp_[predecessor->number()] == range_number_ || pressure_.IsLiveOut(*predecessor, reg)) continue;
      range_stamp_[predecessor->number()] = range_number_;
      worklist.push_back({predecessor->number(), points_.End(predecessor->number())});
    }
    if (worklist.size() > kMaxBlocks) {
      plan.ranges.resize(first_range);
      return false;
    }
  }
  AddChange(first_range, static_cast<int32_t>(values_.Units(reg)), plan);
  return true;
}

// Returns true if the plan gains nothing whether the operands in question are computed by chains or extended.
bool RematPlanner::GainsNothing(PointInBlock at, RematPlan& plan) {
  if (plan.gain > 0) return false;
  for (; num_gainless_ < in_question_.size(); ++num_gainless_) {
    OperandInQuestion& operand = in_question_[num_gainless_];
    if (operand.may_gain) return false;
    const int64_t gain = plan.gain;
    const size_t num_ranges = plan.ranges.size(), num_changes = plan.changes.size();
    plan.gain = operand.gain;
    operand.may_gain = ExtendTo(operand.reg, at, plan) && plan.gain > 0;
    plan.gain = gain;
    plan.ranges.resize(num_ranges);
    plan.changes.resize(num_changes);
    if (operand.may_gain) return false;
  }
  return true;
}

// Makes an operand of a clone's chain readable at the clone: as it is, by more instructions in the chain, or else by
// extending its live range.
bool RematPlanner::AddOperand(Register reg, RematClone& clone, RematPlan& plan) {
  if (IsAvailable(reg, clone.place)) {
    plan.leaves.push_back(reg);
    return true;
  }
  const size_t chain_size = clone.chain.size(), num_leaves = plan.leaves.size(), num_changes = plan.changes.size(),
               num_ranges = plan.ranges.size();
  const int64_t gain = plan.gain;
  in_question_.push_back({reg, gain});
  const bool is_chain = AddToChain(reg, clone, plan);
  in_question_.pop_back();
  num_gainless_ = std::min(num_gainless_, in_question_.size());
  if (!is_chain) {
    if (is_useless_) return false;
    clone.chain.resize(chain_size);
    plan.leaves.resize(num_leaves);
    plan.changes.resize(num_changes);
    plan.ranges.resize(num_ranges);
    plan.gain = gain;
    if (!ExtendTo(reg, clone.place, plan)) return false;
    plan.leaves.push_back(reg);
  }
  is_useless_ = GainsNothing(clone.place, plan);
  return !is_useless_;
}

bool RematPlanner::AddToChain(Register reg, RematClone& clone, RematPlan& plan) {
  const MachineInstr* const definition = values_.Definition(reg);
  if (definition == nullptr || clone.chain.size() >= max_chain_ || visits_ == kMaxVisits) return false;
  ++visits_;
  for (const MachineOperand& operand : VirtualUses(*definition)) {
    const bool is_known = std::find(clone.chain.begin(), clone.chain.end(), operand.reg()) != clone.chain.end();
    if (!is_known && !AddOperand(operand.reg(), clone, plan)) return false;
  }
  if (clone.chain.size() >= max_chain_) return false;
  clone.chain.push_back(reg);
  return true;
}

// Finds for each clone how its value is computed. Returns false if one cannot be, or if nothing is left to gain: live
// ranges that are extended for one clone stay extended.
bool RematPlanner::BuildChains(RematPlan& plan) {
  for (RematClone& clone : plan.clones) {
    visits_ = 0;
    is_useless_ = false;
    in_question_.clear();
    num_gainless_ = 0;
    if (!AddToChain(plan.reg, clone, plan) || plan.gain <= 0) return false;
    for (const Register reg : clone.chain) {
      plan.cost += executions_[clone.place.block] * static_cast<RematCost>(values_.Cost(*values_.Definition(reg)));
      plan.added += executions_[clone.place.block];
    }
  }
  return true;
}

// Appends the ranges in which a register is live if it is defined at one point and read at others.
void RematPlanner::AppendLiveRanges(PointInBlock from, absl::Span<const PointInBlock> uses, RematPlan& plan) {
  ++range_number_;
  std::vector<BlockNumber>& blocks = range_blocks_;
  blocks.clear();
  uint32_t home_end = from.point;
  const auto reach = [&](BlockNumber block, uint32_t end) {
    if (block == from.block) {
      home_end = std::max(home_end, end);
      return;
    }
    if (range_stamp_[block] != range_number_) {
      range_stamp_[block] = range_number_;
      range_end_[block] = 0;
      blocks.push_back(block);
    }
    range_end_[block] = std::max(range_end_[block], end);
  };
  for (const PointInBlock& use : uses) reach(use.block, use.point + 1);
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (const MachineBasicBlock* predecessor : function_.block(blocks[i])->predecessors()) {
      reach(predecessor->number(), points_.End(predecessor->number()) + 1);
    }
  }
  plan.ranges.push_back({from.point, home_end});
  for (const BlockNumber block : blocks) plan.ranges.push_back({points_.First(block), range_end_[block]});
}

// Returns true if nothing reads the results of the definition once the clones are read instead.
bool RematPlanner::RemovesOriginal(Register reg) const {
  if (!kept_uses_.empty()) return false;
  for (const MachineOperand& operand : values_.Definition(reg)->explicit_defs()) {
    if (operand.reg() != reg && !reg_info_.NonDebugUses(operand.reg()).empty()) return false;
  }
  return true;
}

// Places the clones and gives them uses. Computes what that gains if the operands of the clones cost nothing. Returns
// false if there is nothing to gain.
bool RematPlanner::MoveUses(Register reg, RematPlan& plan) {
  plan.Reset(reg);
  const MachineInstr* const definition = values_.Definition(reg);
  if (definition == nullptr || values_.Units(reg) == 0 || !CollectUses(reg)) return false;
  definition_ = {definition->parent()->number(), points_.PointOf(*definition)};
  units_ = static_cast<int32_t>(values_.Units(reg));
  FindLiveBlocks();
  if (!SpreadTaint()) return false;
  MakeClones(plan);
  if (plan.clones.empty()) return false;

  plan.ranges.push_back({definition_.point + 1, State(definition_.block).live_until});
  for (size_t i = 1; i < live_blocks_.size(); ++i) {
    plan.ranges.push_back({points_.First(live_blocks_[i]), State(live_blocks_[i]).live_until});
  }
  AddChange(0, -units_, plan);
  if (!kept_uses_.empty()) {
    const uint32_t first_range = static_cast<uint32_t>(plan.ranges.size());
    AppendLiveRanges({definition_.block, definition_.point + 1}, kept_uses_, plan);
    AddChange(first_range, units_, plan);
  }
  for (const RematClone& clone : plan.clones) {
    clone_uses_.clear();
    for (const MachineOperand* use : clone.uses) clone_uses_.push_back(points_.PointOfUse(*use));
    const uint32_t first_range = static_cast<uint32_t>(plan.ranges.size());
    AppendLiveRanges(clone.place, clone_uses_, plan);
    AddChange(first_range, units_, plan);
  }
  plan.removes_original = RemovesOriginal(reg);
  if (plan.removes_original) {
    plan.cost -= executions_[definition_.block] * static_cast<RematCost>(values_.Cost(*definition));
    plan.added -= executions_[definition_.block];
  }
  return plan.gain > 0;
}

// Returns true if the value is used in its own block only, with no point over the target up to its last use. Most
// values are such, and this is all that has to be known of them.
bool RematPlanner::IsBelowTarget(Register reg) const {
  const MachineInstr* const definition = values_.Definition(reg);
  if (definition == nullptr) return true;
  uint32_t last = 0;
  for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
    const MachineInstr& user = *use.parent();
    if (user.parent() != definition->parent() || user.is_phi()) return false;
    last = std::max(last, points_.PointOf(user));
  }
  return !points_.WasHot(points_.PointOf(*definition) + 1, last);
}

bool RematPlanner::Estimate(Register reg, RematPlan& plan) {
  stage_ = RematStage::kStart;
  if (IsBelowTarget(reg) || !MoveUses(reg, plan)) return false;
  const RematCost cost = static_cast<RematCost>(values_.Cost(*values_.Definition(reg)));
  for (const RematClone& clone : plan.clones) plan.cost += executions_[clone.place.block] * cost;
  return true;
}

bool RematPlanner::Plan(Register reg, RematStage stage, RematPlan& plan) {
  stage_ = stage;
  return MoveUses(reg, plan) && BuildChains(plan);
}

}  // namespace ptxmir

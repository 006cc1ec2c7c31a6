// SPDX-License-Identifier: Apache-2.0

#include "passes/layout/loop_placement.h"

#include <algorithm>

namespace ptxmir {
namespace {

// Returns the other successor of a block with two successors, of which one is `successor`; null if it does not
// have two.
const MachineBasicBlock* OtherSuccessor(const MachineBasicBlock& block, const MachineBasicBlock& successor) {
  const auto successors = block.successors();
  if (successors.size() != 2) return nullptr;
  return successors[successors[0] == &successor ? 1 : 0];
}

}  // namespace

MachineBasicBlock& LoopPlacement::ChooseTop() {
  MachineBasicBlock* top = &header_;
  for (;;) {
    MachineBasicBlock& better = BetterTop(*top);
    if (&better == top) return *top;
    chosen_successors_[better.number()] = top;
    top = &better;
  }
}

MachineBasicBlock& LoopPlacement::BetterTop(MachineBasicBlock& old_top) {
  // The function must begin with its first block. A chain that begins outside the loop or before the top stays
  // whole.
  if (old_top.previous() == nullptr || !chains_.IsHead(old_top) || old_top.predecessors().size() > kMaxPredecessors) {
    return old_top;
  }
  uint64_t best_gain = 0;
  MachineBasicBlock* best = nullptr;
  for (MachineBasicBlock* latch : old_top.predecessors()) {
    if (!Contains(*latch) || latch == &header_ || latch->successors().size() > 2) continue;
    if (!CanMoveToTop(*latch, old_top)) continue;
    const uint64_t gain = GainOfTop(*latch, old_top, OtherSuccessor(*latch, old_top));
    if (gain > best_gain || (gain > 0 && gain == best_gain && latch->IsLayoutSuccessor(&old_top))) {
      best = latch;
      best_gain = gain;
    }
  }
  if (best == nullptr) return old_top;
  // Include the blocks that lead only to it.
  while (best->predecessors().size() == 1 && best->predecessors()[0]->successors().size() == 1 &&
         best->predecessors()[0] != &header_) {
    best = best->predecessors()[0];
  }
  return *best;
}

// Excludes the bottom of a triangle, whose top would otherwise have nothing to fall through into.
bool LoopPlacement::CanMoveToTop(const MachineBasicBlock& latch, const MachineBasicBlock& old_top) const {
  return latch.predecessors().size() != 1 || OtherSuccessor(*latch.predecessors()[0], latch) != &old_top;
}

// Returns how much more often control would fall through with `new_top` before `old_top`; 0 if it would not.
uint64_t LoopPlacement::GainOfTop(const MachineBasicBlock& new_top, const MachineBasicBlock& old_top,
                                  const MachineBasicBlock* exit) const {
  const uint64_t back = frequencies_.EdgeFrequency(new_top, old_top);
  uint64_t lost = FallIntoTop(old_top) + (exit == nullptr ? 0 : frequencies_.EdgeFrequency(new_top, *exit));
  // The block that `new_top` would otherwise follow.
  const MachineBasicBlock* before = nullptr;
  uint64_t from_before = 0;
  for (const MachineBasicBlock* predecessor : new_top.predecessors()) {
    if (!Contains(*predecessor) || !chains_.IsTail(*predecessor)) continue;
    const uint64_t frequency = frequencies_.EdgeFrequency(*predecessor, new_top);
    if (frequency <= from_before) continue;
    from_before = frequency;
    before = predecessor;
  }
  uint64_t instead = 0;
  if (before != nullptr) {
    for (const MachineBasicBlock* successor : before->successors()) {
      if (successor == &new_top || successor == before || !Contains(*successor) ||
          chosen_successors_[successor->number()] != nullptr || !chains_.IsHead(*successor) ||
          chains_.Of(*successor) == chains_.Of(*before)) {
        continue;
      }
      instead = std::max(instead, frequencies_.EdgeFrequency(*before, *successor));
    }
    // Another block follows it in any case.
    if (instead > from_before) instead = from_before = 0;
  }
  lost += from_before;
  return back + instead > lost ? back + instead - lost : 0;
}

// Returns true if `predecessor`, which is outside the loop, can precede `top` and has no likelier block to
// precede.
bool LoopPlacement::CanBeFallenInto(const MachineBasicBlock& top, const MachineBasicBlock& predecessor) const {
  if (Contains(predecessor) || !chains_.IsTail(predecessor)) return false;
  const uint32_t probability = probabilities_.Probability(predecessor, top).numerator();
  return std::none_of(predecessor.successors().begin(), predecessor.successors().end(),
                      [&](const MachineBasicBlock* successor) {
                        return !Contains(*successor) && chains_.IsHead(*successor) &&
                               probabilities_.Probability(predecessor, *successor).numerator() > probability;
                      });
}

uint64_t LoopPlacement::FallIntoTop(const MachineBasicBlock& top) const {
  uint64_t most = 0;
  for (const MachineBasicBlock* predecessor : top.predecessors()) {
    if (CanBeFallenInto(top, *predecessor)) most = std::max(most, frequencies_.EdgeFrequency(*predecessor, top));
  }
  return most;
}

void LoopPlacement::ChooseExit() {
  if (!Contains(chains_.Head(chains_.Of(header_)))) return;
  Exit best;
  bool leads_to_outer_loop = false, best_leads_to_outer_loop = false;
  for (MachineBasicBlock* block : loops_.Blocks(loop_)) {
    bool is_outer = false;
    if (chains_.IsTail(*block) && ConsiderExits(*block, best, is_outer)) best_leads_to_outer_loop = is_outer;
    leads_to_outer_loop |= is_outer;
  }
  if (best.block == nullptr || loops_.Blocks(loop_).size() == 1) return;
  // The exit into an outer loop should be the one that falls through.
  if (leads_to_outer_loop && !best_leads_to_outer_loop) return;
  exit_ = best;
}

// The best exiting block has the most frequent edge out of the loop, or one as frequent that leads to its layout
// successor. It must also have a successor in the loop.
bool LoopPlacement::ConsiderExits(MachineBasicBlock& block, Exit& best, bool& leads_to_outer_loop) {
  const Exit old_best = best;
  bool stays = false;
  for (const MachineBasicBlock* successor : block.successors()) {
    if (successor == &block || chains_.Of(*successor) == chains_.Of(block)) continue;
    if (Contains(*successor)) {
      stays = true;
      continue;
    }
    const CycleId outer = loops_.InnermostCycle(*successor);
    const bool is_in_loop = outer != MachineLoops::kNoCycle;
    if (is_in_loop && loops_.Contains(outer, loop_)) leads_to_outer_loop = true;
    const uint64_t frequency = frequencies_.EdgeFrequency(block, *successor);
    if (best.block == nullptr || is_in_loop || frequency > best.frequency ||
        (block.IsLayoutSuccessor(successor) && frequency >= best.frequency)) {
      best = {&block, frequency};
    }
  }
  if (!stays) best = old_best;
  return best.block == &block;
}

void LoopPlacement::Rotate(ChainId chain) {
  const MachineBasicBlock& top = chains_.Head(chain);
  const MachineBasicBlock& bottom = chains_.Tail(chain);
  if (exit_.block == nullptr || &bottom == exit_.block || top.previous() == nullptr) return;
  const bool is_fallen_into =
      std::any_of(top.predecessors().begin(), top.predecessors().end(),
                  [&](const MachineBasicBlock* predecessor) { return CanBeFallenInto(top, *predecessor); });
  if (is_fallen_into) {
    // Rotation loses this fallthrough. Do not rotate if the loop ends with an exit now, if the exit is taken no
    // more often than control falls into the top, or if the exiting block falls through to its successor and the
    // bottom does not lead to the top.
    const bool ends_with_exit = std::any_of(
        bottom.successors().begin(), bottom.successors().end(),
        [&](const MachineBasicBlock* successor) { return !Contains(*successor) && chains_.IsHead(*successor); });
    if (ends_with_exit || FallIntoTop(top) >= exit_.frequency) return;
    const MachineBasicBlock* behind_exit = chains_.Next(*exit_.block);
    if (behind_exit != nullptr && exit_.block->IsSuccessor(behind_exit) && !bottom.IsSuccessor(&top)) return;
  }
  if (chains_.Of(*exit_.block) == chain) chains_.Rotate(*exit_.block);
}

}  // namespace ptxmir

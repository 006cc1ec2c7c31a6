// SPDX-License-Identifier: Apache-2.0

#include "passes/layout/branch_folder.h"

#include "passes/layout/tail_merging.h"
#include "passes/motion/hoist_common_code.h"
#include "passes/support/block_ending.h"

namespace ptxmir {
namespace {

// Off: see docs/tried-and-lost.md.
constexpr bool kMergesTails = false;

bool HasCode(const MachineBasicBlock& block) { return block.FirstNonDebug() != nullptr; }

class BranchFolder {
 public:
  BranchFolder(MachineFunction& function, PassContext& context) : function_(function), context_(context) {}

  bool Run() {
    bool changed = false;
    if (context_.knobs.enable_tail_merge().value_or(kMergesTails)) {
      num_merged_ = MergeTails(function_, context_);
      changed = num_merged_ != 0;
    }
    changed |= function_.RenumberBlocks();
    while (RunRound()) {
      changed = true;
      function_.RenumberBlocks();
    }
    if (!changed) return false;
    context_.AddStatistic("blocks removed", num_removed_);
    context_.AddStatistic("branches removed or led on", num_branches_);
    context_.AddStatistic("blocks moved", num_moved_);
    context_.AddStatistic("common instructions hoisted", num_hoisted_);
    context_.AddStatistic("instructions of equal ends removed", num_merged_);
    return true;
  }

 private:
  enum class Step : uint8_t { kNothing, kDone, kAgain };

  // Uses the numbers of the blocks as their order, so that blocks with a fallthrough are only moved backwards.
  bool RunRound() {
    bool changed = false;
    for (MachineBasicBlock* block = function_.front()->next(); block != nullptr;) {
      MachineBasicBlock* const next = block->next();
      Step step = Step::kAgain;
      while (step == Step::kAgain) {
        step = Optimize(*block);
        changed |= step != Step::kNothing;
      }
      if (block->predecessors().empty() && !HasAddressTaken(*block)) {
        function_.EraseBlock(block);
        ++num_removed_;
        changed = true;
      }
      block = next;
    }
    const uint64_t num_hoisted = HoistCommonCode(function_);
    num_hoisted_ += num_hoisted;
    return changed || num_hoisted != 0;
  }

  Step Optimize(MachineBasicBlock& block) {
    if (!HasCode(block) && !HasAddressTaken(block)) return LeadPastEmptyBlock(block) ? Step::kDone : Step::kNothing;
    const Step with_previous = SimplifyPrevious(*block.previous(), block);
    if (with_previous != Step::kNothing) return with_previous;
    const bool led_on = LeadPastJump(block);
    if (led_on && block.predecessors().empty()) return Step::kDone;
    const Step moved = MoveToFallThrough(block);
    return moved == Step::kNothing && led_on ? Step::kDone : moved;
  }

  // Redirects the predecessors of a block without code to the next block.
  bool LeadPastEmptyBlock(MachineBasicBlock& block) {
    MachineBasicBlock* const next = block.next();
    if (next == nullptr || next->is_landing_pad || !block.IsSuccessor(next) || block.predecessors().empty())
      return false;
    CopyDebugInstrs(block);
    while (!block.predecessors().empty()) LeadOn(*block.predecessors().back(), block, *next);
    return true;
  }

  // Copies the debug instructions of a block without code to neighbors that belong to the same path only.
  void CopyDebugInstrs(MachineBasicBlock& block) {
    const auto copy = [&](MachineBasicBlock& to, MachineInstr* before) {
      for (const MachineInstr& instr : block) to.Insert(before, function_.CloneInstr(instr));
    };
    for (MachineBasicBlock* successor : block.successors()) {
      if (successor->predecessors().size() == 1) copy(*successor, successor->front());
    }
    for (MachineBasicBlock* predecessor : block.predecessors()) {
      if (predecessor->successors().size() == 1) copy(*predecessor, predecessor->FirstTerminator());
    }
  }

  // Simplifies the end of the previous block, given that this block follows it.
  Step SimplifyPrevious(MachineBasicBlock& previous, MachineBasicBlock& block) {
    const BlockEnding ending = EndingOf(previous);
    if (!ending.is_known) return Step::kNothing;
    if (ending.is_conditional() && ending.taken == ending.otherwise) {
      ReplaceBranchesByJump(previous, ending, *ending.taken);
    } else if (ending.taken == nullptr) {
      return JoinWithPrevious(previous, block);
    } else if (ending.taken == &block && ending.otherwise == nullptr) {
      (ending.is_conditional() ? ending.branch : ending.jump)->EraseFromParent();
    } else if (ending.otherwise == &block) {
      ending.jump->EraseFromParent();
    } else {
      return Step::kNothing;
    }
    ++num_branches_;
    return Step::kAgain;
  }

  Step JoinWithPrevious(MachineBasicBlock& previous, MachineBasicBlock& block) {
    if (block.predecessors().size() != 1 || previous.successors().size() != 1 || !previous.IsSuccessor(&block) ||
        HasAddressTaken(block)) {
      return Step::kNothing;
    }
    previous.RemoveSuccessor(&block);
    block.SpliceTail(block.front(), previous);
    // One by one, as LLVM does: each successor has this predecessor last then, and the order of predecessors decides
    // behind which of them a block is moved.
    while (!block.successors().empty()) {
      MachineBasicBlock* const successor = block.successors().front();
      previous.AddSuccessor(successor, block.successor_probabilities().front());
      block.RemoveSuccessor(successor);
    }
    return Step::kDone;
  }

  // Redirects the predecessors of a block that only jumps to the target of that jump.
  bool LeadPastJump(MachineBasicBlock& block) {
    const BlockEnding ending = EndingOf(block);
    if (ending.jump == nullptr || ending.is_conditional() || block.FirstNonDebug() != ending.jump ||
        ending.taken == &block || HasAddressTaken(block)) {
      return false;
    }
    MachineBasicBlock& previous = *block.previous();
    if (!MakeFallThroughExplicit(previous, block)) return false;
    bool changed = false;
    for (size_t i = 0; i < block.predecessors().size();) {
      MachineBasicBlock& predecessor = *block.predecessors()[i];
      if (&predecessor == &block) {
        ++i;
        continue;
      }
      LeadOn(predecessor, block, *ending.taken);
      changed = true;
    }
    return changed;
  }

  void LeadOn(MachineBasicBlock& predecessor, MachineBasicBlock& from, MachineBasicBlock& to) {
    predecessor.RetargetSuccessor(&from, &to);
    const BlockEnding ending = EndingOf(predecessor);
    if (ending.is_conditional() && ending.taken == ending.otherwise) {
      ReplaceBranchesByJump(predecessor, ending, *ending.taken);
    }
    ++num_branches_;
  }

  // Turns a fallthrough into the block into an explicit jump. Returns false if the ending of the previous block is
  // not known.
  bool MakeFallThroughExplicit(MachineBasicBlock& previous, MachineBasicBlock& block) {
    if (!previous.IsSuccessor(&block)) return true;
    const BlockEnding ending = EndingOf(previous);
    if (!ending.is_known) return !previous.CanFallThrough();
    if (ending.falls_through()) AppendJump(previous, block);
    return true;
  }

  // If no block falls through into this one, looks for a place where a predecessor can, or where it can fall
  // through into a successor.
  Step MoveToFallThrough(MachineBasicBlock& block) {
    if (LayoutSuccessor(*block.previous()) != nullptr) return Step::kNothing;
    const BlockEnding ending = EndingOf(block);
    const bool falls_through = LayoutSuccessor(block) != nullptr;
    if (MachineBasicBlock* const before = PredecessorToFollow(block, ending, falls_through)) {
      // The block must still reach the block that follows it now.
      if (falls_through && ending.jump == nullptr) AppendJump(block, *block.next());
      function_.MoveBlock(before->next(), &block);
      ++num_moved_;
      return Step::kAgain;
    }
    if (falls_through) return Step::kNothing;
    for (MachineBasicBlock* successor : {ending.otherwise, ending.taken}) {
      if (successor == nullptr || successor == &block || successor == function_.front()) continue;
      MachineBasicBlock* const before = successor->previous();
      if (before == &block || LayoutSuccessor(*before) != nullptr) continue;
      function_.MoveBlock(successor, &block);
      ++num_moved_;
      return Step::kAgain;
    }
    return MoveToEnd(block);
  }

  // Returns a predecessor whose layout successor is not one of its successors, so that the block may follow it.
  MachineBasicBlock* PredecessorToFollow(const MachineBasicBlock& block, const BlockEnding& ending,
                                         bool falls_through) const {
    // The ending has no room for another jump.
    if (falls_through && ending.taken != nullptr && ending.otherwise != nullptr) return nullptr;
    for (MachineBasicBlock* predecessor : block.predecessors()) {
      if (predecessor == &block || LayoutSuccessor(*predecessor) != nullptr) continue;
      const BlockEnding to_block = EndingOf(*predecessor);
      if (!to_block.is_known || (to_block.taken != &block && to_block.otherwise != &block)) continue;
      if (!falls_through || block.number() >= predecessor->number()) return predecessor;
    }
    return nullptr;
  }

  // Moves the block to the end so that the previous block can fall through into the next one.
  Step MoveToEnd(MachineBasicBlock& block) {
    MachineBasicBlock* const next = block.next();
    if (next == nullptr || next->is_landing_pad || !EndingOf(*block.previous()).is_known ||
        !block.previous()->IsSuccessor(next)) {
      return Step::kNothing;
    }
    function_.MoveBlock(nullptr, &block);
    ++num_moved_;
    return Step::kDone;
  }

  MachineFunction& function_;
  PassContext& context_;
  uint64_t num_removed_ = 0;
  uint64_t num_branches_ = 0;
  uint64_t num_moved_ = 0;
  uint64_t num_hoisted_ = 0;
  uint64_t num_merged_ = 0;
};

}  // namespace

PassResult RunBranchFolder(MachineFunction& function, PassContext& context) {
  PassResult result;
  result.changed = function.num_blocks() > 1 && BranchFolder(function, context).Run();
  return result;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/sink_like_llvm.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/operand_ranges.h"
#include "passes/motion/sinking.h"
#include "passes/ssa/instr_properties_like_llvm.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir::like_llvm {
namespace {

class SinkLikeLlvm : public SinkPolicy {
 public:
  SinkLikeLlvm(MachineFunction& function, PassContext& context)
      : reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        post_dominators_(context.analyses.Get<MachinePostDominatorTree>()),
        cycles_(context.analyses.Get<MachineCycles>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        memory_(context.analyses.Get<MemoryDependence>()) {}

  bool EnterBlock(const MachineBasicBlock& block) override {
    if (block.successors().size() < 2 || !dominators_.Contains(block)) return false;
    candidates_.clear();
    pressures_.clear();
    writers_after_.clear();
    between_target_ = nullptr;
    saw_store_ = false;
    return true;
  }

  // Returns true if the copy is its source's only use.
  bool ShouldCoalesce(const MachineInstr& copy) const override {
    if (!copy.is_copy()) return false;
    const Register to = copy.operand(0).reg(), from = copy.operand(1).reg();
    if (!from.is_virtual() || !to.is_virtual() || !reg_info_.HasOneNonDebugUse(from) ||
        reg_info_.reg_class(from) != reg_info_.reg_class(to)) {
      return false;
    }
    const MachineInstr* const def = reg_info_.UniqueDef(from);
    return def != nullptr && !def->is_copy() && reg_info_.UniqueDef(to) == &copy;
  }

  bool MayMove(const MachineInstr& instr) override { return IsSafeToMove(instr, saw_store_) && !IsConvergent(instr); }

  // Returns the least frequent block that dominates the uses of the first result.
  MachineBasicBlock* FindTarget(const MachineInstr& instr) override {
    const MachineBasicBlock& block = *instr.parent();
    const MachineOperand* const result = FirstResult(instr);
    if (result == nullptr) return nullptr;
    const Uses uses = UsesOf(result->reg(), block);
    const auto& candidates = Candidates(block);
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const MachineBasicBlock* candidate) {
      return EdgeOrBlockDominates(*candidate, uses);
    });
    return found == candidates.end() || *found == &block ? nullptr : *found;
  }

  bool Pays(const MachineInstr& instr, const MachineBasicBlock& target) override {
    const MachineBasicBlock& block = *instr.parent();
    if (!post_dominators_.Dominates(target, block)) return true;
    if (cycles_.Depth(block) > cycles_.Depth(target)) return true;
    const auto uses = reg_info_.NonDebugUses(FirstResult(instr)->reg());
    const bool has_use_there = std::any_of(uses.begin(), uses.end(), [&](const MachineOperand& use) {
      return use.parent()->parent() == &target && !use.parent()->is_phi();
    });
    return !has_use_there || ShortensLiveRanges(instr, block, target);
  }

  MachineInstr* FindPlace(const MachineInstr& /*instr*/, MachineBasicBlock& target) const override {
    return target.FirstNonPhi();
  }

  bool IsSafe(const SinkMove& move) override {
    const MachineInstr& instr = *move.instr;
    const MachineBasicBlock &block = *instr.parent(), &target = *move.target;
    if (target.is_landing_pad || target.is_inlineasm_br_indirect_target || !MayTakeOperandsTo(instr, target))
      return false;
    const bool is_plain = !MayLoad(instr) || IsInvariantLoad(instr);
    if (target.predecessors().size() > 1) {
      // The load must not move to paths that did not execute it, and nothing may move into a cycle.
      if (!is_plain && !post_dominators_.Dominates(target, block)) return false;
      if (!dominators_.Dominates(block, target)) return false;
      const CycleId cycle = cycles_.InnermostCycle(target);
      if (cycle != CycleForest::kNoCycle && (!cycles_.IsReducible(cycle) || cycles_.Header(cycle) == &target)) {
        return false;
      }
    }
    return is_plain || !MayChangeBefore(instr, block, target);
  }

  void DidKeep(const MachineInstr& instr) override {
    if (MayWrite(instr)) writers_after_.push_back(&instr);
  }

 private:
  // The uses of the results of an instruction.
  struct Uses {
    bool is_local = false;  // used in the block itself
    bool is_any = false;
    MachineBasicBlock* dominator = nullptr;   // the nearest common dominator of all uses' blocks
    const MachineBasicBlock* phis = nullptr;  // the block of all uses if they are PHIs that read from this block
  };

  // Returns true if a load that moves past the instruction has to be checked against it.
  static bool MayWrite(const MachineInstr& instr) {
    const bool is_plain_load =
        MayLoad(instr) && !MayStore(instr) && !HasUnmodeledSideEffects(instr) && !IsOrderedLoad(instr);
    return !instr.is_debug() && !instr.is_phi() && !is_plain_load && !IsPlainComputation(instr);
  }

  // Returns true if an instruction between the load and the beginning of `target` may write the memory that the
  // load reads. The instructions after the load in `block` have been visited already.
  bool MayChangeBefore(const MachineInstr& load, const MachineBasicBlock& block, const MachineBasicBlock& target) {
    if (between_target_ != &target) FindWritersBetween(block, target);
    return is_far_ ||
           std::any_of(writers_after_.begin(), writers_after_.end(),
                       [&](const MachineInstr* instr) { return memory_.MayChange(*instr, load); }) ||
           std::any_of(writers_between_.begin(), writers_between_.end(), [&](const MachineInstr* instr) {
             return memory_.MayChange(*instr, load, /*may_be_other_iteration=*/true);
           });
  }

  // Sets `writers_between_`, or `is_far_` if the search would take too long.
  void FindWritersBetween(const MachineBasicBlock& block, const MachineBasicBlock& target) {
    constexpr size_t kMaxBlocks = 20;
    constexpr size_t kMaxInstrs = 2000;
    between_target_ = &target;
    is_far_ = false;
    writers_between_.clear();
    std::vector<const MachineBasicBlock*> between = {&block};
    for (size_t i = 0; i < between.size() && !is_far_; ++i) {
      for (const MachineBasicBlock* next : between[i]->successors()) {
        if (next == &target || std::find(between.begin(), between.end(), next) != between.end()) continue;
        // Like LLVM, ignore blocks from which `target` can be avoided. If `target` has one predecessor, there are
        // none in between.
        if (post_dominators_.Dominates(target, *next)) between.push_back(next);
      }
      is_far_ = between.size() > kMaxBlocks + 1 || (i > 0 && between[i]->CountInstrs() > kMaxInstrs);
      if (i == 0 || is_far_) continue;
      for (const MachineInstr& instr : *between[i]) {
        if (MayWrite(instr)) writers_between_.push_back(&instr);
      }
    }
  }

  // Returns the blocks to which instructions of `block` could move, the least frequent first.
  const std::vector<MachineBasicBlock*>& Candidates(const MachineBasicBlock& block) {
    if (!candidates_.empty()) return candidates_;
    candidates_.assign(block.successors().begin(), block.successors().end());
    for (MachineBasicBlock* child = dominators_.FirstChild(block); child != nullptr;
         child = dominators_.NextSibling(*child)) {
      if (!block.IsSuccessor(child)) candidates_.push_back(child);
    }
    std::stable_sort(
        candidates_.begin(), candidates_.end(), [&](const MachineBasicBlock* a, const MachineBasicBlock* b) {
          const uint64_t frequency_a = frequencies_.Frequency(*a), frequency_b = frequencies_.Frequency(*b);
          return frequency_a == 0 && frequency_b == 0 ? cycles_.Depth(*a) < cycles_.Depth(*b)
                                                      : frequency_a < frequency_b;
        });
    return candidates_;
  }

  Uses UsesOf(Register reg, const MachineBasicBlock& block) const {
    Uses uses;
    bool are_phis = true;
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      const MachineInstr& user = *use.parent();
      MachineBasicBlock& at = BlockOfUse(use);
      if (user.is_phi()) {
        are_phis &= &at == &block && (!uses.is_any || uses.phis == user.parent());
        uses.phis = user.parent();
      } else {
        are_phis = false;
        uses.is_local |= &at == &block;
      }
      uses.is_any = true;
      if (!dominators_.Contains(at)) continue;
      uses.dominator = uses.dominator == nullptr ? &at : dominators_.NearestCommonDominator(*uses.dominator, at);
    }
    if (!are_phis) uses.phis = nullptr;
    return uses;
  }

  // Returns true if all uses are PHIs of the block that read from the block of the instruction. Only the edge between
  // them dominates such uses, and it would have to be split.
  static bool OnlyEdgeDominates(const MachineBasicBlock& block, const Uses& uses) {
    return uses.is_any && uses.phis == &block;
  }

  bool EdgeOrBlockDominates(const MachineBasicBlock& block, const Uses& uses) const {
    if (!uses.is_any || OnlyEdgeDominates(block, uses)) return true;
    return !uses.is_local && (uses.dominator == nullptr || dominators_.Dominates(block, *uses.dominator));
  }

  // Returns the first result in a virtual register. Returns null if there is none, or if a physical register before it
  // keeps the instruction from moving.
  const MachineOperand* FirstResult(const MachineInstr& instr) const {
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      if (operand.reg().is_virtual() && operand.is_def()) return &operand;
      if (!operand.reg().is_virtual() && !IsFreePhysical(reg_info_, operand)) return nullptr;
    }
    return nullptr;
  }

  // Returns true if the target dominates the uses of all results, and no physical register keeps the instruction from
  // moving.
  bool MayTakeOperandsTo(const MachineInstr& instr, const MachineBasicBlock& target) const {
    return std::all_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
      if (!operand.is_reg() || !operand.reg().is_valid()) return true;
      if (!operand.reg().is_virtual()) return IsFreePhysical(reg_info_, operand);
      if (operand.is_use()) return true;
      const Uses uses = UsesOf(operand.reg(), *instr.parent());
      return EdgeOrBlockDominates(target, uses) && !OnlyEdgeDominates(target, uses);
    });
  }

  // Returns true if moving the instruction between two blocks of one cycle shortens live ranges.
  bool ShortensLiveRanges(const MachineInstr& instr, const MachineBasicBlock& block, const MachineBasicBlock& target) {
    const CycleId cycle = cycles_.InnermostCycle(block);
    if (cycle == CycleForest::kNoCycle) return false;
    return std::all_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
      if (!operand.is_reg() || !operand.reg().is_valid()) return true;
      if (!operand.reg().is_virtual()) return false;
      if (operand.is_def()) return EdgeOrBlockDominates(target, UsesOf(operand.reg(), block));
      const MachineInstr* const def = reg_info_.UniqueDef(operand.reg());
      if (def == nullptr || cycles_.InnermostCycle(*def->parent()) != cycle) return true;
      // The value is live through the whole cycle anyway.
      if (def->is_phi() && cycles_.IsReducible(cycle) && cycles_.Header(cycle) == def->parent()) return true;
      const RegClassId reg_class = reg_info_.reg_class(operand.reg());
      return 1 + PressureIn(target, reg_class) < PressureLimit(reg_class);
    });
  }

  // Returns the maximum number of values of the class that the block's own instructions keep live at once, as
  // LLVM's RegPressureTracker computes it without live intervals: values that are live through the block do not
  // count, and each result that is live out increases the maximum.
  uint32_t PressureIn(const MachineBasicBlock& block, RegClassId reg_class) {
    const auto [found, is_new] = pressures_.try_emplace(std::pair(block.number(), reg_class), 0);
    if (!is_new) return found->second;
    absl::flat_hash_set<uint32_t> live;
    uint32_t most = 0;
    const auto is_counted = [&](const MachineOperand& operand) {
      return reg_info_.reg_class(operand.reg()) == reg_class;
    };
    for (const MachineInstr* instr = block.back(); instr != nullptr; instr = instr->previous()) {
      if (instr->is_debug()) continue;
      for (const MachineOperand& def : VirtualDefs(*instr)) {
        if (is_counted(def)) most += live.erase(def.reg().virtual_index()) == 0;
      }
      for (const MachineOperand& read : VirtualReads(*instr)) {
        if (is_counted(read)) live.insert(read.reg().virtual_index());
      }
      most = std::max(most, static_cast<uint32_t>(live.size()));
    }
    return found->second = most;
  }

  const MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MachinePostDominatorTree& post_dominators_;
  const MachineCycles& cycles_;
  const MachineBlockFrequencies& frequencies_;
  const MemoryDependence& memory_;
  std::vector<MachineBasicBlock*> candidates_;  // for the block that is being visited
  absl::flat_hash_map<std::pair<BlockNumber, RegClassId>, uint32_t> pressures_;
  std::vector<const MachineInstr*> writers_after_;  // writers after the current instruction, in its block
  const MachineBasicBlock* between_target_ = nullptr;
  std::vector<const MachineInstr*> writers_between_;  // writers between the block and `between_target_`
  bool is_far_ = false;
  bool saw_store_ = false;  // after the current instruction, in its block
};

}  // namespace

std::unique_ptr<SinkPolicy> MakeSinkPolicy(MachineFunction& function, PassContext& context) {
  return std::make_unique<SinkLikeLlvm>(function, context);
}

}  // namespace ptxmir::like_llvm

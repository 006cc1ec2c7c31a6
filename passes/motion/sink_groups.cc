// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/sink_groups.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "passes/motion/register_saving.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// The most blocks below a block that are considered, and the most writes to memory that a load may pass.
constexpr size_t kMaxTargets = 8;
constexpr size_t kMaxBetween = 16;  // blocks on the way that execute as often
constexpr size_t kMaxWrites = 8;
constexpr uint64_t kMaxMovesPerInstr = 8;

class GroupSinker {
 public:
  GroupSinker(MachineFunction& function, PassContext& context, const MachineRegisterPressure& pressure,
              SinkEditor& editor)
      : function_(function),
        reg_info_(function.reg_info()),
        loops_(context.analyses.Get<MachineLoops>()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        memory_(context.analyses.Get<MemoryDependence>()),
        pressure_(pressure),
        has_hard_budget_(ComputeRegisterBudget(function, context.analyses.inputs()).is_hard),
        editor_(editor) {}

  void Run() {
    const uint64_t max_changes = editor_.num_changes() + kMaxMovesPerInstr * function_.CountInstrs();
    for (const BlockNumber number : dominators_.Preorder()) {
      MachineBasicBlock& block = *function_.block(number);
      FindTargets(block);
      if (targets_.empty()) continue;
      FindMembers(block);
      for (uint32_t i = 0; i < targets_.size(); ++i) SinkTo(i);
      if (editor_.num_changes() > max_changes) return;
    }
  }

 private:
  struct Member {
    MachineInstr* instr;
    uint32_t target;  // an index of `targets_`
    uint32_t parent;  // in the forest of groups: an index of `members_`, its own for the root
    // Of the group, if this is its root: its size, the units that are no longer live below it, those that are instead,
    // and the decision.
    uint32_t size = 1;
    uint32_t saved = 0;
    uint32_t spent = 0;
    bool moves = false;
  };

  // ---- What may move, and where to

  // Finds the nearest blocks below that execute less often, and are in no loop that `block` is not in.
  void FindTargets(const MachineBasicBlock& block) {
    targets_.clear();
    between_.assign(1, &block);
    for (size_t i = 0; i < between_.size() && between_.size() < kMaxBetween; ++i) {
      for (MachineBasicBlock* child = dominators_.FirstChild(*between_[i]);
           child != nullptr && targets_.size() < kMaxTargets; child = dominators_.NextSibling(*child)) {
        const CycleId cycle = loops_.InnermostCycle(*child);
        if (cycle != CycleForest::kNoCycle && !loops_.Contains(cycle, block)) continue;
        if (frequencies_.IsMoreOften(block, *child)) {
          targets_.push_back(child);
        } else {
          between_.push_back(child);
        }
      }
    }
  }

  // Finds the instructions that only one target needs. Users come before what they use.
  void FindMembers(MachineBasicBlock& block) {
    members_.clear();
    member_of_.clear();
    writes_.clear();
    for (MachineInstr* instr = block.back(); instr != nullptr; instr = instr->previous()) {
      if (instr->is_debug()) continue;
      const uint32_t target = TargetOf(*instr);
      if (target != kNone && (IsPlainComputation(*instr) || CanLoadMoveTo(*instr, *targets_[target]))) {
        const auto index = static_cast<uint32_t>(members_.size());
        for (const MachineOperand& result : instr->explicit_defs()) member_of_[result.reg().virtual_index()] = index;
        members_.push_back({.instr = instr, .target = target, .parent = index});
      } else if (MayWrite(*instr)) {
        writes_.push_back(instr);
      }
    }
  }

  // Returns false for computations, branches and plain loads.
  static bool MayWrite(const MachineInstr& instr) {
    if (IsPlainComputation(instr) || instr.is_copy() || instr.is_phi() || instr.is_terminator()) return false;
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    return !info.reads_memory() || !info.is_deletable_if_unused() || ptx::IsOrderedAccess(instr);
  }

  // Returns the target where all results of the instruction are needed, or kNone.
  uint32_t TargetOf(const MachineInstr& instr) const {
    if (!IsMovable(reg_info_, instr)) return kNone;
    uint32_t target = kNone;
    for (const MachineOperand& result : instr.explicit_defs()) {
      for (const MachineOperand& use : reg_info_.NonDebugUses(result.reg())) {
        const uint32_t other = TargetOfUse(use, *instr.parent());
        if (other == kNone || (target != kNone && target != other)) return kNone;
        target = other;
      }
    }
    return target;
  }

  uint32_t TargetOfUse(const MachineOperand& use, const MachineBasicBlock& block) const {
    const MachineBasicBlock& place = BlockOfUse(use);
    if (&place == &block) {
      if (use.parent()->is_phi()) return kNone;
      const MachineInstr& user = *use.parent();
      if (user.num_explicit_defs() == 0 || !user.operand(0).reg().is_virtual()) return kNone;
      const auto member = member_of_.find(user.operand(0).reg().virtual_index());
      return member == member_of_.end() ? kNone : members_[member->second].target;
    }
    for (uint32_t i = 0; i < targets_.size(); ++i) {
      if (dominators_.Dominates(*targets_[i], place)) return i;
    }
    return kNone;
  }

  bool CanLoadMoveTo(const MachineInstr& load, const MachineBasicBlock& target) const {
    return ReadsSameValueIn(target, load, memory_, [&] {
      return writes_.size() > kMaxWrites || std::any_of(writes_.begin(), writes_.end(), [&](const MachineInstr* write) {
               return memory_.MayChange(*write, load);
             });
    });
  }

  // ---- Groups

  uint32_t RootOf(uint32_t index) {
    while (members_[index].parent != index) {
      members_[index].parent = members_[members_[index].parent].parent;
      index = members_[index].parent;
    }
    return index;
  }

  void Join(uint32_t a, uint32_t b) {
    a = RootOf(a);
    b = RootOf(b);
    if (a == b) return;
    members_[b].parent = a;
    members_[a].size += members_[b].size;
    members_[a].saved += members_[b].saved;
    members_[a].spent += members_[b].spent;
  }

  // Joins the members of a target to groups, and counts what each group saves.
  void FindGroups(uint32_t target) {
    reader_of_.clear();
    for (uint32_t i = 0; i < members_.size(); ++i) {
      if (members_[i].target != target) continue;
      MachineInstr& instr = *members_[i].instr;
      uint32_t saved = 0, spent = 0;
      for (const MachineOperand& result : instr.explicit_defs()) {
        if (IsNeededBelow(result.reg(), *instr.parent()) && !IsCostless(reg_info_, result.reg())) {
          saved += PressureUnitsOf(function_, result.reg());
        }
      }
      for (const MachineOperand& operand : instr.operands().subspan(instr.num_explicit_defs())) {
        if (!operand.reads_reg() || !operand.reg().is_virtual()) continue;
        const auto member = member_of_.find(operand.reg().virtual_index());
        if (member != member_of_.end()) {
          Join(i, member->second);
        } else if (const auto [reader, is_first] = reader_of_.try_emplace(operand.reg().virtual_index(), i);
                   !is_first) {
          if (reader->second != kNone) Join(i, reader->second);
        } else if (IsCostless(reg_info_, operand.reg()) || pressure_.IsLiveIn(*targets_[target], operand.reg())) {
          reader->second = kNone;  // it is live in any case, and connects nothing
        } else {
          spent += PressureUnitsOf(function_, operand.reg());
        }
      }
      Member& root = members_[RootOf(i)];
      root.saved += saved;
      root.spent += spent;
    }
  }

  bool IsNeededBelow(Register result, const MachineBasicBlock& block) const {
    for (const MachineOperand& use : reg_info_.NonDebugUses(result)) {
      if (&BlockOfUse(use) != &block) return true;
    }
    return false;
  }

  // Decides on each group of a target before anything moves. Without a limit of registers, a group may take more at the
  // beginning of the target than it saves, as long as no more are busy there than somewhere in the block where it
  // stands.
  void ChooseGroups(uint32_t target) {
    std::optional<int64_t> room;  // looked up if it matters
    for (uint32_t i = 0; i < members_.size(); ++i) {
      Member& group = members_[i];
      if (group.target != target || group.parent != i) continue;
      // The policy decides on single instructions, and moves them next to their uses.
      if (group.size == 1 || group.saved == 0) continue;
      group.moves = group.saved >= group.spent;
      if (group.moves || has_hard_budget_) continue;
      if (!room.has_value()) {
        room = int64_t{pressure_.Block(*group.instr->parent()).peak.units} -
               int64_t{pressure_.Block(*targets_[target]).entry.units()};
      }
      const uint32_t added = group.spent - group.saved;
      group.moves = added <= *room;
      if (group.moves) *room -= added;
    }
  }

  void SinkTo(uint32_t target) {
    FindGroups(target);
    ChooseGroups(target);
    MachineInstr* const place = targets_[target]->FirstNonPhi();
    for (uint32_t i = static_cast<uint32_t>(members_.size()); i-- > 0;) {
      if (members_[i].target != target || !members_[RootOf(i)].moves) continue;
      editor_.Move({.instr = members_[i].instr, .target = targets_[target], .place = place});
    }
  }

  static constexpr uint32_t kNone = ~uint32_t{0};

  MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  const MachineLoops& loops_;
  const MachineDominatorTree& dominators_;
  const MachineBlockFrequencies& frequencies_;
  const MemoryDependence& memory_;
  const MachineRegisterPressure& pressure_;
  const bool has_hard_budget_;
  SinkEditor& editor_;

  // Of the block that is visited.
  std::vector<MachineBasicBlock*> targets_;
  std::vector<const MachineBasicBlock*> between_;
  std::vector<Member> members_;                        // from the last to the first
  std::vector<const MachineInstr*> writes_;            // after the instruction that is looked at
  absl::flat_hash_map<uint32_t, uint32_t> member_of_;  // by register: the member that defines it
  absl::flat_hash_map<uint32_t, uint32_t> reader_of_;  // by register of elsewhere: a member that reads it, or kNone
};

}  // namespace

void SinkGroups(MachineFunction& function, PassContext& context, const MachineRegisterPressure& pressure,
                SinkEditor& editor) {
  GroupSinker(function, context, pressure, editor).Run();
}

}  // namespace ptxmir

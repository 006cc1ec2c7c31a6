// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/late_updates.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// The computation of the value that a PHI takes at the end of the block that computes it.
struct Update {
  MachineInstr* instr = nullptr;
  MachineInstr* phi = nullptr;

  Register present() const { return phi->operand(0).reg(); }
  Register next() const { return instr->operand(0).reg(); }
};

// Returns true if the present value of the PHI is not needed after the block, so that the next one can take its
// register there. Only the next blocks are asked.
bool EndsInBlock(const MachineInstr& phi, const MachineBasicBlock& block, const MachineRegisterInfo& reg_info) {
  const Register present = phi.operand(0).reg();
  for (const MachineOperand& use : reg_info.NonDebugUses(present)) {
    const MachineInstr& user = *use.parent();
    if (user.is_phi()) {
      for (const auto incoming : PhiIncomings(user)) {
        if (incoming.reg() == present && incoming.predecessor() == block.number()) return false;
      }
    } else if (user.parent() != &block && user.parent() != phi.parent() && block.IsSuccessor(user.parent())) {
      return false;
    }
  }
  return true;
}

// Returns true if the operands of the update, other than the PHI, live on after its block anyway.
bool MayMove(const Update& update, const MachineRegisterInfo& reg_info) {
  const MachineInstr& instr = *update.instr;
  if (instr.num_explicit_defs() != 1 || !IsPlainComputation(instr)) return false;
  bool reads_present = false;
  for (const MachineOperand& use : VirtualUses(instr)) {
    if (use.reg() == update.present()) {
      reads_present = true;
      continue;
    }
    const MachineInstr* const def = reg_info.UniqueDef(use.reg());
    if (def == nullptr || def->parent() == instr.parent() || def->parent() == update.phi->parent()) return false;
  }
  return reads_present && EndsInBlock(*update.phi, *instr.parent(), reg_info);
}

// Returns the updates by the numbers of their blocks.
std::vector<Update> FindUpdates(MachineFunction& function) {
  const MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<Update> updates;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
      for (const auto incoming : PhiIncomings(*phi)) {
        if (!incoming.reg().is_virtual()) continue;
        const Update update = {.instr = reg_info.UniqueDef(incoming.reg()), .phi = phi};
        if (update.instr == nullptr || update.instr->parent()->number() != incoming.predecessor()) continue;
        if (MayMove(update, reg_info)) updates.push_back(update);
      }
    }
  }
  std::stable_sort(updates.begin(), updates.end(), [](const Update& a, const Update& b) {
    return a.instr->parent()->number() < b.instr->parent()->number();
  });
  return updates;
}

// The last uses of the values of a block's updates, found in one walk from its end.
class BlockUpdates {
 public:
  explicit BlockUpdates(absl::Span<const Update> updates) : block_(*updates.front().instr->parent()) {
    for (const Update& update : updates) {
      uses_[update.present()];
      uses_[update.next()];
      by_instr_[update.instr] = update;
    }
  }

  // Returns the number of instructions that were moved.
  size_t Move(MachineRegisterInfo& reg_info) {
    size_t num_moved = 0;
    size_t position = 0;  // from the end
    for (MachineInstr* instr = block_.back(); instr != nullptr;) {
      MachineInstr* const previous = instr->previous();
      const auto update = by_instr_.find(instr);
      const bool moves = update != by_instr_.end() && MoveOne(update->second, reg_info);
      if (moves) ++num_moved;
      ++position;
      // A moved instruction reads its operands where it is now, just after the last one that it was moved over.
      Note(*instr, moves ? uses_[update->second.present()].last_position : position);
      instr = previous;
    }
    return num_moved;
  }

 private:
  struct DebugUse {
    MachineOperand* operand;
    size_t position;
  };
  // The uses of a value between its definition, or that of the next value, and the end of the block.
  struct Uses {
    MachineInstr* last = nullptr;
    // Of the last and the first one, counted from the end of the block.
    size_t last_position = 0;
    size_t first_position = 0;
    std::vector<DebugUse> by_debug;
  };

  void Note(MachineInstr& instr, size_t position) {
    for (MachineOperand& operand : instr.operands()) {
      if (!operand.is_use()) continue;
      const auto found = uses_.find(operand.reg());
      if (found == uses_.end()) continue;
      Uses& uses = found->second;
      if (operand.is_debug()) {
        uses.by_debug.push_back({&operand, position});
        continue;
      }
      if (uses.last == nullptr || position <= uses.last_position) {
        uses.last = &instr;
        uses.last_position = position;
      }
      uses.first_position = std::max(uses.first_position, position);
    }
  }

  bool MoveOne(const Update& update, MachineRegisterInfo& reg_info) {
    const Uses& present = uses_[update.present()];
    const Uses& next = uses_[update.next()];
    if (present.last == nullptr || present.last->is_terminator()) return false;
    // All that reads the next value must stay after its computation.
    if (next.last != nullptr && next.first_position >= present.last_position) return false;
    update.instr->RemoveFromParent();
    block_.Insert(present.last->next(), update.instr);
    for (const MachineOperand& use : VirtualUses(*update.instr)) reg_info.ClearKillFlags(use.reg());
    for (const DebugUse& use : next.by_debug) {
      if (use.position > present.last_position) use.operand->SetReg(Register());
    }
    return true;
  }

  MachineBasicBlock& block_;
  absl::flat_hash_map<Register, Uses> uses_;
  absl::flat_hash_map<const MachineInstr*, Update> by_instr_;
};

}  // namespace

size_t MoveUpdatesDown(MachineFunction& function) {
  const std::vector<Update> updates = FindUpdates(function);
  size_t num_moved = 0;
  for (auto first = updates.begin(); first != updates.end();) {
    const auto last = std::find_if(
        first, updates.end(), [&](const Update& update) { return update.instr->parent() != first->instr->parent(); });
    num_moved += BlockUpdates({&*first, static_cast<size_t>(last - first)}).Move(function.reg_info());
    first = last;
  }
  return num_moved;
}

}  // namespace ptxmir

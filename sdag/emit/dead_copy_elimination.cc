// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/dead_copy_elimination.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"

namespace ptxmir::sdag {
namespace {

class DeadCopyElimination {
 public:
  DeadCopyElimination(MachineFunction& function, absl::Span<EmitResultRecord> records, const EmitTargetHooks& hooks);

  DeadCopyCounts Run();

 private:
  bool IsDead(const EmitResultRecord& record) const;
  bool IsUnused(Register reg) const { return function_.reg_info().NonDebugUses(reg).empty(); }
  // Erases the producer. Instructions that may be dead as a result go to the dead list.
  void Erase(EmitResultRecord& record);
  void Defer(Register reg);
  void DeferGlued(const SDNode* node);

  MachineFunction& function_;
  absl::Span<EmitResultRecord> records_;
  const EmitTargetHooks& hooks_;
  absl::flat_hash_map<Register, size_t> record_of_;                  // by result
  absl::flat_hash_map<const SDNode*, std::vector<size_t>> of_node_;  // indices of records, by node
  absl::InlinedVector<size_t, 8> dead_list_;
  DeadCopyCounts counts_;
};

DeadCopyElimination::DeadCopyElimination(MachineFunction& function, absl::Span<EmitResultRecord> records,
                                         const EmitTargetHooks& hooks)
    : function_(function), records_(records), hooks_(hooks) {
  for (size_t i = 0; i < records.size(); ++i) {
    record_of_.emplace(records[i].dst, i);
    of_node_[records[i].node].push_back(i);
  }
}

bool DeadCopyElimination::IsDead(const EmitResultRecord& record) const {
  if (record.producer == nullptr) return false;
  if ((record.flags & EmitResultRecord::kCopy) == 0 &&
      (hooks_.is_deletable_if_unused == nullptr || !hooks_.is_deletable_if_unused(*record.producer))) {
    return false;
  }
  for (const MachineOperand& operand : record.producer->operands()) {
    if (!operand.is_def()) continue;
    if (operand.is_implicit() && operand.is_dead()) continue;
    const auto found = record_of_.find(operand.reg());
    if (found == record_of_.end() || (records_[found->second].flags & EmitResultRecord::kOwnResult) == 0) return false;
    if (!IsUnused(operand.reg())) return false;
  }
  return true;
}

void DeadCopyElimination::Defer(Register reg) {
  const auto found = record_of_.find(reg);
  if (found != record_of_.end() && IsDead(records_[found->second])) dead_list_.push_back(found->second);
}

// When a node is dead, the nodes that it is glued to are, too, unless their results are used.
void DeadCopyElimination::DeferGlued(const SDNode* node) {
  for (const SDNode* glued = node->GluedNode(); glued != nullptr; glued = glued->GluedNode()) {
    const auto found = of_node_.find(glued);
    if (found == of_node_.end()) continue;
    for (const size_t i : found->second) {
      if (IsDead(records_[i])) dead_list_.push_back(i);
    }
  }
}

void DeadCopyElimination::Erase(EmitResultRecord& record) {
  MachineInstr* const instr = record.producer;
  MachineRegisterInfo& info = function_.reg_info();
  if ((record.flags & EmitResultRecord::kInlineFolded) != 0) ++counts_.folded;
  absl::InlinedVector<Register, 4> read;
  for (const MachineOperand& operand : instr->operands()) {
    if (operand.is_use() && operand.reg().is_valid()) read.push_back(operand.reg());
    if (!operand.is_def() || !operand.reg().is_virtual()) continue;
    while (!info.Uses(operand.reg()).empty()) info.Uses(operand.reg()).begin()->SetReg(Register());
    const auto found = record_of_.find(operand.reg());
    if (found != record_of_.end()) records_[found->second].producer = nullptr;
  }
  instr->EraseFromParent();
  for (const Register reg : read) {
    if (reg.is_physical()) info.ClearKillFlags(reg);
    if (reg.is_virtual()) Defer(reg);
  }
  DeferGlued(record.node);
}

DeadCopyCounts DeadCopyElimination::Run() {
  for (EmitResultRecord& record : records_) {
    if (!IsDead(record)) continue;
    ++counts_.erased;
    Erase(record);
  }
  while (!dead_list_.empty()) {
    EmitResultRecord& record = records_[dead_list_.back()];
    dead_list_.pop_back();
    if (!IsDead(record)) continue;
    ++counts_.deferred;
    Erase(record);
  }
  return counts_;
}

}  // namespace

DeadCopyCounts EliminateDeadCopies(MachineFunction& function, absl::Span<EmitResultRecord> records,
                                   const EmitTargetHooks& hooks) {
  return DeadCopyElimination(function, records, hooks).Run();
}

}  // namespace ptxmir::sdag

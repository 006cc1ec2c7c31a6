// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/dead_copy_elimination.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace ptxmir::sdag {
namespace {

class DeadCopyElimination {
 public:
  DeadCopyElimination(MachineFunction& function, absl::Span<EmitResultRecord> records, const EmitTargetHooks& hooks);

  DeadCopyCounts Run();

 private:
  static constexpr size_t kNone = ~size_t{0};

  // Returns the index of the record of which the register is the own result, or kNone.
  size_t RecordOf(Register reg) const {
    const size_t index = reg.virtual_index() - first_own_;
    return reg.is_virtual() && index < record_of_.size() ? record_of_[index] : kNone;
  }
  bool IsDead(const EmitResultRecord& record) const;
  bool IsUnused(Register reg) const { return function_.reg_info().NonDebugUses(reg).empty(); }
  // Erases the producer. Instructions that may be dead as a result go to the dead list.
  void Erase(EmitResultRecord& record);
  void Defer(Register reg);
  void DeferGlued(const SDNode* node);

  MachineFunction& function_;
  absl::Span<EmitResultRecord> records_;
  const EmitTargetHooks& hooks_;
  uint32_t first_own_ = 0;         // the smallest index of a virtual register that is an own result
  std::vector<size_t> record_of_;  // by index of the virtual register, from first_own_ on
  std::vector<std::pair<const SDNode*, size_t>> of_node_;  // all records by node, sorted once one is looked up
  absl::InlinedVector<size_t, 8> dead_list_;
  DeadCopyCounts counts_;
};

DeadCopyElimination::DeadCopyElimination(MachineFunction& function, absl::Span<EmitResultRecord> records,
                                         const EmitTargetHooks& hooks)
    : function_(function), records_(records), hooks_(hooks) {
  // The emitter makes its registers one after the other.
  uint32_t last = 0;
  first_own_ = ~uint32_t{0};
  const auto is_own = [](const EmitResultRecord& record) {
    return (record.flags & EmitResultRecord::kOwnResult) != 0 && record.dst.is_virtual();
  };
  for (const EmitResultRecord& record : records) {
    if (!is_own(record)) continue;
    first_own_ = std::min(first_own_, record.dst.virtual_index());
    last = std::max(last, record.dst.virtual_index());
  }
  if (first_own_ > last) return;
  record_of_.assign(last - first_own_ + 1, kNone);
  for (size_t i = 0; i < records.size(); ++i) {
    if (!is_own(records[i])) continue;
    size_t& place = record_of_[records[i].dst.virtual_index() - first_own_];
    if (place == kNone) place = i;
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
    if (RecordOf(operand.reg()) == kNone || !IsUnused(operand.reg())) return false;
  }
  return true;
}

void DeadCopyElimination::Defer(Register reg) {
  const size_t record = RecordOf(reg);
  if (record != kNone && IsDead(records_[record])) dead_list_.push_back(record);
}

// When a node is dead, the nodes that it is glued to are, too, unless their results are used.
void DeadCopyElimination::DeferGlued(const SDNode* node) {
  for (const SDNode* glued = node->GluedNode(); glued != nullptr; glued = glued->GluedNode()) {
    if (of_node_.empty()) {
      for (size_t i = 0; i < records_.size(); ++i) of_node_.emplace_back(records_[i].node, i);
      std::sort(of_node_.begin(), of_node_.end());
    }
    auto next = std::lower_bound(of_node_.begin(), of_node_.end(), std::pair(glued, size_t{0}));
    for (; next != of_node_.end() && next->first == glued; ++next) {
      if (IsDead(records_[next->second])) dead_list_.push_back(next->second);
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
    if (const size_t own = RecordOf(operand.reg()); own != kNone) records_[own].producer = nullptr;
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

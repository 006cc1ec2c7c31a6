// SPDX-License-Identifier: Apache-2.0

#include "passes/support/copy_sequencer.h"

namespace ptxmir {

void CopySequencer::GrowTable() {
  if (entries_.size() < reg_info_.num_virtual_registers()) {
    entries_.resize(reg_info_.num_virtual_registers());
  }
}

void CopySequencer::Emit(uint32_t i) {
  is_done_[i] = true;
  sequence_.push_back(copies_[i]);
  Entry& source = EntryOf(copies_[i].source);
  if (--source.pending_reads > 0) return;
  // No pending copy needs the old value any more, so the copy that writes the register may be emitted.
  if (source.writer != 0 && !is_done_[source.writer - 1]) ready_.push_back(source.writer - 1);
}

void CopySequencer::EmitReady() {
  while (!ready_.empty()) {
    const uint32_t i = ready_.back();
    ready_.pop_back();
    Emit(i);
  }
}

const std::vector<RegisterCopy>& CopySequencer::Sequentialize(const std::vector<RegisterCopy>& parallel) {
  GrowTable();
  copies_.clear();
  sequence_.clear();
  for (const RegisterCopy& copy : parallel) {
    if (copy.target == copy.source) continue;
    copies_.push_back(copy);
    ++EntryOf(copy.source).pending_reads;
    EntryOf(copy.target).writer = static_cast<uint32_t>(copies_.size());
  }
  const uint32_t count = static_cast<uint32_t>(copies_.size());
  is_done_.assign(count, false);
  for (uint32_t i = count; i-- > 0;) {
    if (EntryOf(copies_[i].target).pending_reads == 0) ready_.push_back(i);
  }
  EmitReady();
  // The remaining copies form disjoint cycles: every target is read exactly once. Saving one target frees the copy
  // that writes it, and with that the whole cycle.
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_done_[i]) EntryOf(copies_[i].source).reader = i + 1;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (is_done_[i]) continue;
    const Register saved = copies_[i].target;
    const Register temporary = reg_info_.CreateVirtualRegister(reg_info_.reg_class(saved));
    GrowTable();
    sequence_.push_back({temporary, saved});
    copies_[EntryOf(saved).reader - 1].source = temporary;
    EntryOf(temporary).pending_reads = 1;
    EntryOf(saved).pending_reads = 0;
    ready_.push_back(i);
    EmitReady();
  }
  for (const RegisterCopy& copy : parallel) {
    EntryOf(copy.source) = {};
    EntryOf(copy.target) = {};
  }
  return sequence_;
}

}  // namespace ptxmir

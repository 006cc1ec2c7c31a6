// SPDX-License-Identifier: Apache-2.0

// Sequentializes parallel copies. Copies whose target is no longer needed as a source are emitted first. The
// remaining copies form cycles; each cycle is broken with one new register. Linear in the number of copies. See
// Boissinot et al., "Revisiting Out-of-SSA Translation for Correctness, Code Quality, and Efficiency" (CGO 2009),
// algorithm 1.

#ifndef PTXMIR_PASSES_SUPPORT_COPY_SEQUENCER_H_
#define PTXMIR_PASSES_SUPPORT_COPY_SEQUENCER_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_register_info.h"

namespace ptxmir {

struct RegisterCopy {
  Register target;
  Register source;
};

// Sequentializes parallel copies. It keeps tables indexed by register number, so use one object for all copies of
// a function.
class CopySequencer {
 public:
  explicit CopySequencer(MachineRegisterInfo& reg_info) : reg_info_(reg_info) {}

  // Orders a parallel copy so that executing the copies one by one has the same effect. In a parallel copy, all
  // sources are read before any target is written. Targets must be distinct, and all registers must be virtual.
  // Cycles take new registers. Copies of a register to itself are dropped. The result is valid until the next
  // call.
  const std::vector<RegisterCopy>& Sequentialize(const std::vector<RegisterCopy>& parallel);

 private:
  // The state of a register within one parallel copy. Entries are zero between calls.
  struct Entry {
    uint32_t pending_reads = 0;  // the number of pending copies that read it
    uint32_t writer = 0;         // 1 + the copy that writes it
    uint32_t reader = 0;         // 1 + a pending copy that reads it; meaningful if there is only one
  };

  Entry& EntryOf(Register reg) { return entries_[reg.virtual_index()]; }
  void GrowTable();
  void Emit(uint32_t i);
  void EmitReady();

  MachineRegisterInfo& reg_info_;
  std::vector<Entry> entries_;  // by virtual register
  std::vector<RegisterCopy> copies_;
  std::vector<bool> is_done_;
  std::vector<uint32_t> ready_;  // copies whose target no pending copy reads
  std::vector<RegisterCopy> sequence_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_COPY_SEQUENCER_H_

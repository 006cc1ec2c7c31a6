// SPDX-License-Identifier: Apache-2.0

// Puts parallel copies in sequence: copies whose target is no longer needed as a source are emitted first; what remains
// are cycles, each broken with one new register. Linear in the copies. See Boissinot et al., "Revisiting Out-of-SSA
// Translation for Correctness, Code Quality, and Efficiency" (CGO 2009), algorithm 1.

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

// Puts parallel copies in sequence. Keeps tables by register number, so one object serves all copies of a
// function.
class CopySequencer {
 public:
  explicit CopySequencer(MachineRegisterInfo& reg_info) : reg_info_(reg_info) {}

  // Orders a parallel copy (all sources are read before any target is written; targets are distinct; all
  // registers are virtual) so that executing the result one by one has the same effect. Cycles take new
  // registers. Copies of a register to itself are dropped. The result is valid until the next call.
  const std::vector<RegisterCopy>& Sequentialize(const std::vector<RegisterCopy>& parallel);

 private:
  // What is known of a register within one parallel copy. Entries are zero between calls.
  struct Entry {
    uint32_t pending_reads = 0;  // copies yet to be made that read it
    uint32_t writer = 0;         // 1 + the copy that writes it
    uint32_t reader = 0;         // 1 + a copy yet to be made that reads it; of use when there is but one
  };

  Entry& EntryOf(Register reg) { return entries_[reg.virtual_index()]; }
  void GrowTable();
  void Emit(uint32_t i);
  void EmitReady();

  MachineRegisterInfo& reg_info_;
  std::vector<Entry> entries_;  // by virtual register
  std::vector<RegisterCopy> copies_;
  std::vector<bool> is_done_;
  std::vector<uint32_t> ready_;  // copies whose target nobody needs to read any more
  std::vector<RegisterCopy> sequence_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_COPY_SEQUENCER_H_

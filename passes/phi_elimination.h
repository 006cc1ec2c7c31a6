// phi-node-elimination: leaves SSA form by replacing PHIs with copies.
//
// A PHI means that on each incoming edge all PHIs of the block take their values at once. The copies that
// stand for it must keep that (the swap problem), and must not change a value that is still read on
// another way out of the predecessor (the lost-copy problem). See Sreedhar et al., "Translating Out of
// Static Single Assignment Form" (SAS 1999), and Boissinot et al., "Revisiting Out-of-SSA Translation"
// (CGO 2009).
//
// For a PHI d = PHI(..., s from P, ...) of block B there are two forms:
//
//   direct   in each P: d <- s, as part of one parallel copy a predecessor. Right if d is not live out of
//            P along any edge but P -> B, nor read by a terminator of P.
//   staged   in each P: d' <- s, and at the top of B: d <- d', with a new register d'. Always right: d' is
//            live only from the copies to the top of B (Sreedhar's method I).
//
// Where we differ from LLVM, which stages every PHI and leaves the rest to the coalescer: the direct form
// is used wherever a look at the uses of d proves it, with no liveness analysis. That is when every
// predecessor has B as its only successor, or when d is read in B alone, by its ordinary instructions or by
// its PHIs on an edge from B to itself (then d is dead on every other edge out of a predecessor).
//
// The parallel copy of an edge is put in sequence by emitting copies whose target is no longer needed as a
// source first; what remains are cycles, each broken with one new register. Linear in the PHI operands.

#ifndef PTXMIR_PASSES_PHI_ELIMINATION_H_
#define PTXMIR_PASSES_PHI_ELIMINATION_H_

#include <vector>

#include "passes/pass.h"

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

PassResult RunPhiElimination(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PHI_ELIMINATION_H_

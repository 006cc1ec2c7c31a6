// SPDX-License-Identifier: Apache-2.0

// Last-chance recoloring: makes room for an interval that fits nowhere and cannot be spilled.
//
// LLVM's RAGreedy does this when everything else has failed. For each physical register it tries to give the
// intervals in the way other registers, and for these, recursively, those in their way. -lcr-max-depth and
// -lcr-max-interf bound the search, unless -exhaustive-register-search is given, and what does not help is undone.
//
// Where we differ: there is no register file, so an interval that is in the way has nowhere to move. It can only
// leave, by being split, rematerialized or spilled. What then remains of it is live around the instructions that
// name it, where the interval was live before. So the pressure rises nowhere, and the points where the new interval
// does not fit can be looked at one by one: at each, the registers that leave must be worth as many units as are
// missing. A register that the instruction there names is not worth anything, because a reload would be live there,
// too. If a point lacks such registers, nothing has been changed yet, and nothing is to be undone.
//
// Registers may leave that eviction did not take, because of its cascade numbers, its bound on victims, or its effort.
// They must leave, and are not queued again as evicted intervals are; therefore the allocation ends. What LLVM does by
// recursion happens in the queue: a reload that does not fit has a last chance of its own, one level deeper. At most
// -lcr-max-depth levels follow each other, and at most -lcr-max-interf registers leave for one point.
//
// The work on all intervals is bounded, like that of eviction, by -ra-split-effort and the size of the function.

#ifndef PTXMIR_PASSES_ALLOCATE_LAST_CHANCE_RECOLORING_H_
#define PTXMIR_PASSES_ALLOCATE_LAST_CHANCE_RECOLORING_H_

#include <cstdint>
#include <vector>

#include "options/knobs.h"
#include "passes/allocate/assignment/reg_alloc_advisors.h"
#include "passes/allocate/spill/inline_spiller.h"

namespace ptxmir {

class LastChanceRecoloring {
 public:
  // Visits `effort` registers at most.
  LastChanceRecoloring(const AllocationState& state, InlineSpiller& spiller, const SpillOptions& options,
                       const Knobs& knobs, uint64_t effort);

  uint32_t max_depth() const { return max_depth_; }
  // The number of last chances that a register descends from.
  uint32_t Depth(Register reg) const { return reg.virtual_index() < depths_.size() ? depths_[reg.virtual_index()] : 0; }
  void SetDepth(Register reg, uint32_t depth);

  // Finds registers that must leave so that the interval, which is not assigned and does not fit, fits. Returns false
  // if there are none.
  bool MakeRoomFor(const LiveInterval& interval, std::vector<Register>& leaving);
  // Finds registers that must leave so that the limits are respected where that is possible. Returns false if it is
  // possible nowhere.
  bool Relieve(std::vector<Register>& leaving);

 private:
  // A register that may leave, and what it costs for each unit that is missing.
  struct Candidate {
    Register reg;
    int32_t units = 0;
    float price = 0;
    uint64_t size = 0;
  };

  bool RelieveAt(PressureKind kind, SlotIndex at, int32_t missing, std::vector<Register>& leaving);
  bool TakeCheapest(int32_t missing, std::vector<Register>& leaving);
  void CollectNamed(SlotIndex at);
  bool IsNamed(Register reg) const;
  bool MayLeave(Register reg);
  int32_t UnitsOf(PressureKind kind, Register reg) const;
  bool IsLeaving(Register reg) const {
    return reg.virtual_index() < is_leaving_.size() && is_leaving_[reg.virtual_index()];
  }
  void MarkLeaving(Register reg, bool is_leaving);
  // Takes back registers that were found last, until `size` are left.
  void TakeBack(size_t size, std::vector<Register>& leaving);

  const AllocationState& state_;
  InlineSpiller& spiller_;
  const SpillOptions options_;
  const uint32_t max_depth_;
  const uint32_t max_registers_;
  uint64_t effort_left_;
  std::vector<uint32_t> depths_;    // by virtual register
  std::vector<bool> is_leaving_;    // by virtual register
  std::vector<bool> needs_memory_;  // by virtual register: whether it cannot leave without memory

  // Scratch memory.
  std::vector<Register> live_;
  std::vector<Register> named_;  // sorted
  std::vector<Candidate> candidates_;
  std::vector<SlotIndex> points_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_LAST_CHANCE_RECOLORING_H_

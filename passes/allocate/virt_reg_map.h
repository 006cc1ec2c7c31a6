// SPDX-License-Identifier: Apache-2.0

// virtregmap: what allocation has decided for each virtual register.
//
// As LLVM's VirtRegMap, but that PTX has no register file: "physical" means a colour, a number in the unbounded set of
// its class (%r7 is colour 7 of b32). A register has a colour, or a stack slot in which it was spilled, or neither.
// A register that was made by splitting another (or for a piece of its spill code) knows which; its original is the
// one that the split products all come from, whose stack slot they share.
//
// Empty when it is created; passes fill it. Registers that are created later are known without being told.

#ifndef PTXMIR_PASSES_ALLOCATE_VIRT_REG_MAP_H_
#define PTXMIR_PASSES_ALLOCATE_VIRT_REG_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class VirtRegMap : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kVirtRegMap;
  static constexpr uint32_t kNoColour = ~uint32_t{0};
  static constexpr int kNoStackSlot = INT32_MIN;

  VirtRegMap(MachineFunction& function, AnalysisManager& analyses);

  bool HasColour(Register reg) const { return Get(reg).colour != kNoColour; }
  uint32_t Colour(Register reg) const { return Get(reg).colour; }
  void Assign(Register reg, uint32_t colour) { Mutable(reg).colour = colour; }
  void ClearAssignment(Register reg) { Mutable(reg).colour = kNoColour; }
  void ClearAllAssignments();
  // One more than the largest colour of the class that is assigned. O(registers).
  uint32_t NumColours(RegClassId reg_class) const;

  bool HasStackSlot(Register reg) const { return Get(reg).stack_slot != kNoStackSlot; }
  int StackSlot(Register reg) const { return Get(reg).stack_slot; }
  // The slot of the register's original, created when there is none: as wide and as aligned as the class; predicates,
  // which are spilled as integers of 32 bits, take four bytes.
  int AssignStackSlot(Register reg);
  void AssignStackSlot(Register reg, int slot) { Mutable(reg).stack_slot = slot; }

  // `reg` was made to take over part of `from`.
  void SetSplitFrom(Register reg, Register from);
  // Invalid for registers that were not made by splitting.
  Register SplitFrom(Register reg) const { return Get(reg).split_from; }
  // The register that splitting began with: `reg` itself when it was not split from any.
  Register Original(Register reg) const {
    const Register original = Get(reg).original;
    return original.is_valid() ? original : reg;
  }

  // In LLVM's form: "[%1 -> b32#7] b32", "[%2 -> fi#0] b64".
  void Print(std::string& out) const override;
  // What was decided cannot be computed anew; only what contradicts itself is a difference.
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  struct Entry {
    uint32_t colour = kNoColour;
    int stack_slot = kNoStackSlot;
    Register split_from;
    Register original;
  };

  const Entry& Get(Register reg) const {
    static constexpr Entry kNothing;
    return reg.virtual_index() < entries_.size() ? entries_[reg.virtual_index()] : kNothing;
  }
  Entry& Mutable(Register reg);

  MachineFunction& function_;
  std::vector<Entry> entries_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_VIRT_REG_MAP_H_

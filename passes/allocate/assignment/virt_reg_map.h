// SPDX-License-Identifier: Apache-2.0

// virtregmap: the decisions of allocation for each virtual register.
//
// This is LLVM's VirtRegMap, except that PTX has no register file. "Physical" means a color, which is a number in
// the unbounded set of its class (%r7 is color 7 of b32). A register has a color, or a stack slot to which it was
// spilled, or neither. A register that was created by splitting another one (or for a piece of its spill code)
// records its parent. Its original is the register from which all related split products stem; they share its
// stack slot.
//
// The map is created empty and filled by passes. Registers that are created later need not be registered.

#ifndef PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_VIRT_REG_MAP_H_
#define PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_VIRT_REG_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class VirtRegMap : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kVirtRegMap;
  static constexpr uint32_t kNoColor = ~uint32_t{0};
  static constexpr int kNoStackSlot = INT32_MIN;

  VirtRegMap(MachineFunction& function, AnalysisManager& analyses);

  bool HasColor(Register reg) const { return Get(reg).color != kNoColor; }
  uint32_t Color(Register reg) const { return Get(reg).color; }
  void Assign(Register reg, uint32_t color) { Mutable(reg).color = color; }
  void ClearAssignment(Register reg) { Mutable(reg).color = kNoColor; }
  void ClearAllAssignments();
  // Returns one more than the largest assigned color of the class. O(registers).
  uint32_t NumColors(RegClassId reg_class) const;

  bool HasStackSlot(Register reg) const { return Get(reg).stack_slot != kNoStackSlot; }
  int StackSlot(Register reg) const { return Get(reg).stack_slot; }
  // Returns the slot of the register's original, which is created if there is none. It has the size and alignment
  // of the class; predicates, which are spilled as 32-bit integers, take four bytes.
  int AssignStackSlot(Register reg);
  void AssignStackSlot(Register reg, int slot) { Mutable(reg).stack_slot = slot; }

  // Records that `reg` was created to take over part of `from`.
  void SetSplitFrom(Register reg, Register from);
  // Returns the register that `reg` was split from, or an invalid register if it was not created by splitting.
  Register SplitFrom(Register reg) const { return Get(reg).split_from; }
  // Returns the register with which splitting began: `reg` itself if it was not split from another.
  Register Original(Register reg) const {
    const Register original = Get(reg).original;
    return original.is_valid() ? original : reg;
  }

  // Prints the map in LLVM's form: "[%1 -> b32#7] b32", "[%2 -> fi#0] b64".
  void Print(std::string& out) const override;
  // Returns a difference only if the map contradicts itself, because decisions cannot be recomputed.
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  struct Entry {
    uint32_t color = kNoColor;
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

#endif  // PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_VIRT_REG_MAP_H_

// SPDX-License-Identifier: Apache-2.0

// SlotIndex: a program point. It has 32 bits; to compare two points is to compare two integers.
//
// Every instruction has four points, in LLVM's order and with LLVM's letters:
//
//   B  block           before the instruction; also where a block begins and where the previous block ends
//   e  early-clobber   where definitions take effect that must not share a register with the operands read
//   r  register        where operands are read and ordinary definitions take effect
//   d  dead            where a definition that is never read ends
//
// SlotIndexes assigns the indexes. It leaves gaps between instructions so that others can be inserted.

#ifndef PTXMIR_ANALYSIS_LIVENESS_SLOT_INDEX_H_
#define PTXMIR_ANALYSIS_LIVENESS_SLOT_INDEX_H_

#include <compare>
#include <cstdint>

namespace ptxmir {

class SlotIndex {
 public:
  enum class Slot : uint8_t { kBlock, kEarlyClobber, kRegister, kDead };
  static constexpr uint32_t kSlots = 4;

  constexpr SlotIndex() = default;
  static constexpr SlotIndex FromBits(uint32_t bits) { return SlotIndex(bits); }
  constexpr uint32_t bits() const { return bits_; }
  constexpr bool is_valid() const { return bits_ != kInvalid; }

  constexpr Slot slot() const { return static_cast<Slot>(bits_ % kSlots); }
  constexpr bool is_block() const { return slot() == Slot::kBlock; }
  constexpr bool is_early_clobber() const { return slot() == Slot::kEarlyClobber; }
  constexpr bool is_register() const { return slot() == Slot::kRegister; }
  constexpr bool is_dead() const { return slot() == Slot::kDead; }

  // The other points of the same instruction.
  constexpr SlotIndex Base() const { return SlotIndex(bits_ & ~(kSlots - 1)); }
  constexpr SlotIndex RegSlot(bool early_clobber = false) const {
    return SlotIndex(Base().bits_ | (early_clobber ? 1u : 2u));
  }
  constexpr SlotIndex DeadSlot() const { return SlotIndex(bits_ | (kSlots - 1)); }
  // The nearest points, which need not belong to an instruction.
  constexpr SlotIndex Next() const { return SlotIndex(bits_ + 1); }
  constexpr SlotIndex Previous() const { return SlotIndex(bits_ - 1); }

  static constexpr bool IsSameInstr(SlotIndex a, SlotIndex b) { return a.Base() == b.Base(); }
  // Returns true if a's instruction comes before b's.
  static constexpr bool IsEarlierInstr(SlotIndex a, SlotIndex b) { return a.Base() < b.Base(); }

  friend constexpr bool operator==(SlotIndex a, SlotIndex b) = default;
  friend constexpr auto operator<=>(SlotIndex a, SlotIndex b) = default;

 private:
  static constexpr uint32_t kInvalid = ~uint32_t{0};
  constexpr explicit SlotIndex(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = kInvalid;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVENESS_SLOT_INDEX_H_

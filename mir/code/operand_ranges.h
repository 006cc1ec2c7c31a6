// SPDX-License-Identifier: Apache-2.0

// Ranges over some of the operands of an instruction: the incoming pairs of a PHI, and the operands that use, read or
// define virtual registers.
//
// A range of a MachineInstr& yields operands that can be changed; a range of a const MachineInstr& yields const
// operands. The ranges allocate nothing and look at an operand only when the iteration arrives there. A loop may
// change the operands of the instruction, but it must not add or remove any.
//
// The ranges include the operands of debug instructions, which use virtual registers like any other instruction. A
// loop that should not see them asks MachineInstr::is_debug() once per instruction.

#ifndef PTXMIR_MIR_CODE_OPERAND_RANGES_H_
#define PTXMIR_MIR_CODE_OPERAND_RANGES_H_

#include <cassert>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "absl/types/span.h"
#include "mir/code/machine_instr.h"
#include "mir/code/machine_operand.h"

namespace ptxmir {

// An incoming pair of a PHI: a register operand and the block operand that follows it. `Operand` is MachineOperand or
// const MachineOperand.
template <typename Operand>
class BasicPhiIncoming {
 public:
  // `value` is the register operand of the pair, in a PHI.
  explicit BasicPhiIncoming(Operand& value) : value_(&value) {}
  // Converts a pair that can be changed to one that cannot.
  template <typename Other>
  requires(std::is_same_v<const Other, Operand>) BasicPhiIncoming(BasicPhiIncoming<Other> other)
      : value_(&other.value()) {}

  Operand& value() const { return value_[0]; }
  Operand& block() const { return value_[1]; }
  Register reg() const { return value().reg(); }
  // Returns the number of the block from which the value comes.
  BlockNumber predecessor() const { return block().block(); }

 private:
  Operand* value_;
};
using PhiIncoming = BasicPhiIncoming<const MachineOperand>;
using MutablePhiIncoming = BasicPhiIncoming<MachineOperand>;

// The incoming pairs of a PHI. If a PHI that is not verified has an operand after the last pair, it is left out.
template <typename Operand>
class PhiIncomingRange {
 public:
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;  // because `reference` is not a reference
    using value_type = BasicPhiIncoming<Operand>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;
    Iterator() = default;
    explicit Iterator(Operand* value) : value_(value) {}
    value_type operator*() const { return value_type(*value_); }
    Iterator& operator++() {
      value_ += 2;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(Iterator a, Iterator b) = default;

   private:
    Operand* value_ = nullptr;
  };

  // `operands` are the operands of a PHI, with its result.
  explicit PhiIncomingRange(absl::Span<Operand> operands)
      : pairs_(operands.empty() ? operands : operands.subspan(1, (operands.size() - 1) / 2 * 2)) {}

  Iterator begin() const { return Iterator(pairs_.data()); }
  Iterator end() const { return Iterator(pairs_.data() + pairs_.size()); }
  bool empty() const { return pairs_.empty(); }
  size_t size() const { return pairs_.size() / 2; }
  BasicPhiIncoming<Operand> operator[](size_t i) const { return BasicPhiIncoming<Operand>(pairs_[2 * i]); }

 private:
  absl::Span<Operand> pairs_;
};

// Returns the incoming pairs of a PHI.
inline PhiIncomingRange<MachineOperand> PhiIncomings(MachineInstr& phi) {
  assert(phi.is_phi());
  return PhiIncomingRange<MachineOperand>(phi.operands());
}
inline PhiIncomingRange<const MachineOperand> PhiIncomings(const MachineInstr& phi) {
  assert(phi.is_phi());
  return PhiIncomingRange<const MachineOperand>(phi.operands());
}

// The operands of an instruction for which a predicate holds, in order.
template <typename Operand, bool (*kIncludes)(const MachineOperand&)>
class FilteredOperands {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = MachineOperand;
    using difference_type = std::ptrdiff_t;
    using pointer = Operand*;
    using reference = Operand&;
    Iterator() = default;
    Iterator(Operand* operand, Operand* end) : operand_(operand), end_(end) { Skip(); }
    Operand& operator*() const { return *operand_; }
    Operand* operator->() const { return operand_; }
    Iterator& operator++() {
      ++operand_;
      Skip();
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.operand_ == b.operand_; }

   private:
    void Skip() {
      while (operand_ != end_ && !kIncludes(*operand_)) ++operand_;
    }
    Operand* operand_ = nullptr;
    Operand* end_ = nullptr;
  };

  explicit FilteredOperands(absl::Span<Operand> operands) : operands_(operands) {}

  Iterator begin() const { return Iterator(operands_.data(), operands_.data() + operands_.size()); }
  Iterator end() const {
    Operand* const end = operands_.data() + operands_.size();
    return Iterator(end, end);
  }
  bool empty() const { return begin() == end(); }

 private:
  absl::Span<Operand> operands_;
};

// Returns true if the operand uses a virtual register, be it implicit, undefined or for debugging.
inline bool IsVirtualUse(const MachineOperand& operand) { return operand.is_use() && operand.reg().is_virtual(); }
// Returns true if the operand uses a virtual register and the instruction reads its value: the use is not undefined.
inline bool IsVirtualRead(const MachineOperand& operand) { return operand.reads_reg() && operand.reg().is_virtual(); }
// Returns true if the operand defines a virtual register, be it implicit or dead.
inline bool IsVirtualDef(const MachineOperand& operand) { return operand.is_def() && operand.reg().is_virtual(); }

// Returns the operands for which IsVirtualUse holds.
inline FilteredOperands<MachineOperand, IsVirtualUse> VirtualUses(MachineInstr& instr) {
  return FilteredOperands<MachineOperand, IsVirtualUse>(instr.operands());
}
inline FilteredOperands<const MachineOperand, IsVirtualUse> VirtualUses(const MachineInstr& instr) {
  return FilteredOperands<const MachineOperand, IsVirtualUse>(instr.operands());
}

// Returns the operands for which IsVirtualRead holds.
inline FilteredOperands<MachineOperand, IsVirtualRead> VirtualReads(MachineInstr& instr) {
  return FilteredOperands<MachineOperand, IsVirtualRead>(instr.operands());
}
inline FilteredOperands<const MachineOperand, IsVirtualRead> VirtualReads(const MachineInstr& instr) {
  return FilteredOperands<const MachineOperand, IsVirtualRead>(instr.operands());
}

// Returns the operands for which IsVirtualDef holds.
inline FilteredOperands<MachineOperand, IsVirtualDef> VirtualDefs(MachineInstr& instr) {
  return FilteredOperands<MachineOperand, IsVirtualDef>(instr.operands());
}
inline FilteredOperands<const MachineOperand, IsVirtualDef> VirtualDefs(const MachineInstr& instr) {
  return FilteredOperands<const MachineOperand, IsVirtualDef>(instr.operands());
}

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_OPERAND_RANGES_H_

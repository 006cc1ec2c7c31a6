// SPDX-License-Identifier: Apache-2.0

// MachineRegisterInfo: the virtual registers of a function and, for every register, the list of the operands that
// name it.
//
// A use list holds definitions first, then uses. The order within each part depends only on the sequence of edits.
// The list is threaded through the operands (see machine_operand.h). The head's `previous` is the tail, so both
// ends are reached in O(1).

#ifndef PTXMIR_MIR_CODE_MACHINE_REGISTER_INFO_H_
#define PTXMIR_MIR_CODE_MACHINE_REGISTER_INFO_H_

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/machine_instr.h"

namespace ptxmir {

class MachineRegisterInfo {
 public:
  // Selects the operands of a register that a range visits.
  enum class Filter : uint8_t { kAll, kDefs, kUses, kNonDebugUses };

  template <Filter filter>
  class OperandIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = MachineOperand;
    using difference_type = std::ptrdiff_t;
    using pointer = MachineOperand*;
    using reference = MachineOperand&;
    OperandIterator() = default;
    MachineOperand& operator*() const { return *operand_; }
    MachineOperand* operator->() const { return operand_; }
    [[gnu::always_inline]] OperandIterator& operator++() {
      operand_ = info_->Next(operand_);
      Skip();
      return *this;
    }
    OperandIterator operator++(int) {
      OperandIterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const OperandIterator& a, const OperandIterator& b) { return a.operand_ == b.operand_; }

   private:
    friend class MachineRegisterInfo;
    [[gnu::always_inline]] OperandIterator(const MachineRegisterInfo* info, MachineOperand* operand)
        : info_(info), operand_(operand) {
      Skip();
    }
    // Goes on to the first operand that the range visits.
    void Skip();
    const MachineRegisterInfo* info_ = nullptr;
    MachineOperand* operand_ = nullptr;
  };

  template <Filter filter>
  struct OperandRange {
    OperandIterator<filter> first;
    OperandIterator<filter> begin() const { return first; }
    OperandIterator<filter> end() const { return {}; }
    bool empty() const { return first == OperandIterator<filter>(); }
  };

  explicit MachineRegisterInfo(MachineFunction& function) : function_(function) {}
  MachineRegisterInfo(const MachineRegisterInfo&) = delete;
  MachineRegisterInfo& operator=(const MachineRegisterInfo&) = delete;

  // Virtual registers.
  uint32_t num_virtual_registers() const { return static_cast<uint32_t>(virtual_.size()); }
  Register CreateVirtualRegister(RegClassId reg_class);
  // Creates the virtual registers up to and including `index` that do not exist yet, without a class.
  void EnsureVirtualRegister(uint32_t index) {
    // Numbers usually come one after the other.
    if (index == virtual_.size()) {
      virtual_.emplace_back();
    } else if (index > virtual_.size()) {
      virtual_.resize(index + 1);
    }
  }
  // Returns kNoRegClass for a generic register ("_") and for a register whose class was never given.
  RegClassId reg_class(Register reg) const { return virtual_[reg.virtual_index()].reg_class; }
  void set_reg_class(Register reg, RegClassId reg_class) { virtual_[reg.virtual_index()].reg_class = reg_class; }
  // Returns the low-level type of a generic register; invalid if it has none.
  LowLevelType type(Register reg) const;
  void set_type(Register reg, LowLevelType type) { types_[reg.virtual_index()] = type; }
  // Returns the name of a named register ("%foo"); empty for numbered ones.
  std::string_view name(Register reg) const;
  void set_name(Register reg, std::string_view name) { names_[reg.virtual_index()] = name; }
  bool has_named_registers() const { return !names_.empty(); }
  bool has_types() const { return !types_.empty(); }  // of generic registers
  // Returns the register that the allocator should prefer; invalid if none was given.
  Register preferred(Register reg) const;
  void set_preferred(Register reg, Register preferred) { preferred_[reg.virtual_index()] = preferred; }

  // Use lists.
  OperandRange<Filter::kAll> Operands(Register reg) const { return Range<Filter::kAll>(reg); }
  OperandRange<Filter::kDefs> Defs(Register reg) const { return Range<Filter::kDefs>(reg); }
  OperandRange<Filter::kUses> Uses(Register reg) const { return Range<Filter::kUses>(reg); }
  OperandRange<Filter::kNonDebugUses> NonDebugUses(Register reg) const { return Range<Filter::kNonDebugUses>(reg); }
  bool HasNoUses(Register reg) const { return Uses(reg).empty(); }
  bool HasOneNonDebugUse(Register reg) const;
  // Returns the instruction with the only definition, or null if there are none or several.
  MachineInstr* UniqueDef(Register reg) const;
  bool IsReferenced(Register reg) const { return HeadOf(reg) != 0; }
  // Makes every operand that names `from` name `to`. Kill flags are not changed; see ClearKillFlags.
  void ReplaceRegister(Register from, Register to);
  void ClearKillFlags(Register reg);

  // Live-ins of the function: physical registers, each with the virtual register that its value is copied to, if
  // any.
  struct FunctionLiveIn {
    Register physical;
    Register virtual_register;
  };
  std::vector<FunctionLiveIn>& live_ins() { return live_ins_; }
  const std::vector<FunctionLiveIn>& live_ins() const { return live_ins_; }

  // Checks every use list against the operands of the function. Returns a description of the first error, or an
  // empty string. For tests and checked builds. O(function).
  std::string CheckUseLists() const;

 private:
  friend class MachineFunction;
  friend class MachineInstr;
  friend class MachineOperand;

  struct VirtualRegister {
    ArenaId head = 0;
    RegClassId reg_class = kNoRegClass;
  };

  ArenaId HeadOf(Register reg) const {
    if (reg.is_virtual()) return virtual_[reg.virtual_index()].head;
    return reg.bits() < physical_heads_.size() ? physical_heads_[reg.bits()] : 0;
  }
  ArenaId& MutableHead(Register reg) {
    if (reg.is_virtual()) return virtual_[reg.virtual_index()].head;
    if (reg.bits() >= physical_heads_.size()) physical_heads_.resize(reg.bits() + 1);
    return physical_heads_[reg.bits()];
  }
  template <Filter filter>
  OperandRange<filter> Range(Register reg) const;
  MachineOperand* Next(const MachineOperand* operand) const;
  MachineOperand* Resolve(ArenaId id) const;
  // Link and unlink a register operand of an instruction. Operands without a register ($noreg) are in no list.
  void Link(MachineOperand& operand, ArenaId id);
  void Unlink(MachineOperand& operand, ArenaId id);

  MachineFunction& function_;
  std::vector<VirtualRegister> virtual_;
  std::vector<ArenaId> physical_heads_;
  absl::flat_hash_map<uint32_t, std::string_view> names_;
  absl::flat_hash_map<uint32_t, LowLevelType> types_;
  absl::flat_hash_map<uint32_t, Register> preferred_;
  std::vector<FunctionLiveIn> live_ins_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MACHINE_REGISTER_INFO_H_

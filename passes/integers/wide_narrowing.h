// SPDX-License-Identifier: Apache-2.0

// Computes 64-bit integers in 32 bits, where ranges show that nothing is lost. The upper half of such a value is all
// zeros or all signs; the lower half is computed alone and extended where the whole is read.

#ifndef PTXMIR_PASSES_INTEGERS_WIDE_NARROWING_H_
#define PTXMIR_PASSES_INTEGERS_WIDE_NARROWING_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "analysis/values/integer_operations.h"
#include "analysis/values/known_bits.h"
#include "mir/code/machine_function.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {

class WideNarrowing {
 public:
  // Registers that lose uses are added to `unused`.
  WideNarrowing(MachineFunction& function, const KnownBits& known_bits, UnusedInstrs& unused)
      : function_(function), reg_info_(function.reg_info()), known_bits_(known_bits), unused_(unused) {}

  // Rewrites an instruction that computes or compares 64-bit integers, if it can be done in 32 bits. Erases it then,
  // and returns true. The result stays in its register. What computes the operands should have been visited before.
  bool Narrow(MachineInstr& instr);
  // Replaces a PHI of 64 bits by one of 32 bits and an extension, if nothing then needs the extension but what can be
  // narrowed itself. Returns true if it erased the PHI.
  bool NarrowPhi(MachineInstr& phi);
  // Replaces a truncation of what was extended from 32 bits. Returns true if it erased the instruction.
  bool RemoveTruncation(MachineInstr& instr);

 private:
  // How the upper half follows from the lower one.
  enum class Upper : uint8_t { kUnknown, kZeros, kSigns };

  static Upper UpperOf(const IntegerFacts& facts);
  static Upper CommonUpper(const IntegerFacts& a, const IntegerFacts& b);
  IntegerFacts Facts(const MachineInstr& instr, unsigned operand) const {
    return known_bits_.OfOperand(instr, operand, 64);
  }

  bool NarrowCompare(MachineInstr& compare);
  bool NarrowDivision(MachineInstr& division, const IntegerOperation& operation);
  bool NarrowExtreme(MachineInstr& extreme, const IntegerOperation& operation);
  bool NarrowProduct(MachineInstr& product, const IntegerOperation& operation);
  bool NarrowShiftRight(MachineInstr& shift, const IntegerOperation& operation);
  bool NarrowModular(MachineInstr& instr, const IntegerOperation& operation);

  // Returns the 32-bit register whose extension the register is, or an invalid one.
  Register ExtendedFrom(Register reg) const;
  // Returns the constant in the register, if it is one.
  std::optional<int64_t> ConstantIn(Register reg) const;
  // Returns true if the lower half of an operand needs no instruction.
  bool HasFreeLowHalf(const MachineOperand& operand) const;
  // Returns the lower half of an operand, as a constant or a register that is available before `at`.
  MachineOperand LowHalf(const MachineOperand& operand, MachineBasicBlock& block, MachineInstr* at);
  Register TruncatedOnce(Register wide, MachineBasicBlock& block, MachineInstr* at);
  bool IsNarrowUse(const MachineOperand& use, const MachineInstr& phi) const;

  // Replaces `instr` by `operation` on the lower halves of the first `num_halves` operands and the others as they are,
  // and extends the result. With Upper::kUnknown, the result is not extended.
  bool Replace(MachineInstr& instr, const IntegerOperation& operation, Upper upper, unsigned num_halves);
  void InsertExtension(MachineBasicBlock& block, MachineInstr* before, Register wide, Register narrow, Upper upper,
                       MetadataId debug_loc);

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const KnownBits& known_bits_;
  UnusedInstrs& unused_;
  absl::flat_hash_map<uint32_t, Register> halves_;  // by virtual register: its truncation
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_INTEGERS_WIDE_NARROWING_H_

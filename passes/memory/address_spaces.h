// SPDX-License-Identifier: Apache-2.0

// AddressSpaces finds out in which state space the generic addresses lie that the registers of a function hold.
//
// The analysis is LLVM's InferAddressSpaces on machine code: optimistic propagation over single definitions, so that
// the PHIs of a loop need not be known to know themselves. A register is, in descending order,
//
//     undetermined     nothing that was looked at defines it (an undefined value at the end)
//     an offset        an integer that is no address and contains none: a constant, a product, an extension, the
//                      difference of two addresses of one space
//     in a space       a generic address in one space
//     unknown          anything
//
// An address comes from a conversion (cvta), from a stack object, or from a pointer parameter of a kernel, which is in
// global memory if a CUDA driver launches the kernel (LLVM's NVPTXLowerArgs relies on that, too). A copy, a PHI, a
// selection, and an address plus or minus an offset keep the space.
//
// Machine code has no types, so a sum does not say which operand is the address. A sum therefore has a space only if
// the other operand is an offset for certain. A loaded 64-bit integer is not: it may be an address, and the sum of it
// and a known address an intermediate step of other arithmetic. This is where LLVM, which has pointers, finds more.

#ifndef PTXMIR_PASSES_MEMORY_ADDRESS_SPACES_H_
#define PTXMIR_PASSES_MEMORY_ADDRESS_SPACES_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/machine_function.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {

// The conversions between a space's 64-bit addresses and generic ones.
struct AddressConversion {
  ptx::MemorySpace space = ptx::MemorySpace::kUnknown;
  bool is_to_generic = false;
};
// Returns the conversion that the instruction performs; its space is kUnknown if it is none.
AddressConversion AddressConversionOf(const MachineInstr& instr);
// Returns the opcode of a conversion.
Opcode ConversionOpcode(const AddressConversion& conversion);

class AddressSpaces {
 public:
  AddressSpaces(const MachineFunction& function, const MemoryDependence& memory);

  // Returns the space that the generic address in the register lies in, or kUnknown.
  ptx::MemorySpace SpaceOf(Register reg) const;

  // Returns true if the instruction defines a generic address by itself: a conversion, the address of a stack object,
  // or the load of a parameter.
  bool IsOrigin(const MachineInstr& def) const;

  // Returns the operands of a definition with a space that hold addresses of that space. Empty for an origin.
  using Operands = absl::InlinedVector<unsigned, 4>;
  Operands AddressOperands(const MachineInstr& def) const;

 private:
  enum class Kind : uint8_t { kUndetermined, kOffset, kInSpace, kUnknown };
  struct State {
    Kind kind;
    ptx::MemorySpace space;
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr State kUndetermined = {Kind::kUndetermined, ptx::MemorySpace::kUnknown};
  static constexpr State kOffset = {Kind::kOffset, ptx::MemorySpace::kUnknown};
  static constexpr State kAnything = {Kind::kUnknown, ptx::MemorySpace::kUnknown};
  static State InSpace(ptx::MemorySpace space) { return {Kind::kInSpace, space}; }
  static State Meet(const State& a, const State& b);
  static State Sum(const State& a, const State& b);
  static State Difference(const State& a, const State& b);

  void Solve();
  bool IsTracked(Register reg) const;
  State StateOf(const MachineOperand& operand) const;
  State Evaluate(const MachineInstr& def) const;
  State EvaluatePhi(const MachineInstr& phi) const;
  State EvaluateLoad(const MachineInstr& load) const;
  State EvaluateOther(const MachineInstr& def) const;
  bool IsPointerParameter(int64_t number) const;

  const MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  const MemoryDependence& memory_;
  bool is_launched_by_cuda_ = false;
  std::vector<State> states_;  // by virtual register
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MEMORY_ADDRESS_SPACES_H_

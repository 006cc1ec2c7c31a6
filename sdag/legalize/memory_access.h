// SPDX-License-Identifier: Apache-2.0

// Breaks one load or store of a DAG into the accesses that PTX has.

#ifndef PTXMIR_SDAG_LEGALIZE_MEMORY_ACCESS_H_
#define PTXMIR_SDAG_LEGALIZE_MEMORY_ACCESS_H_

#include <bit>
#include <cstdint>
#include <vector>

#include "mir/code/machine_mem_operand.h"
#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {

// A unit is a type that fits a register, or i8, whose register is an i16. All accesses start from the same chain,
// so they do not depend on each other.
class SplitMemoryAccess {
 public:
  // `memoperand` describes the whole access. Null: unknown, assumed to have the alignment of the type.
  SplitMemoryAccess(Legalizer& legalizer, const MachineMemOperand* memoperand, SDValue chain, SDValue pointer);

  // Loads units that lie one after another from the pointer on. Returns one register per unit.
  std::vector<SDValue> Load(absl::Span<const MVT> units);
  void Store(absl::Span<const MVT> units, absl::Span<const SDValue> values);
  // Returns the chain after all accesses.
  SDValue Chain();

 private:
  static MVT RegisterOf(MVT memory);
  bool MayNotBeSplit() const;
  bool CheckOneInstruction(absl::Span<const MVT> units);
  // Returns the alignment in bytes, or `natural` if nothing is known.
  uint64_t AlignmentAt(uint64_t offset, uint64_t natural) const;
  const MachineMemOperand* OperandAt(uint64_t offset, MVT type);
  SDValue PointerAt(uint64_t offset);
  unsigned GroupAt(absl::Span<const MVT> units, size_t first, uint64_t offset) const;
  std::vector<SDValue> LoadAt(absl::Span<const MVT> units, uint64_t offset);
  void StoreAt(absl::Span<const MVT> units, absl::Span<const SDValue> values, uint64_t offset);
  SDValue LoadUnit(MVT type, uint64_t offset);
  SDValue LoadInteger(MVT type, uint64_t offset);
  void StoreUnit(MVT type, SDValue value, uint64_t offset);
  void StoreInteger(const LegalValue& integer, uint64_t offset);

  Legalizer& l_;
  const MachineMemOperand* memoperand_;
  SDValue chain_, pointer_;
  std::vector<SDValue> chains_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_LEGALIZE_MEMORY_ACCESS_H_

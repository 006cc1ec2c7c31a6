// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/written_spaces.h"

#include "ir/address_space.h"
#include "ir/passes/support/effects.h"

namespace ptxmir::ir {
namespace {

MemoryKinds MemoryOf(const Value& pointer) { return MemoryOfSpace(pointer.type()->address_space()); }

// An atomic operation that orders others lets changes by other threads be seen.
MemoryKinds MemoryOfAtomic(const Instruction& instruction, const Value& pointer) {
  const bool is_relaxed =
      instruction.ordering() == AtomicOrdering::kMonotonic || instruction.ordering() == AtomicOrdering::kUnordered;
  return is_relaxed && !instruction.has_flag(kVolatile) ? MemoryOf(pointer) : kAllMemory;
}

}  // namespace

MemoryKinds MemoryOfSpace(uint32_t address_space) {
  switch (address_space) {
    case address_space::kGeneric:
      return kAllMemory;
    case address_space::kGlobal:
      return kGlobalMemory;
    case address_space::kShared:
    case address_space::kSharedCluster:
      return kSharedMemory;
    case address_space::kLocal:
      return kLocalMemory;
    case address_space::kConst:
    case address_space::kParam:
      return 0;
    default:
      return kOtherMemory;
  }
}

MemoryKinds MemoryWrittenByCall(const Instruction& call) {
  for (const std::string_view name : {"llvm.memcpy.p", "llvm.memmove.p", "llvm.memset.p"}) {
    if (IsIntrinsicCall(call, name)) return MemoryOf(call.operand(0));
  }
  return kAllMemory;
}

MemoryKinds MemoryWrittenBy(const Instruction& instruction) {
  if (!MayWriteMemory(instruction)) return 0;
  switch (instruction.opcode()) {
    case Opcode::kStore:
      return IsSimpleAccess(instruction) ? MemoryOf(instruction.operand(1))
                                         : MemoryOfAtomic(instruction, instruction.operand(1));
    case Opcode::kAtomicRMW:
    case Opcode::kCmpXchg:
      return MemoryOfAtomic(instruction, instruction.operand(0));
    case Opcode::kCall:
      return MemoryWrittenByCall(instruction);
    default:
      return kAllMemory;
  }
}

}  // namespace ptxmir::ir

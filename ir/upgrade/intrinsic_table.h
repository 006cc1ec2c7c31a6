// SPDX-License-Identifier: Apache-2.0

// The intrinsics of older versions of LLVM, and what becomes of their calls. Internal to ir/upgrade.
//
// The names are those that AutoUpgrade.cpp of LLVM 22 handles and that concern NVPTX or every target; what becomes of
// them was taken from what opt-22 prints.

#ifndef PTXMIR_IR_UPGRADE_INTRINSIC_TABLE_H_
#define PTXMIR_IR_UPGRADE_INTRINSIC_TABLE_H_

#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace ptxmir::ir {

enum class UpgradeKind : uint8_t {
  kRename,         // another name
  kReplace,        // a new call with the same operands, without the flags and attributes of the old one
  kBitCast,        // the instructions of that name
  kAddrSpaceCast,  //
  kLoad,           // ldg: a load of global memory that is invariant
  kAtomicAdd,      // atomicrmw
  kAtomicIncrement,
  kAtomicDecrement,
  kBarrierZero,      // one more operand in front: barrier 0
  kBarrierReduce,    // barrier 0, with the operand compared with 0
  kRotateLeft,       // a funnel shift of the value with itself
  kRotateRight,      //
  kSwapHalves,       // a rotation by half of the width
  kCountLong,        // a count of bits in the type of its operand, truncated
  kCountZeros,       // one more operand: whether 0 is undefined
  kAbsolute,         // a comparison, a negation and a select
  kBFloat,           // bfloats that were integers
  kMemory,           // the alignment becomes attributes of the pointers
  kLifetime,         // without the size, and only for allocas
  kObjectSize,       // as many operands as today
  kAnnotation,       // one more operand: null
  kClusterResult,    // the result is in the cluster's address space
  kClusterPointer,   // the first operand is, too
  kTensorToCluster,  // and there is one more operand
  kDebugRecord,      // no calls are left: they are records since they were read
};

struct IntrinsicUpgrade {
  UpgradeKind kind;
  std::string name;  // of the intrinsic to call
};

// Returns nullopt if the intrinsic is as it is in LLVM 22, or does not have the type that it had.
std::optional<IntrinsicUpgrade> FindIntrinsicUpgrade(const IrFunction& function);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_UPGRADE_INTRINSIC_TABLE_H_

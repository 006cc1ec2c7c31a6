// SPDX-License-Identifier: Apache-2.0

// The order that an intrinsic keeps with accesses to memory.

#ifndef PTXMIR_SDAG_FROM_IR_MEMORY_EFFECTS_H_
#define PTXMIR_SDAG_FROM_IR_MEMORY_EFFECTS_H_

#include <cstdint>

#include "ir/module.h"

namespace ptxmir::sdag {

enum class MemoryEffect : uint8_t {
  kNone,    // may be moved, repeated and removed like arithmetic
  kReads,   // like a load
  kWrites,  // keeps its place among all effects
};

// Returns the effect that the attributes of a declaration state (memory(none), memory(argmem: read) ...). Where there
// are none, as in text written by hand, returns the effect of the intrinsic of that name.
MemoryEffect MemoryEffectOf(const Module& module, const IrFunction& callee);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_FROM_IR_MEMORY_EFFECTS_H_

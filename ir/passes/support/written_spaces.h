// SPDX-License-Identifier: Apache-2.0

// The state spaces whose memory an instruction may change: what LLVM's nvptx-aa knows.
//
// Different spaces are different memory, with these exceptions. A generic pointer may point into any of them. The
// shared memory of a cluster contains that of the CTA. Constant memory and the parameters of a kernel do not change
// while it runs (PTX ISA, 5.1.6: an implementation may keep parameters in global memory, but a program may not write
// them).

#ifndef PTXMIR_IR_PASSES_SUPPORT_WRITTEN_SPACES_H_
#define PTXMIR_IR_PASSES_SUPPORT_WRITTEN_SPACES_H_

#include <array>
#include <cstdint>

#include "ir/code/function.h"

namespace ptxmir::ir {

// A set of kinds of memory that changes, one bit each.
using MemoryKinds = uint8_t;
inline constexpr unsigned kNumMemoryKinds = 4;
inline constexpr MemoryKinds kGlobalMemory = 1;
inline constexpr MemoryKinds kSharedMemory = 2;
inline constexpr MemoryKinds kLocalMemory = 4;
inline constexpr MemoryKinds kOtherMemory = 8;  // of spaces that are not known here
inline constexpr MemoryKinds kAllMemory = kGlobalMemory | kSharedMemory | kLocalMemory | kOtherMemory;

// Returns the memory that a pointer of a space may point into, without what never changes.
MemoryKinds MemoryOfSpace(uint32_t address_space);

// Returns the memory that an instruction may change, or that other threads may change before it ends, if it orders or
// synchronizes threads.
MemoryKinds MemoryWrittenBy(const Instruction& instruction);
// Returns the same for a call that may write memory.
MemoryKinds MemoryWrittenByCall(const Instruction& call);

// The times of the last changes of memory along a path. A load gives the same value as an earlier one if its memory has
// not changed since.
class MemoryTimes {
 public:
  // Records that memory may change at this time, which must not be before that of another change.
  void Change(MemoryKinds memory, uint64_t time) {
    for (unsigned kind = 0; kind < kNumMemoryKinds; ++kind) {
      if ((memory >> kind & 1) != 0) times_[kind] = time;
    }
  }
  bool IsUnchangedSince(MemoryKinds memory, uint64_t time) const {
    for (unsigned kind = 0; kind < kNumMemoryKinds; ++kind) {
      if ((memory >> kind & 1) != 0 && times_[kind] > time) return false;
    }
    return true;
  }

 private:
  std::array<uint64_t, kNumMemoryKinds> times_ = {};  // by kind
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_WRITTEN_SPACES_H_

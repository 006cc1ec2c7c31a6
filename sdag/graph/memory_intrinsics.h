// SPDX-License-Identifier: Apache-2.0

// llvm.memcpy, llvm.memmove and llvm.memset as nodes. They are intrinsics whose operands are a chain, the target,
// the source or the byte, the number of bytes, and whether the accesses are volatile. Address spaces are in the
// name.

#ifndef PTXMIR_SDAG_GRAPH_MEMORY_INTRINSICS_H_
#define PTXMIR_SDAG_GRAPH_MEMORY_INTRINSICS_H_

#include <cstdint>
#include <optional>

#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

struct MemoryIntrinsic {
  enum class Kind : uint8_t { kCopy, kMove, kSet };
  // Longer operations, and those whose size is not a constant, become loops (sdag/expand).
  static constexpr uint64_t kMaxUnrolledBytes = 128;

  Kind kind;
  bool is_volatile;
  unsigned target_space;
  unsigned source_space;         // 0 for kSet
  uint64_t alignment;            // of both the target and the source
  std::optional<uint64_t> size;  // nullopt if it is not a constant

  bool needs_loop() const { return !size.has_value() || *size > kMaxUnrolledBytes || (is_volatile && *size != 0); }
};

// Returns the description of a memory intrinsic, or nullopt for another node.
std::optional<MemoryIntrinsic> MemoryIntrinsicOf(const SDNode& node);

// Returns the memory operand for accesses that are parts of the node's.
MachineMemOperand MemOperandOf(const SDNode& node, const MemoryIntrinsic& intrinsic, bool is_load);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_MEMORY_INTRINSICS_H_

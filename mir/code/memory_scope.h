// SPDX-License-Identifier: Apache-2.0

// The scopes of atomic accesses and fences, and LLVM's names for them.

#ifndef PTXMIR_MIR_CODE_MEMORY_SCOPE_H_
#define PTXMIR_MIR_CODE_MEMORY_SCOPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxmir {

// The values are those of the scope operands of instructions (modifier atom.scope of ptx/isa/tables/prelude.isa) and of
// AtomicFence nodes, which are LLVM's.
enum class MemoryScope : uint8_t {
  kNone = 0,  // the instruction names no scope; for LLVM, a single thread
  kCta = 1,
  kCluster = 2,
  kGpu = 3,
  kSys = 4,
};

// Returns the scope that LLVM's syncscope names, or nullopt if PTX has no such scope. The empty name is that of the
// whole system. PTX has no scope of a single thread, so the next larger one is used.
constexpr std::optional<MemoryScope> ScopeFromSyncscope(std::string_view syncscope) {
  if (syncscope.empty()) return MemoryScope::kSys;
  if (syncscope == "block" || syncscope == "singlethread") return MemoryScope::kCta;
  if (syncscope == "cluster") return MemoryScope::kCluster;
  if (syncscope == "device") return MemoryScope::kGpu;
  return std::nullopt;
}

// Returns LLVM's name for the scope, which is empty for kSys.
constexpr std::string_view SyncscopeOf(MemoryScope scope) {
  switch (scope) {
    case MemoryScope::kNone:
      return "singlethread";
    case MemoryScope::kCta:
      return "block";
    case MemoryScope::kCluster:
      return "cluster";
    case MemoryScope::kGpu:
      return "device";
    case MemoryScope::kSys:
      break;
  }
  return "";
}

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MEMORY_SCOPE_H_

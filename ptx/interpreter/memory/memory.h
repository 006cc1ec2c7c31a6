// SPDX-License-Identifier: Apache-2.0

// The memory that a launch sees: address windows, allocations, and shadow bytes for undefined data.
//
// Addresses. Every state space has its own addresses from 0, and a window in the generic space:
//
//     shared  kSharedWindow + rank of the CTA in its cluster * kSharedStride + offset
//     local   kLocalWindow + offset (the same addresses in each thread, but different bytes)
//     const   kConstWindow + offset
//     param   kParamWindow + offset (parameters of the kernel)
//     global  identity
//     code    kFunctionWindow + 16 * number of the function
//
// A shared address below kSharedStride is in the CTA's own memory. (1 + rank) * kSharedStride + offset is an address
// in the memory of any CTA of the cluster.
//
// Global allocations are separated by kRedZone unused bytes, so that overruns are detected. A shadow byte has a 1
// for each undefined bit, so a byte is undefined if its shadow byte is not 0. Memory without a shadow is completely
// defined.

#ifndef PTXMIR_PTX_INTERPRETER_MEMORY_MEMORY_H_
#define PTXMIR_PTX_INTERPRETER_MEMORY_MEMORY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ptx/isa/isa_enums.h"

namespace ptxmir::ptx {

inline constexpr uint64_t kSharedWindow = uint64_t{0x7000} << 32;
inline constexpr uint64_t kSharedStride = uint64_t{1} << 24;
inline constexpr uint64_t kLocalWindow = uint64_t{0x7100} << 32;
inline constexpr uint64_t kConstWindow = uint64_t{0x7200} << 32;
inline constexpr uint64_t kParamWindow = uint64_t{0x7300} << 32;
inline constexpr uint64_t kFunctionWindow = uint64_t{0x7400} << 32;
inline constexpr uint64_t kWindowSize = uint64_t{1} << 32;
inline constexpr uint64_t kConstantBase = uint64_t{1} << 16;
inline constexpr uint64_t kGlobalBase = uint64_t{1} << 36;
inline constexpr uint64_t kRedZone = 4096;

// A contiguous range of bytes with its shadow.
struct MemoryBlock {
  std::string name;      // for reports: "shared memory", "buffer 2", "@table"
  uint64_t address = 0;  // of the first byte, in its own space
  std::vector<uint8_t> data;
  std::vector<uint8_t> undefined;  // empty: all defined
  bool read_only = false;

  void MakeUndefined() { undefined.assign(data.size(), 0xff); }
};

// Global memory: blocks in ascending order of addresses. Freed blocks stay, marked as freed, so that a use after
// free is detected.
class GlobalMemory {
 public:
  // `base` is the first address.
  explicit GlobalMemory(uint64_t base) : next_(base) {}

  // Allocates a block and returns its address. `align` is a power of two, at most 4096.
  uint64_t Allocate(std::string name, uint64_t size, uint64_t align, bool undefined = false);
  // Frees a block. Returns false if no live block begins at the address.
  bool Free(uint64_t address);
  // Returns the block that holds the address or is nearest below it, or null if there is none. `hint` is the index
  // of a block to try first, and receives the index of the one found.
  MemoryBlock* Find(uint64_t address, uint32_t* hint);
  const MemoryBlock* Find(uint64_t address) const;
  bool IsFreed(const MemoryBlock& block) const;
  absl::Span<const MemoryBlock> blocks() const { return blocks_; }

 private:
  std::vector<MemoryBlock> blocks_;
  std::vector<bool> freed_;
  uint64_t next_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_MEMORY_H_

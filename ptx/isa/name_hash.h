// SPDX-License-Identifier: Apache-2.0

// The hash of opcode names. The generator lays out the lookup table with it, and the program probes the table with
// it. It consumes eight bytes a step, because the lookup is on the hot path of the MIR reader.

#ifndef PTXMIR_PTX_ISA_NAME_HASH_H_
#define PTXMIR_PTX_ISA_NAME_HASH_H_

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ptxmir::ptx::isa {

// A slot of the open-addressing table (linear probing). An opcode has a slot for each of its two names.
struct NameSlot {
  static constexpr uint16_t kFree = 0xffff;
  uint16_t tag = 0;  // upper half of the hash; most probes that miss end here
  uint16_t opcode = kFree;
};

// Hashes a name. The result depends on the byte order, which is harmless because both sides run on the same machine.
inline uint32_t HashName(std::string_view name) {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  uint64_t hash = name.size() * kMultiplier;
  const char* p = name.data();
  size_t left = name.size();
  while (left >= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
    p += 8;
    left -= 8;
  }
  uint64_t word = 0;
  if (left != 0) std::memcpy(&word, p, left);
  hash = (hash ^ word) * kMultiplier;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace ptxmir::ptx::isa

#endif  // PTXMIR_PTX_ISA_NAME_HASH_H_

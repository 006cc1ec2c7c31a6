// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/memory/memory.h"

#include <algorithm>
#include <utility>

namespace ptxmir::ptx {

uint64_t GlobalMemory::Allocate(std::string name, uint64_t size, uint64_t align, bool undefined) {
  const uint64_t alignment = std::max<uint64_t>(align, 256);
  const uint64_t address = (next_ + alignment - 1) / alignment * alignment;
  next_ = address + size + kRedZone;
  MemoryBlock& block = blocks_.emplace_back();
  block.name = std::move(name);
  block.address = address;
  block.data.resize(size);
  if (undefined) block.MakeUndefined();
  freed_.push_back(false);
  return address;
}

bool GlobalMemory::Free(uint64_t address) {
  uint32_t hint = 0;
  const MemoryBlock* block = Find(address, &hint);
  if (block == nullptr || block->address != address || freed_[hint]) return false;
  freed_[hint] = true;
  return true;
}

MemoryBlock* GlobalMemory::Find(uint64_t address, uint32_t* hint) {
  if (*hint < blocks_.size()) {
    MemoryBlock& block = blocks_[*hint];
    if (address >= block.address && address - block.address < block.data.size()) return &block;
  }
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                      [](uint64_t at, const MemoryBlock& block) { return at < block.address; });
  if (after == blocks_.begin()) return nullptr;
  *hint = static_cast<uint32_t>(after - blocks_.begin() - 1);
  return &*(after - 1);
}

const MemoryBlock* GlobalMemory::Find(uint64_t address) const {
  uint32_t hint = 0;
  return const_cast<GlobalMemory*>(this)->Find(address, &hint);
}

bool GlobalMemory::IsFreed(const MemoryBlock& block) const {
  return freed_[static_cast<size_t>(&block - blocks_.data())];
}

}  // namespace ptxmir::ptx

// SPDX-License-Identifier: Apache-2.0

#include "base/arena_chunk_pool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/huge_pages.h"
#include "base/out_of_memory.h"

namespace ptxmir {
namespace {

// The size up to which each new block doubles the pool. Pages of a block that were never written to cost no
// memory.
constexpr size_t kMaxBytesPerBlock = size_t{8} << 20;

}  // namespace

ArenaChunkPool::~ArenaChunkPool() {
  for (char* block : blocks_) std::free(block);
}

char* ArenaChunkPool::Take(size_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (count == 1 && !free_.empty()) {
    char* chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  if (count > num_spare_) {
    const size_t fetched = std::max(count, std::clamp<size_t>(num_chunks_, 1, kMaxBytesPerBlock / chunk_bytes_));
    char* block = static_cast<char*>(AllocateLarge(fetched * chunk_bytes_, chunk_bytes_));
    if (block == nullptr) OutOfMemory();
    for (; num_spare_ > 0; --num_spare_, spare_ += chunk_bytes_) free_.push_back(spare_);
    blocks_.push_back(block);
    num_chunks_ += fetched;
    spare_ = block;
    num_spare_ = fetched;
  }
  char* first = spare_;
  spare_ += count * chunk_bytes_;
  num_spare_ -= count;
  return first;
}

void ArenaChunkPool::GiveBack(char* chunk) {
#ifdef PTXMIR_CHECKED
  // Makes any further use of a released function's code fail visibly.
  std::memset(chunk, 0xdd, chunk_bytes_);
#endif
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_draining_) {
    free_.push_back(chunk);
    return;
  }
  // A huge page that still has other chunks or anything else in it stays.
  const uintptr_t page = reinterpret_cast<uintptr_t>(chunk) & ~(kHugePageBytes - 1);
  if (++num_drained_[page] == kHugePageBytes / chunk_bytes_)
    ReleasePages(reinterpret_cast<void*>(page), kHugePageBytes);
}

void ArenaChunkPool::Drain() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_draining_ = true;
}

}  // namespace ptxmir

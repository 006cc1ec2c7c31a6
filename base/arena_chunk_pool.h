// SPDX-License-Identifier: Apache-2.0

// ArenaChunkPool: the source of the chunks that arenas (id_arena.h) are made of. All functions of a module share one
// pool. A few large blocks serve all of them; once there is a lot of code, the blocks are in huge
// pages. A chunk that one function gives back is used by the next function while it is still in the caches.
//
// Thread-safe. The addresses that a function gets have no observable effect.

#ifndef PTXMIR_BASE_ARENA_CHUNK_POOL_H_
#define PTXMIR_BASE_ARENA_CHUNK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace ptxmir {

class ArenaChunkPool {
 public:
  static constexpr size_t kDefaultChunkBytes = size_t{64} << 10;

  // `chunk_bytes` is a power of two, at least 4096. Each function takes at least one chunk, so small chunks are for
  // functions that exist all at once.
  explicit ArenaChunkPool(size_t chunk_bytes = kDefaultChunkBytes) : chunk_bytes_(chunk_bytes) {}
  ArenaChunkPool(const ArenaChunkPool&) = delete;
  ArenaChunkPool& operator=(const ArenaChunkPool&) = delete;
  // All chunks must have been given back, or must no longer be in use.
  ~ArenaChunkPool();

  size_t chunk_bytes() const { return chunk_bytes_; }

  // Returns `count` consecutive chunks, uninitialized and aligned to their size.
  char* Take(size_t count);
  // Takes back one chunk. Chunks that were taken together may be given back separately.
  void GiveBack(char* chunk);
  // Makes the pool return the memory of chunks that are given back from now on to the system instead of taking them
  // again.
  void Drain();

 private:
  const size_t chunk_bytes_;
  std::mutex mutex_;           // guards everything below
  std::vector<char*> blocks_;  // the blocks to return to the system
  std::vector<char*> free_;    // single chunks; the one used last is on top
  char* spare_ = nullptr;      // chunks of the newest block that were never taken
  size_t num_spare_ = 0;
  size_t num_chunks_ = 0;  // in all blocks
  bool is_draining_ = false;
  absl::flat_hash_map<uintptr_t, uint32_t> num_drained_;  // chunks given back, by the huge page that they are in
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_ARENA_CHUNK_POOL_H_

// SPDX-License-Identifier: Apache-2.0

// ArenaChunkPool: where function arenas (function_arena.h) get their chunks. The functions of a module share
// one, so that a few large blocks, in huge pages once there is a lot of code, serve all of them, and so that
// what one function gives back is used by the next while it is still in the caches.
//
// Thread-safe. Which addresses a function gets has no influence on anything that can be observed.

#ifndef PTXMIR_BASE_ARENA_CHUNK_POOL_H_
#define PTXMIR_BASE_ARENA_CHUNK_POOL_H_

#include <cstddef>
#include <mutex>
#include <vector>

namespace ptxmir {

class ArenaChunkPool {
 public:
  static constexpr size_t kChunkBytes = size_t{64} << 10;

  ArenaChunkPool() = default;
  ArenaChunkPool(const ArenaChunkPool&) = delete;
  ArenaChunkPool& operator=(const ArenaChunkPool&) = delete;
  // All chunks must have been given back, or be out of use.
  ~ArenaChunkPool();

  // `count` consecutive chunks, uninitialised, aligned to kChunkBytes.
  char* Take(size_t count);
  // Takes back one chunk; a run that was taken as one may come back in pieces.
  void GiveBack(char* chunk);

 private:
  std::mutex mutex_;
  std::vector<char*> blocks_;  // what to give back to the system
  std::vector<char*> free_;    // single chunks, the one used last on top
  char* spare_ = nullptr;      // chunks of the newest block that were never taken
  size_t num_spare_ = 0;
  size_t num_chunks_ = 0;  // in all blocks
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_ARENA_CHUNK_POOL_H_

// SPDX-License-Identifier: Apache-2.0

// DagArena: the memory of the nodes of all DAGs of a function, addressed by 32-bit ids.
//
// The scheme is that of mir/code/function_arena.h: chunks are aligned to their size and come from the pool that the
// module's functions share, an id counts units of 16 bytes, and masking an address finds its owner. It is a
// separate arena because DAGs die when machine code has been made from them, long before their function does.

#ifndef PTXMIR_SDAG_GRAPH_DAG_ARENA_H_
#define PTXMIR_SDAG_GRAPH_DAG_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/arena_chunk_pool.h"

namespace ptxmir::sdag {

class DagFunction;

// The offset of an object in its arena, in 16-byte units. 0 is null.
using NodeId = uint32_t;

class DagArena {
 public:
  static constexpr size_t kUnit = 16;
  static constexpr size_t kChunkBytes = ArenaChunkPool::kChunkBytes;
  static constexpr uint32_t kUnitsPerChunk = kChunkBytes / kUnit;

  DagArena(DagFunction* owner, std::shared_ptr<ArenaChunkPool> pool) : owner_(owner), pool_(std::move(pool)) {}
  DagArena(const DagArena&) = delete;
  DagArena& operator=(const DagArena&) = delete;
  ~DagArena();

  // Returns `bytes` bytes of uninitialized memory, aligned to 16.
  void* Allocate(size_t bytes) {
    const size_t size = (bytes + kUnit - 1) & ~(kUnit - 1);
    if (size > static_cast<size_t>(end_ - next_)) [[unlikely]]
      return AllocateSlow(size);
    void* result = next_;
    next_ += size;
    return result;
  }

  // Returns the object with an id, given the head of another object of the same arena. The two are usually
  // neighbors.
  template <typename T>
  static T* Resolve(const void* head, NodeId id) {
    const ChunkHeader* header = HeaderOf(head);
    const NodeId distance = id - header->first_id;
    if (distance < kUnitsPerChunk) [[likely]] {
      return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(header) + distance * kUnit);
    }
    return header->arena->Resolve<T>(id);
  }
  template <typename T>
  T* Resolve(NodeId id) const {
    return reinterpret_cast<T*>(chunks_[id / kUnitsPerChunk] + (id % kUnitsPerChunk) * kUnit);
  }

  // Returns the id of an object, from the address of its head.
  static NodeId IdOf(const void* head) {
    const ChunkHeader* header = HeaderOf(head);
    return header->first_id +
           static_cast<NodeId>((reinterpret_cast<uintptr_t>(head) - reinterpret_cast<uintptr_t>(header)) / kUnit);
  }
  static DagFunction* OwnerOf(const void* head) { return HeaderOf(head)->arena->owner_; }

  // Returns one more than the largest id handed out so far.
  NodeId id_bound() const { return static_cast<NodeId>(chunks_.size()) * kUnitsPerChunk; }
  size_t bytes_reserved() const { return chunks_.size() * kChunkBytes; }

 private:
  struct ChunkHeader {
    DagArena* arena;
    NodeId first_id;
    uint32_t unused;
  };
  static_assert(sizeof(ChunkHeader) == kUnit);

  static const ChunkHeader* HeaderOf(const void* head) {
    return reinterpret_cast<const ChunkHeader*>(reinterpret_cast<uintptr_t>(head) & ~(kChunkBytes - 1));
  }
  void* AllocateSlow(size_t size);
  char* AddChunks(size_t count);

  DagFunction* owner_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  std::shared_ptr<ArenaChunkPool> pool_;
  std::vector<char*> chunks_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_DAG_ARENA_H_

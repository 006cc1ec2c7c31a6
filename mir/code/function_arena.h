// SPDX-License-Identifier: Apache-2.0

// FunctionArena: the bump allocator in which everything that belongs to one MachineFunction lives.
//
// Memory comes in 64 KiB chunks, aligned to their size. That gives two things that a plain arena does not:
//
// - Every object has a 32-bit id (its offset in 16-byte units), half the size of a pointer: links between
//   instructions and between the operands of a register are ids. An id is resolved with one table load.
// - The owner is found from any object's address by masking, so that neither instructions nor operands
//   carry a pointer to their function.
//
// An object larger than a chunk gets a run of consecutive chunk numbers; only its first 64 KiB may be
// masked, so owner lookup is done from an object's head.
//
// Nothing is destroyed: objects must be trivially destructible.

#ifndef PTXMIR_MIR_CODE_FUNCTION_ARENA_H_
#define PTXMIR_MIR_CODE_FUNCTION_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/arena_chunk_pool.h"

namespace ptxmir {

class MachineFunction;

// Offset of an object in its function's arena, in 16-byte units. 0 is null.
using ArenaId = uint32_t;

class FunctionArena {
 public:
  static constexpr size_t kUnit = 16;
  static constexpr size_t kChunkBytes = ArenaChunkPool::kChunkBytes;
  static constexpr uint32_t kUnitsPerChunk = kChunkBytes / kUnit;

  // `pool` is where chunks come from and go to; null: a pool of its own.
  explicit FunctionArena(MachineFunction* owner, std::shared_ptr<ArenaChunkPool> pool = nullptr)
      : owner_(owner), pool_(pool != nullptr ? std::move(pool) : std::make_shared<ArenaChunkPool>()) {}
  FunctionArena(const FunctionArena&) = delete;
  FunctionArena& operator=(const FunctionArena&) = delete;
  ~FunctionArena();

  // `bytes` bytes of uninitialised memory, aligned to 16.
  void* Allocate(size_t bytes) {
    const size_t size = RoundedUp(bytes);
    if (size <= static_cast<size_t>(end_ - next_)) [[likely]] {
      void* result = next_;
      next_ += size;
      return result;
    }
    return AllocateSlow(size);
  }

  // The same, among memory that only blocks and their edges are given: analyses of the graph walk over these
  // alone, and a line of the cache that holds a block should not hold code besides.
  void* AllocateForGraph(size_t bytes) {
    const size_t size = RoundedUp(bytes);
    if (size > static_cast<size_t>(graph_end_ - graph_next_)) AddGraphSlab(size);
    void* result = graph_next_;
    graph_next_ += size;
    return result;
  }

  template <typename T, typename... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kUnit);
    return new (Allocate(sizeof(T))) T(std::forward<Args>(args)...);
  }

  template <typename T>
  absl::Span<T> CopyArray(absl::Span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kUnit);
    if (values.empty()) return {};
    T* copy = static_cast<T*>(Allocate(values.size() * sizeof(T)));
    std::memcpy(static_cast<void*>(copy), values.data(), values.size() * sizeof(T));
    return {copy, values.size()};
  }

  std::string_view CopyString(std::string_view text) {
    if (text.empty()) return {};
    char* copy = static_cast<char*>(Allocate(text.size()));
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

  template <typename T>
  T* Resolve(ArenaId id) const {
    return reinterpret_cast<T*>(chunks_[id / kUnitsPerChunk] + (id % kUnitsPerChunk) * kUnit);
  }

  // The same, for an id that an object of this arena holds. Most name a neighbour, whose address follows from
  // the object's own without a look at the table.
  template <typename T>
  static T* ResolveNear(const void* holder, ArenaId id) {
    const uintptr_t chunk = reinterpret_cast<uintptr_t>(holder) & ~(kChunkBytes - 1);
    const ChunkHeader* header = reinterpret_cast<const ChunkHeader*>(chunk);
    const ArenaId distance = id - header->first_id;
    if (distance < kUnitsPerChunk) [[likely]]
      return reinterpret_cast<T*>(chunk + distance * kUnit);
    return ResolveFar<T>(header->owner, id);
  }

  // The id of an object, from the address of its head (its first 64 KiB, for large objects).
  static ArenaId IdOf(const void* object) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(object);
    const uintptr_t chunk = address & ~(kChunkBytes - 1);
    return reinterpret_cast<const ChunkHeader*>(chunk)->first_id + static_cast<ArenaId>((address - chunk) / kUnit);
  }
  static MachineFunction* OwnerOf(const void* object) {
    const uintptr_t chunk = reinterpret_cast<uintptr_t>(object) & ~(kChunkBytes - 1);
    return reinterpret_cast<const ChunkHeader*>(chunk)->owner;
  }

  // Bytes taken from the pool.
  size_t bytes_reserved() const { return chunks_.size() * kChunkBytes; }
  // One more than the largest id handed out so far: the size for a table that is indexed by id.
  ArenaId id_bound() const { return static_cast<ArenaId>(chunks_.size()) * kUnitsPerChunk; }

 private:
  struct ChunkHeader {
    MachineFunction* owner;
    ArenaId first_id;
    uint32_t unused;
  };
  static_assert(sizeof(ChunkHeader) == kUnit);
  static constexpr size_t kFirstGraphSlab = 1024;
  static constexpr size_t kLargestGraphSlab = kChunkBytes / 2;

  static size_t RoundedUp(size_t bytes) { return (bytes + kUnit - 1) & ~(kUnit - 1); }
  void* AllocateSlow(size_t size);
  // Takes memory for the graph, `size` bytes or more: each time twice as much as before, up to half a chunk.
  void AddGraphSlab(size_t size);
  template <typename T>
  static T* ResolveFar(MachineFunction* owner, ArenaId id);
  // Takes `count` consecutive chunks and gives the first a header.
  char* AddChunks(size_t count);

  MachineFunction* owner_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  char* graph_next_ = nullptr;
  char* graph_end_ = nullptr;
  size_t graph_slab_bytes_ = kFirstGraphSlab;
  std::shared_ptr<ArenaChunkPool> pool_;
  std::vector<char*> chunks_;  // by chunk number
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_FUNCTION_ARENA_H_

// SPDX-License-Identifier: Apache-2.0

// FunctionArena: the bump allocator that holds everything that belongs to one MachineFunction.
//
// Memory comes in 64 KiB chunks that are aligned to their size. This gives two things that a plain arena does not:
//
// - Every object has a 32-bit id (its offset in 16-byte units), half the size of a pointer. Links between
//   instructions and between the operands of a register are ids. Resolving an id takes one table load.
// - Masking the address of an object gives its chunk, and the chunk knows its owner. Instructions and operands
//   therefore need no pointer to their function.
//
// An object that is larger than a chunk gets several consecutive chunk numbers. Only addresses in its first 64 KiB
// may be masked, so the owner is looked up from the address of the object's head.
//
// No destructors are run; objects must be trivially destructible.

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

// The offset of an object in its function's arena, in 16-byte units. 0 is null.
using ArenaId = uint32_t;

class FunctionArena {
 public:
  static constexpr size_t kUnit = 16;
  static constexpr size_t kChunkBytes = ArenaChunkPool::kChunkBytes;
  static constexpr uint32_t kUnitsPerChunk = kChunkBytes / kUnit;

  // Takes chunks from `pool` and gives them back to it. If `pool` is null, the arena has a pool of its own.
  explicit FunctionArena(MachineFunction* owner, std::shared_ptr<ArenaChunkPool> pool = nullptr)
      : owner_(owner), pool_(pool != nullptr ? std::move(pool) : std::make_shared<ArenaChunkPool>()) {}
  FunctionArena(const FunctionArena&) = delete;
  FunctionArena& operator=(const FunctionArena&) = delete;
  ~FunctionArena();

  // Returns `bytes` bytes of uninitialized memory, aligned to 16.
  void* Allocate(size_t bytes) {
    const size_t size = RoundedUp(bytes);
    if (size <= static_cast<size_t>(end_ - next_)) [[likely]] {
      void* result = next_;
      next_ += size;
      return result;
    }
    return AllocateSlow(size);
  }

  // Like Allocate, but from memory that holds only blocks and their edges. Graph analyses walk over blocks and
  // edges alone, so the cache lines that they load should not contain instructions.
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

  // Like Resolve, for an id that is stored in `holder`, an object of this arena. Most such ids name an object in
  // the same chunk; its address is then computed without a table load.
  template <typename T>
  static T* ResolveNear(const void* holder, ArenaId id) {
    const uintptr_t chunk = reinterpret_cast<uintptr_t>(holder) & ~(kChunkBytes - 1);
    const ChunkHeader* header = reinterpret_cast<const ChunkHeader*>(chunk);
    const ArenaId distance = id - header->first_id;
    if (distance < kUnitsPerChunk) [[likely]]
      return reinterpret_cast<T*>(chunk + distance * kUnit);
    return ResolveFar<T>(header->owner, id);
  }

  // Returns the id of an object, given the address of its head (for a large object, any address in its first 64
  // KiB).
  static ArenaId IdOf(const void* object) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(object);
    const uintptr_t chunk = address & ~(kChunkBytes - 1);
    return reinterpret_cast<const ChunkHeader*>(chunk)->first_id + static_cast<ArenaId>((address - chunk) / kUnit);
  }
  static MachineFunction* OwnerOf(const void* object) {
    const uintptr_t chunk = reinterpret_cast<uintptr_t>(object) & ~(kChunkBytes - 1);
    return reinterpret_cast<const ChunkHeader*>(chunk)->owner;
  }

  // Returns the number of bytes taken from the pool.
  size_t bytes_reserved() const { return chunks_.size() * kChunkBytes; }
  // Returns the exclusive upper bound of the ids handed out so far: the size of a table that is indexed by id.
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
  // Takes at least `size` more bytes for the graph. The slab size doubles each time, up to half a chunk.
  void AddGraphSlab(size_t size);
  template <typename T>
  static T* ResolveFar(MachineFunction* owner, ArenaId id);
  // Takes `count` consecutive chunks and writes a header into the first.
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

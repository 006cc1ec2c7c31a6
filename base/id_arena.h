// SPDX-License-Identifier: Apache-2.0

// IdArena: a bump allocator whose objects have 32-bit ids and know their owner.
//
// Memory comes in chunks that are aligned to their size. This gives two things that a plain arena does not:
//
// - Every object has a 32-bit id (its offset in 16-byte units), half the size of a pointer. Links between instructions
//   and between uses are ids. Resolving an id takes one table load, or none if the object is in the same chunk.
// - Masking the address of an object gives its chunk, and the chunk knows the owner. Objects need no pointer to the
//   function that contains them.
//
// An object that is larger than a chunk gets several consecutive chunk numbers. Only addresses in its first chunk may
// be masked, so id and owner are looked up from the address of the object's head.
//
// No destructors are run; objects must be trivially destructible.

#ifndef PTXMIR_BASE_ID_ARENA_H_
#define PTXMIR_BASE_ID_ARENA_H_

#include <cassert>
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

template <typename Owner, size_t chunk_bytes = ArenaChunkPool::kDefaultChunkBytes>
class IdArena {
 public:
  using Id = uint32_t;  // 0 is null
  static constexpr size_t kUnit = 16;
  static constexpr size_t kChunkBytes = chunk_bytes;
  static constexpr uint32_t kUnitsPerChunk = kChunkBytes / kUnit;

  // Takes chunks from `pool`, whose chunks have this size, and gives them back to it. If `pool` is null, the arena has
  // a pool of its own.
  explicit IdArena(Owner* owner, std::shared_ptr<ArenaChunkPool> pool = nullptr)
      : owner_(owner), pool_(pool != nullptr ? std::move(pool) : std::make_shared<ArenaChunkPool>(chunk_bytes)) {
    assert(pool_->chunk_bytes() == chunk_bytes);
  }
  IdArena(const IdArena&) = delete;
  IdArena& operator=(const IdArena&) = delete;
  ~IdArena() {
    // In reverse order, so that the next function gets the chunks in the same order as this one.
    for (size_t i = chunks_.size(); i > 0; --i) pool_->GiveBack(chunks_[i - 1]);
  }

  // Returns `bytes` bytes of uninitialized memory, aligned to 16.
  void* Allocate(size_t bytes) {
    const size_t size = (bytes + kUnit - 1) & ~(kUnit - 1);
    if (size <= static_cast<size_t>(end_ - next_)) [[likely]] {
      void* result = next_;
      next_ += size;
      return result;
    }
    return AllocateSlow(size);
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
    const absl::Span<const char> copy = CopyArray(absl::Span<const char>(text));
    return {copy.data(), copy.size()};
  }

  template <typename T>
  T* Resolve(Id id) const {
    return reinterpret_cast<T*>(chunks_[id / kUnitsPerChunk] + (id % kUnitsPerChunk) * kUnit);
  }

  // Like Resolve, for an id that is stored in `holder`, the head of an object of this arena. Most such ids name an
  // object in the same chunk; its address is then computed without a table load.
  template <typename T>
  static T* ResolveNear(const void* holder, Id id) {
    const ChunkHeader* header = HeaderOf(holder);
    const Id distance = id - header->first_id;
    if (distance < kUnitsPerChunk) [[likely]] {
      return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(header) + distance * kUnit);
    }
    return header->arena->template Resolve<T>(id);
  }

  static Id IdOf(const void* object) {
    const ChunkHeader* header = HeaderOf(object);
    const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - reinterpret_cast<uintptr_t>(header);
    return header->first_id + static_cast<Id>(offset / kUnit);
  }
  static Owner* OwnerOf(const void* object) { return HeaderOf(object)->owner; }

  // Returns the number of bytes taken from the pool.
  size_t bytes_reserved() const { return chunks_.size() * kChunkBytes; }
  // Returns the exclusive upper bound of the ids handed out so far: the size of a table that is indexed by id.
  Id id_bound() const { return static_cast<Id>(chunks_.size()) * kUnitsPerChunk; }

 private:
  struct ChunkHeader {
    Owner* owner;
    const IdArena* arena;
    alignas(kUnit) Id first_id;
  };
  static_assert(sizeof(ChunkHeader) == 2 * kUnit);

  static const ChunkHeader* HeaderOf(const void* object) {
    return reinterpret_cast<const ChunkHeader*>(reinterpret_cast<uintptr_t>(object) & ~(kChunkBytes - 1));
  }

  // Takes `count` consecutive chunks and writes a header into the first.
  char* AddChunks(size_t count) {
    char* first = pool_->Take(count);
    new (first) ChunkHeader{owner_, this, static_cast<Id>(chunks_.size()) * kUnitsPerChunk};
    for (size_t i = 0; i < count; ++i) chunks_.push_back(first + i * kChunkBytes);
    return first;
  }

  void* AllocateSlow(size_t size) {
    const size_t needed = size + sizeof(ChunkHeader);
    if (needed > kChunkBytes) {
      // The rest of the current chunk remains available for small objects.
      return AddChunks((needed + kChunkBytes - 1) / kChunkBytes) + sizeof(ChunkHeader);
    }
    char* chunk = AddChunks(1);
    next_ = chunk + sizeof(ChunkHeader) + size;
    end_ = chunk + kChunkBytes;
    return chunk + sizeof(ChunkHeader);
  }

  Owner* owner_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  std::shared_ptr<ArenaChunkPool> pool_;
  std::vector<char*> chunks_;  // by chunk number
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_ID_ARENA_H_

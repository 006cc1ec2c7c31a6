#include "mir/function_arena.h"

#include <algorithm>
#include <cstdlib>

#include "mir/huge_pages.h"

namespace ptxmir {
namespace {

// Chunks are fetched singly at first (most functions need one or two) and then in growing blocks.
constexpr size_t kMaxChunksPerBlock = 64;

}  // namespace

FunctionArena::~FunctionArena() {
  for (char* block : blocks_) std::free(block);
}

char* FunctionArena::AddChunks(size_t count) {
  char* first;
  if (count <= num_spare_) {
    first = spare_;
    spare_ += count * kChunkBytes;
    num_spare_ -= count;
  } else {
    const size_t grown = std::clamp<size_t>(chunks_.size() / 4, 1, kMaxChunksPerBlock);
    const size_t fetched = std::max(count, grown);
    first = static_cast<char*>(AllocateLarge(fetched * kChunkBytes, kChunkBytes));
    if (first == nullptr) throw std::bad_alloc();
    blocks_.push_back(first);
    spare_ = first + count * kChunkBytes;
    num_spare_ = fetched - count;
  }
  new (first) ChunkHeader{owner_, static_cast<ArenaId>(chunks_.size()) * kUnitsPerChunk, 0};
  for (size_t i = 0; i < count; ++i) chunks_.push_back(first + i * kChunkBytes);
  return first;
}

void* FunctionArena::AllocateSlow(size_t size) {
  const size_t needed = size + sizeof(ChunkHeader);
  if (needed > kChunkBytes) {
    // The rest of the current chunk stays in use for small objects.
    return AddChunks((needed + kChunkBytes - 1) / kChunkBytes) + sizeof(ChunkHeader);
  }
  char* chunk = AddChunks(1);
  next_ = chunk + sizeof(ChunkHeader) + size;
  end_ = chunk + kChunkBytes;
  return chunk + sizeof(ChunkHeader);
}

}  // namespace ptxmir

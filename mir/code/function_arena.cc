// SPDX-License-Identifier: Apache-2.0

#include "mir/code/function_arena.h"

#include <algorithm>

namespace ptxmir {

FunctionArena::~FunctionArena() {
  // In reverse order, so that the next function gets the chunks in the same order as this one.
  for (size_t i = chunks_.size(); i > 0; --i) pool_->GiveBack(chunks_[i - 1]);
}

char* FunctionArena::AddChunks(size_t count) {
  char* first = pool_->Take(count);
  new (first) ChunkHeader{owner_, static_cast<ArenaId>(chunks_.size()) * kUnitsPerChunk, 0};
  for (size_t i = 0; i < count; ++i) chunks_.push_back(first + i * kChunkBytes);
  return first;
}

void* FunctionArena::AllocateSlow(size_t size) {
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

void FunctionArena::AddGraphSlab(size_t size) {
  const size_t slab = std::max(size, graph_slab_bytes_);
  graph_slab_bytes_ = std::min(graph_slab_bytes_ * 2, kLargestGraphSlab);
  graph_next_ = static_cast<char*>(Allocate(slab));
  graph_end_ = graph_next_ + slab;
}

}  // namespace ptxmir

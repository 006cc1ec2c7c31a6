// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/dag_arena.h"

#include <new>

namespace ptxmir::sdag {

DagArena::~DagArena() {
  for (size_t i = chunks_.size(); i > 0; --i) pool_->GiveBack(chunks_[i - 1]);
}

char* DagArena::AddChunks(size_t count) {
  char* first = pool_->Take(count);
  new (first) ChunkHeader{this, static_cast<NodeId>(chunks_.size()) * kUnitsPerChunk, 0};
  for (size_t i = 0; i < count; ++i) chunks_.push_back(first + i * kChunkBytes);
  return first;
}

void* DagArena::AllocateSlow(size_t size) {
  const size_t needed = size + sizeof(ChunkHeader);
  // The rest of the current chunk stays in use for small objects.
  if (needed > kChunkBytes) return AddChunks((needed + kChunkBytes - 1) / kChunkBytes) + sizeof(ChunkHeader);
  char* chunk = AddChunks(1);
  next_ = chunk + sizeof(ChunkHeader) + size;
  end_ = chunk + kChunkBytes;
  return chunk + sizeof(ChunkHeader);
}

}  // namespace ptxmir::sdag

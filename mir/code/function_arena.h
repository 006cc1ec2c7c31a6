// SPDX-License-Identifier: Apache-2.0

// FunctionArena: the memory of everything that belongs to one MachineFunction.

#ifndef PTXMIR_MIR_CODE_FUNCTION_ARENA_H_
#define PTXMIR_MIR_CODE_FUNCTION_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/id_arena.h"

namespace ptxmir {

class MachineFunction;

// The offset of an object in its function's arena, in 16-byte units. 0 is null.
using ArenaId = uint32_t;

class FunctionArena : public IdArena<MachineFunction> {
 public:
  using IdArena::IdArena;

  // Like Allocate, but from memory that holds only blocks and their edges. Graph analyses walk over blocks and
  // edges alone, so the cache lines that they load should not contain instructions.
  void* AllocateForGraph(size_t bytes) {
    const size_t size = (bytes + kUnit - 1) & ~(kUnit - 1);
    if (size > static_cast<size_t>(graph_end_ - graph_next_)) AddGraphSlab(size);
    void* result = graph_next_;
    graph_next_ += size;
    return result;
  }

 private:
  static constexpr size_t kFirstGraphSlab = 1024;
  static constexpr size_t kLargestGraphSlab = kChunkBytes / 2;

  // Takes at least `size` more bytes for the graph. The slab size doubles each time, up to half a chunk.
  void AddGraphSlab(size_t size) {
    const size_t slab = std::max(size, graph_slab_bytes_);
    graph_slab_bytes_ = std::min(graph_slab_bytes_ * 2, kLargestGraphSlab);
    graph_next_ = static_cast<char*>(Allocate(slab));
    graph_end_ = graph_next_ + slab;
  }

  char* graph_next_ = nullptr;
  char* graph_end_ = nullptr;
  size_t graph_slab_bytes_ = kFirstGraphSlab;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_FUNCTION_ARENA_H_

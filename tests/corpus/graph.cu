// Graphs: breadth-first search with a queue and with a bitmap, page rank, union
// find, shortest paths by relaxation, triangle counting and greedy colouring.
#include <cuda_runtime.h>

__global__ void BfsTopDown(const int* starts, const int* targets, int* depth,
                           const int* frontier, int count, int* next,
                           int* next_count, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int vertex = frontier[i];
  for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) {
    const int target = targets[e];
    if (depth[target] < 0 && atomicCAS(&depth[target], -1, level) == -1) {
      // The lanes that found something share one increment of the counter.
      const unsigned active = __activemask();
      const int leader = __ffs(active) - 1;
      const int lane = threadIdx.x % 32;
      int base = 0;
      if (lane == leader) {
        base = atomicAdd(next_count, __popc(active));
      }
      base = __shfl_sync(active, base, leader);
      next[base + __popc(active & ((1u << lane) - 1))] = target;
    }
  }
}

__global__ void BfsBottomUp(const int* starts, const int* sources,
                            const unsigned* frontier, unsigned* visited,
                            unsigned* next, int vertices, bool* changed) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (vertex < vertices && !(visited[vertex >> 5] >> (vertex & 31) & 1)) {
    for (int e = starts[vertex]; e < starts[vertex + 1] && !found; ++e) {
      const int source = sources[e];
      found = frontier[source >> 5] >> (source & 31) & 1;
    }
  }
  const unsigned votes = __ballot_sync(0xffffffffu, found);
  if (threadIdx.x % 32 == 0 && votes != 0) {
    next[vertex >> 5] = votes;
    visited[vertex >> 5] |= votes;
    *changed = true;
  }
}

__global__ void PageRank(const int* starts, const int* sources,
                         const int* out_degrees, const double* rank,
                         double* next, int vertices, double damping,
                         double* change) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  double difference = 0.0;
  if (vertex < vertices) {
    double sum = 0.0;
    for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) {
      const int source = sources[e];
      sum += rank[source] / out_degrees[source];
    }
    const double fresh = (1.0 - damping) / vertices + damping * sum;
    difference = fabs(fresh - rank[vertex]);
    next[vertex] = fresh;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    difference += __shfl_xor_sync(0xffffffffu, difference, step);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(change, difference);
  }
}

namespace {

__device__ int Find(int* parents, int v) {
  int parent = parents[v];
  while (parent != v) {
    const int grand = parents[parent];
    parents[v] = grand;
    v = parent;
    parent = grand;
  }
  return v;
}

}  // namespace

__global__ void UnionFind(const int2* edges, int count, int* parents) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  int a = Find(parents, edges[i].x);
  int b = Find(parents, edges[i].y);
  while (a != b) {
    if (a < b) {
      const int t = a;
      a = b;
      b = t;
    }
    const int old = atomicCAS(&parents[a], a, b);
    if (old == a) {
      return;
    }
    a = Find(parents, old);
    b = Find(parents, b);
  }
}

__global__ void Relax(const int* starts, const int* targets,
                      const float* lengths, int* distance_bits, int vertices,
                      int* changed) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= vertices) {
    return;
  }
  const float mine = __int_as_float(__ldcg(&distance_bits[vertex]));
  bool improved = false;
  for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) {
    const int bits = __float_as_int(mine + lengths[e]);
    improved |= atomicMin(&distance_bits[targets[e]], bits) > bits;
  }
  if (__any_sync(__activemask(), improved) && threadIdx.x % 32 == 0) {
    *changed = 1;
  }
}

__global__ void Triangles(const int* starts, const int* targets,
                          const int2* edges, int count,
                          unsigned long long* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned found = 0;
  if (i < count) {
    int a = starts[edges[i].x];
    int b = starts[edges[i].y];
    const int a_end = starts[edges[i].x + 1];
    const int b_end = starts[edges[i].y + 1];
    while (a < a_end && b < b_end) {
      const int u = targets[a];
      const int v = targets[b];
      found += u == v;
      a += u <= v;
      b += v <= u;
    }
  }
  found = __nvvm_redux_sync_add(found, 0xffffffffu);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(total, static_cast<unsigned long long>(found));
  }
}

__global__ void Colour(const int* starts, const int* targets,
                       const unsigned* priority, int* colours, int vertices,
                       int* left) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= vertices || colours[vertex] >= 0) {
    return;
  }
  unsigned long long used = 0;
  for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) {
    const int other = targets[e];
    const int colour = static_cast<volatile int*>(colours)[other];
    if (colour < 0 && priority[other] > priority[vertex]) {
      atomicAdd(left, 1);
      return;
    }
    if (colour >= 0 && colour < 64) {
      used |= 1ull << colour;
    }
  }
  colours[vertex] = __ffsll(~used) - 1;
}

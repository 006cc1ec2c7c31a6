// Selections: top k by a sorted list in registers, by radix digits and by a
// heap in local memory; medians of nine; weighted sampling; merge by ranks.
#include <cuda_runtime.h>

template <int kKeep>
__global__ void TopK(const float* in, int columns, float* values, int* places) {
  float best[kKeep];
  int where[kKeep];
#pragma unroll
  for (int i = 0; i < kKeep; ++i) {
    best[i] = -1e30f;
    where[i] = -1;
  }
  const float* row = in + static_cast<size_t>(blockIdx.x) * columns;
  for (int c = threadIdx.x; c < columns; c += 32) {
    float v = row[c];
    int at = c;
    if (v > best[kKeep - 1]) {
#pragma unroll
      for (int i = 0; i < kKeep; ++i) {
        if (v > best[i]) {
          const float t = best[i];
          const int u = where[i];
          best[i] = v;
          where[i] = at;
          v = t;
          at = u;
        }
      }
    }
  }
  // The warp's lists give up their heads one at a time.
#pragma unroll 1
  for (int n = 0; n < kKeep; ++n) {
    float top = best[0];
    int lane = threadIdx.x;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, top, step);
      const int other_lane = __shfl_xor_sync(0xffffffffu, lane, step);
      if (other > top || (other == top && other_lane < lane)) {
        top = other;
        lane = other_lane;
      }
    }
    if (lane == static_cast<int>(threadIdx.x)) {
      values[blockIdx.x * kKeep + n] = best[0];
      places[blockIdx.x * kKeep + n] = where[0];
#pragma unroll
      for (int i = 0; i + 1 < kKeep; ++i) {
        best[i] = best[i + 1];
        where[i] = where[i + 1];
      }
      best[kKeep - 1] = -1e30f;
    }
  }
}

template __global__ void TopK<4>(const float*, int, float*, int*);
template __global__ void TopK<16>(const float*, int, float*, int*);

__global__ void __launch_bounds__(256)
    RadixSelect(const unsigned* in, int count, int k, unsigned* out) {
  __shared__ int counts[256];
  __shared__ unsigned prefix_shared;
  __shared__ int k_shared;
  unsigned prefix = 0;
  unsigned mask = 0;
#pragma unroll
  for (int shift = 24; shift >= 0; shift -= 8) {
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += 256) {
      if ((in[i] & mask) == prefix) {
        atomicAdd(&counts[in[i] >> shift & 255], 1);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int left = k;
      int digit = 255;
      while (digit > 0 && left > counts[digit]) {
        left -= counts[digit--];
      }
      prefix_shared = prefix | static_cast<unsigned>(digit) << shift;
      k_shared = left;
    }
    __syncthreads();
    prefix = prefix_shared;
    k = k_shared;
    mask |= 255u << shift;
  }
  if (threadIdx.x == 0) {
    *out = prefix;
  }
}

__global__ void HeapSelect(const float* in, int count, float* out, int k) {
  float heap[32];
  const float* mine = in + (blockIdx.x * blockDim.x + threadIdx.x) * count;
  for (int i = 0; i < k; ++i) {
    heap[i] = mine[i];
  }
  auto sift = [&](int at) {
    const float v = heap[at];
    while (2 * at + 1 < k) {
      int child = 2 * at + 1;
      if (child + 1 < k && heap[child + 1] < heap[child]) {
        ++child;
      }
      if (heap[child] >= v) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = v;
  };
  for (int i = k / 2 - 1; i >= 0; --i) {
    sift(i);
  }
  for (int i = k; i < count; ++i) {
    if (mine[i] > heap[0]) {
      heap[0] = mine[i];
      sift(0);
    }
  }
  for (int i = 0; i < k; ++i) {
    out[(blockIdx.x * blockDim.x + threadIdx.x) * k + i] = heap[i];
  }
}

__global__ void Median9(const unsigned char* in, unsigned char* out,
                        int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y + 1;
  int v[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    v[i] = in[(y + i / 3 - 1) * pitch + x + i % 3 - 1];
  }
#pragma unroll
  for (int i = 0; i < 5; ++i) {
#pragma unroll
    for (int j = 8; j > i; --j) {
      const int low = min(v[j - 1], v[j]);
      v[j] = max(v[j - 1], v[j]);
      v[j - 1] = low;
    }
  }
  out[y * pitch + x] = static_cast<unsigned char>(v[4]);
}

__global__ void Sample(const float* cumulative, int classes,
                       const float* uniforms, int* picks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float u = uniforms[i] * cumulative[classes - 1];
  int low = 0;
  int size = classes;
#pragma unroll 1
  while (size > 0) {
    const int half = size >> 1;
    const bool right = cumulative[low + half] < u;
    low = right ? low + half + 1 : low;
    size = right ? size - half - 1 : half;
  }
  picks[i] = low;
}

__global__ void MergeByRanks(const int* a, int na, const int* b, int nb,
                             int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto rank = [](const int* v, int n, int key, bool ties) {
    int low = 0;
    while (n > 0) {
      const int half = n / 2;
      if (v[low + half] < key || (ties && v[low + half] == key)) {
        low += half + 1;
        n -= half + 1;
      } else {
        n = half;
      }
    }
    return low;
  };
  if (i < na) {
    out[i + rank(b, nb, a[i], false)] = a[i];
  }
  if (i < nb) {
    out[i + rank(a, na, b[i], true)] = b[i];
  }
}

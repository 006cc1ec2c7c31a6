// Bitonic sorts: in shared memory, across a warp by shuffles, in registers by a
// network unrolled at compile time, and of key-value pairs.
#include <cuda_runtime.h>

namespace {

template <typename T>
__device__ void Order(T& a, T& b, bool up) {
  if ((a > b) == up) {
    const T t = a;
    a = b;
    b = t;
  }
}

template <int kCount, typename T>
__device__ void SortRegisters(T (&v)[kCount]) {
#pragma unroll
  for (int size = 2; size <= kCount; size *= 2) {
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if ((i & step) == 0) {
          Order(v[i], v[i | step], (i & size) == 0);
        }
      }
    }
  }
}

}  // namespace

__global__ void __launch_bounds__(512) SortShared(float* keys) {
  __shared__ float cells[1024];
  float* mine = keys + blockIdx.x * 1024;
  cells[threadIdx.x] = mine[threadIdx.x];
  cells[threadIdx.x + 512] = mine[threadIdx.x + 512];
  for (int size = 2; size <= 1024; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const int i = 2 * threadIdx.x - (threadIdx.x & (step - 1));
      Order(cells[i], cells[i + step], (i & size) == 0);
    }
  }
  __syncthreads();
  mine[threadIdx.x] = cells[threadIdx.x];
  mine[threadIdx.x + 512] = cells[threadIdx.x + 512];
}

__global__ void SortWarp(int* keys) {
  const int lane = threadIdx.x % 32;
  int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll
  for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
      const int other = __shfl_xor_sync(0xffffffffu, key, step);
      const bool keep_low = ((lane & step) == 0) == ((lane & size) == 0);
      key = keep_low ? min(key, other) : max(key, other);
    }
  }
  keys[blockIdx.x * blockDim.x + threadIdx.x] = key;
}

__global__ void SortEach16(unsigned long long* keys) {
  unsigned long long v[16];
  unsigned long long* mine =
      keys + (blockIdx.x * blockDim.x + threadIdx.x) * 16ull;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    v[i] = mine[i];
  }
  SortRegisters(v);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    mine[i] = v[i];
  }
}

__global__ void SortEach32(float* keys) {
  float v[32];
  float4* mine = reinterpret_cast<float4*>(
      keys + (blockIdx.x * blockDim.x + threadIdx.x) * 32ull);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    *reinterpret_cast<float4*>(&v[4 * i]) = mine[i];
  }
  SortRegisters(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    mine[i] = *reinterpret_cast<float4*>(&v[4 * i]);
  }
}

__global__ void MergePairs(unsigned* keys, short* values, int size, int step,
                           int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = 2 * t - (t & (step - 1));
  if (i + step >= count) {
    return;
  }
  const unsigned a = keys[i];
  const unsigned b = keys[i + step];
  if ((a > b) == ((i & size) == 0)) {
    keys[i] = b;
    keys[i + step] = a;
    const short t0 = values[i];
    values[i] = values[i + step];
    values[i + step] = t0;
  }
}

// One-pass prefix sums by decoupled look-back, with a status word for each tile
// read and written by volatile, by acquire and release, and packed in 64 bits.
#include <cuda_runtime.h>

namespace {

enum Status : unsigned { kNothing = 0, kPartial = 1, kInclusive = 2 };

__device__ unsigned long long LoadAcquire(const unsigned long long* p) {
  unsigned long long v;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
               : "=l"(v)
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return v;
}

__device__ void StoreRelease(unsigned long long* p, unsigned long long v) {
  asm volatile(
      "st.release.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
      "l"(v)
      : "memory");
}

__device__ unsigned long long Pack(Status status, unsigned value) {
  return static_cast<unsigned long long>(status) << 32 | value;
}

// The first warp looks back over 32 tiles at a time.
__device__ unsigned LookBack(unsigned long long* states, int tile) {
  const int lane = threadIdx.x;
  unsigned sum = 0;
  int from = tile - 1;
  while (true) {
    const int at = from - lane;
    unsigned long long state = Pack(kInclusive, 0);
    if (at >= 0) {
      do {
        state = LoadAcquire(&states[at]);
      } while (state >> 32 == kNothing);
    }
    const unsigned done = __ballot_sync(0xffffffffu, state >> 32 == kInclusive);
    const int last = done != 0 ? __ffs(done) - 1 : 31;
    unsigned v = lane <= last ? static_cast<unsigned>(state) : 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      v += __shfl_xor_sync(0xffffffffu, v, step);
    }
    sum += v;
    if (done != 0) {
      return sum;
    }
    from -= 32;
  }
}

}  // namespace

__global__ void __launch_bounds__(128)
    ScanOnePass(const uint4* __restrict__ in, uint4* __restrict__ out,
                unsigned long long* states, int* ticket) {
  __shared__ int tile_shared;
  __shared__ unsigned warps[4];
  __shared__ unsigned before_shared;
  if (threadIdx.x == 0) {
    tile_shared = atomicAdd(ticket, 1);
  }
  __syncthreads();
  const int tile = tile_shared;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  uint4 v = in[tile * 128 + threadIdx.x];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  unsigned running = v.w;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffu, running, step);
    running += lane >= step ? other : 0;
  }
  if (lane == 31) {
    warps[warp] = running;
  }
  __syncthreads();
  unsigned before = running - v.w;
  unsigned total = 0;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    before += w < warp ? warps[w] : 0;
    total += warps[w];
  }
  if (warp == 0) {
    if (lane == 0) {
      StoreRelease(&states[tile],
                   Pack(tile == 0 ? kInclusive : kPartial, total));
    }
    unsigned sum = 0;
    if (tile > 0) {
      sum = LookBack(states, tile);
      if (lane == 0) {
        StoreRelease(&states[tile], Pack(kInclusive, sum + total));
      }
    }
    if (lane == 0) {
      before_shared = sum;
    }
  }
  __syncthreads();
  before += before_shared;
  out[tile * 128 + threadIdx.x] =
      make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// One at a time: each block waits for its left neighbour.
__global__ void ScanChained(const double* in, double* out,
                            volatile double* sums, volatile int* ready) {
  __shared__ double carried;
  double sum = in[blockIdx.x];
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0) {
      while (ready[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      sum += sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = sum;
    __threadfence();
    ready[blockIdx.x] = 1;
    carried = sum;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = carried;
}

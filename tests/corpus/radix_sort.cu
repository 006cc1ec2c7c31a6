// Least-significant-digit radix sort: digit counts, a scan over digits by block
// and a stable scatter that ranks keys by match and by ballot.
#include <cuda_runtime.h>

namespace {

constexpr int kBits = 4;
constexpr int kDigits = 1 << kBits;

template <typename Key>
__device__ unsigned Twiddle(Key key);
template <>
__device__ unsigned Twiddle<float>(float key) {
  const unsigned bits = __float_as_uint(key);
  return bits ^ (static_cast<int>(bits) >> 31 | 0x80000000u);
}
template <>
__device__ unsigned Twiddle<int>(int key) {
  return static_cast<unsigned>(key) ^ 0x80000000u;
}

}  // namespace

template <typename Key>
__global__ void CountDigits(const Key* keys, int count, int shift,
                            unsigned* counts) {
  __shared__ unsigned local[kDigits];
  if (threadIdx.x < kDigits) {
    local[threadIdx.x] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    atomicAdd(&local[(Twiddle(keys[i]) >> shift) & (kDigits - 1)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kDigits) {
    counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
  }
}

template __global__ void CountDigits<float>(const float*, int, int, unsigned*);
template __global__ void CountDigits<int>(const int*, int, int, unsigned*);

// A warp ranks its 32 keys: those before me with my digit.
__global__ void __launch_bounds__(256)
    ScatterMatch(const unsigned* keys, const unsigned* values, int count,
                 int shift, unsigned* offsets, unsigned* keys_out,
                 unsigned* values_out) {
  __shared__ unsigned taken[8][kDigits];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 8 * kDigits; i += 256) {
    taken[i / kDigits][i % kDigits] = 0;
  }
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  const bool inside = i < count;
  const unsigned key = inside ? keys[i] : ~0u;
  const unsigned digit = (key >> shift) & (kDigits - 1);
  const unsigned peers = __match_any_sync(0xffffffffu, digit);
  const unsigned rank = __popc(peers & ((1u << lane) - 1));
  if (rank == 0) {
    taken[warp][digit] = __popc(peers);
  }
  __syncthreads();
  if (threadIdx.x < kDigits) {
    unsigned sum = offsets[threadIdx.x * gridDim.x + blockIdx.x];
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      const unsigned n = taken[w][threadIdx.x];
      taken[w][threadIdx.x] = sum;
      sum += n;
    }
  }
  __syncthreads();
  if (inside) {
    const unsigned to = taken[warp][digit] + rank;
    keys_out[to] = key;
    values_out[to] = values[i];
  }
}

// The same rank by one ballot for each bit of the digit.
__global__ void RankByBallots(const unsigned* keys, int shift,
                              unsigned* ranks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned digit = keys[i] >> shift;
  unsigned peers = 0xffffffffu;
#pragma unroll
  for (int bit = 0; bit < kBits; ++bit) {
    const bool set = digit >> bit & 1;
    const unsigned votes = __ballot_sync(0xffffffffu, set);
    peers &= set ? votes : ~votes;
  }
  unsigned below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  ranks[i] = __popc(peers & below);
}

// Prefix sums: warp scans by shuffles, block scans, a Blelloch scan in shared
// memory, and stream compaction by ballots.
#include <cuda_runtime.h>

namespace {

template <typename T>
__device__ T WarpInclusive(T value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) {
      value += other;
    }
  }
  return value;
}

template <typename T>
__device__ T BlockExclusive(T value, T* total) {
  __shared__ T warp_sums[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const T inclusive = WarpInclusive(value);
  if (lane == 31) {
    warp_sums[warp] = inclusive;
  }
  __syncthreads();
  if (warp == 0) {
    const bool filled = lane < static_cast<int>(blockDim.x / 32);
    warp_sums[lane] = WarpInclusive(filled ? warp_sums[lane] : T(0));
  }
  __syncthreads();
  *total = warp_sums[31];
  return inclusive - value + (warp > 0 ? warp_sums[warp - 1] : T(0));
}

}  // namespace

__global__ void __launch_bounds__(1024)
    ScanBlocks(const int* in, int count, int* out, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int total;
  const int before = BlockExclusive(i < count ? in[i] : 0, &total);
  if (i < count) {
    out[i] = before;
  }
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
  }
}

__global__ void __launch_bounds__(256)
    ScanDoubles(const double4_16a* in, double4_16a* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double4_16a v = in[i];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  double total;
  const double before = BlockExclusive(v.w, &total);
  v.x += before;
  v.y += before;
  v.z += before;
  v.w += before;
  out[i] = v;
}

// Work-efficient scan of 2 * blockDim.x values with padding against conflicts.
__global__ void BlellochScan(const float* in, float* out, int count) {
  extern __shared__ float cells[];
  const int t = threadIdx.x;
  auto at = [](int i) { return i + (i >> 5); };
  cells[at(2 * t)] = in[2 * t];
  cells[at(2 * t + 1)] = in[2 * t + 1];
  int offset = 1;
  for (int d = count >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      const int left = at(offset * (2 * t + 1) - 1);
      const int right = at(offset * (2 * t + 2) - 1);
      cells[right] += cells[left];
    }
    offset *= 2;
  }
  if (t == 0) {
    cells[at(count - 1)] = 0.0f;
  }
  for (int d = 1; d < count; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int left = at(offset * (2 * t + 1) - 1);
      const int right = at(offset * (2 * t + 2) - 1);
      const float moved = cells[left];
      cells[left] = cells[right];
      cells[right] += moved;
    }
  }
  __syncthreads();
  out[2 * t] = cells[at(2 * t)];
  out[2 * t + 1] = cells[at(2 * t + 1)];
}

// Keeps the values over a limit, in any order; one atomic for each warp.
__global__ void Compact(const float* in, int count, float limit, float* out,
                        int* kept) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = i < count ? in[i] : limit;
  const bool keep = value > limit;
  const unsigned votes = __ballot_sync(0xffffffffu, keep);
  const int lane = threadIdx.x % 32;
  int base = 0;
  if (lane == 0) {
    base = atomicAdd(kept, __popc(votes));
  }
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) {
    out[base + __popc(votes & ((1u << lane) - 1))] = value;
  }
}

// Histograms: privatised in shared memory, of bytes packed in words, weighted
// by floats, over uneven bins by binary search, and two-dimensional.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256)
    ByteHistogram(const uint4* data, int count, unsigned* bins) {
  __shared__ unsigned local[8][257];
  for (int i = threadIdx.x; i < 8 * 257; i += 256) {
    (&local[0][0])[i] = 0;
  }
  __syncthreads();
  unsigned* mine = local[threadIdx.x / 32];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count;
       i += gridDim.x * 256) {
    const uint4 v = data[i];
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (unsigned word : words) {
#pragma unroll
      for (int byte = 0; byte < 4; ++byte) {
        atomicAdd(&mine[word >> (8 * byte) & 255], 1u);
      }
    }
  }
  __syncthreads();
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    sum += local[i][threadIdx.x];
  }
  atomicAdd(&bins[threadIdx.x], sum);
}

__global__ void WeightedHistogram(const float* values, const float* weights,
                                  int count, float low, float scale, int bins,
                                  float* out) {
  extern __shared__ float cells[];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) {
    cells[i] = 0.0f;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const int bin = __float2int_rd((values[i] - low) * scale);
    if (bin >= 0 && bin < bins) {
      atomicAdd(&cells[bin], weights[i]);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) {
    if (cells[i] != 0.0f) {
      atomicAdd(&out[i], cells[i]);
    }
  }
}

__global__ void UnevenHistogram(const double* values, int count,
                                const double* edges, int bins,
                                unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const double v = values[i];
  int low = 0;
  int high = bins;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (edges[middle] <= v) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // Lanes with one bin share one atomic.
  const unsigned active = __activemask();
  const unsigned peers = __match_any_sync(active, low);
  const int leader = __ffs(peers) - 1;
  if (static_cast<int>(threadIdx.x % 32) == leader) {
    atomicAdd(&out[low], static_cast<unsigned long long>(__popc(peers)));
  }
}

__global__ void CoMoments(const uchar2* pairs, int count, unsigned* joint) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const uchar2 p = pairs[i];
    atomicInc(&joint[p.y * 256 + p.x], 0xffffffffu);
  }
}

// Training: Adam over lists of tensors passed by value, layer normalization
// forward by merged moments and backward with sums of columns in registers, and
// rotary embedding of packed halves.
#include <cuda_fp16.h>

namespace {

constexpr unsigned kAll = 0xffffffffu;

constexpr int kMaxTensors = 24;
constexpr int kMaxBlocks = 80;

// A by-value list of pieces of tensors: gradients, weights, both moments.
struct TensorList {
  void* addresses[4][kMaxTensors];
  int sizes[kMaxTensors];
  unsigned char block_tensor[kMaxBlocks];
  int block_chunk[kMaxBlocks];
};

struct AdamOptions {
  float rate, beta1, beta2, epsilon, decay, correction1, correction2;
  bool decoupled;
};

__device__ __forceinline__ float Load(const float* p) { return *p; }
__device__ __forceinline__ float Load(const __half* p) {
  return __half2float(*p);
}

}  // namespace

// Each block has a chunk of a tensor, each thread kWide elements at a time.
template <typename Gradient, int kWide>
__global__ void MultiTensorAdam(int chunk_size, TensorList list,
                                AdamOptions options,
                                const float* __restrict__ inverse_scale) {
  const int tensor = list.block_tensor[blockIdx.x];
  const int start = list.block_chunk[blockIdx.x] * chunk_size;
  const int count = min(list.sizes[tensor] - start, chunk_size);
  const Gradient* gradients =
      static_cast<const Gradient*>(list.addresses[0][tensor]) + start;
  float* weights = static_cast<float*>(list.addresses[1][tensor]) + start;
  float* means = static_cast<float*>(list.addresses[2][tensor]) + start;
  float* squares = static_cast<float*>(list.addresses[3][tensor]) + start;
  const float scale = *inverse_scale;
  for (int base = 0; base < count; base += blockDim.x * kWide) {
    float g[kWide];
    float w[kWide];
    float m[kWide];
    float v[kWide];
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      const int at = base + threadIdx.x + i * blockDim.x;
      const bool in = at < count;
      g[i] = in ? Load(gradients + at) * scale : 0.0f;
      w[i] = in ? weights[at] : 0.0f;
      m[i] = in ? means[at] : 0.0f;
      v[i] = in ? squares[at] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      if (!options.decoupled) {
        g[i] += options.decay * w[i];
      }
      m[i] = options.beta1 * m[i] + (1.0f - options.beta1) * g[i];
      v[i] = options.beta2 * v[i] + (1.0f - options.beta2) * g[i] * g[i];
      const float root = sqrtf(v[i] / options.correction2) + options.epsilon;
      float step = m[i] / options.correction1 / root;
      if (options.decoupled) {
        step += options.decay * w[i];
      }
      w[i] -= options.rate * step;
    }
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      const int at = base + threadIdx.x + i * blockDim.x;
      if (at < count) {
        weights[at] = w[i];
        means[at] = m[i];
        squares[at] = v[i];
      }
    }
  }
}

template __global__ void MultiTensorAdam<__half, 4>(int, TensorList,
                                                    AdamOptions, const float*);

namespace {

// The count, mean and sum of squared distances from the mean of some numbers.
struct Moments {
  float mean = 0.0f;
  float squares = 0.0f;
  float count = 0.0f;

  __device__ __forceinline__ void Add(float x) {
    count += 1.0f;
    const float before = x - mean;
    mean += __fdividef(before, count);
    squares += before * (x - mean);
  }
  __device__ __forceinline__ void Merge(const Moments& other) {
    const float total = count + other.count;
    if (total == 0.0f) {
      return;
    }
    const float share = __fdividef(other.count, total);
    const float apart = other.mean - mean;
    mean += apart * share;
    squares += other.squares + apart * apart * count * share;
    count = total;
  }
};

__device__ __forceinline__ Moments MergeWarp(Moments m) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    Moments other;
    other.mean = __shfl_xor_sync(kAll, m.mean, step);
    other.squares = __shfl_xor_sync(kAll, m.squares, step);
    other.count = __shfl_xor_sync(kAll, m.count, step);
    m.Merge(other);
  }
  return m;
}

__device__ __forceinline__ float2 SumWarp(float2 v) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    v.x += __shfl_xor_sync(kAll, v.x, step);
    v.y += __shfl_xor_sync(kAll, v.y, step);
  }
  return v;
}

}  // namespace

// A row by each threadIdx.y, by blockDim.x = 32 lanes.
__global__ void LayerNormForward(const float* __restrict__ in,
                                 const float* __restrict__ gain,
                                 const float* __restrict__ bias, int rows,
                                 int columns, float epsilon,
                                 float* __restrict__ out,
                                 float* __restrict__ means,
                                 float* __restrict__ inverse_deviations) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) {
    return;
  }
  const float* x = in + static_cast<size_t>(row) * columns;
  float* y = out + static_cast<size_t>(row) * columns;
  Moments moments;
  int i = 4 * threadIdx.x;
  for (; i + 3 < columns; i += 128) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      moments.Add(x[i + k]);
    }
  }
  for (; i < columns; ++i) {
    moments.Add(x[i]);
  }
  moments = MergeWarp(moments);
  const float inverse = rsqrtf(moments.squares / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += 32) {
    const float shift = bias != nullptr ? bias[c] : 0.0f;
    y[c] = (x[c] - moments.mean) * inverse * gain[c] + shift;
  }
  if (threadIdx.x == 0) {
    means[row] = moments.mean;
    inverse_deviations[row] = inverse;
  }
}

// A block has rows blockIdx.x, blockIdx.x + gridDim.x and so on. A thread keeps
// the sums for its kColumns columns, and adds them to those of all blocks.
template <int kColumns>
__global__ void __launch_bounds__(128)
    LayerNormBackward(const float* __restrict__ in,
                      const float* __restrict__ upstream,
                      const float* __restrict__ gain,
                      const float* __restrict__ means,
                      const float* __restrict__ inverse_deviations, int rows,
                      int columns, float* __restrict__ down,
                      float* __restrict__ gain_gradient,
                      float* __restrict__ bias_gradient) {
  __shared__ float2 parts[4];
  float gain_sums[kColumns] = {};
  float bias_sums[kColumns] = {};
  float gains[kColumns];
#pragma unroll
  for (int k = 0; k < kColumns; ++k) {
    const int c = threadIdx.x + k * blockDim.x;
    gains[k] = c < columns ? gain[c] : 0.0f;
  }
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const size_t base = static_cast<size_t>(row) * columns;
    const float mean = means[row];
    const float inverse = inverse_deviations[row];
    float normal[kColumns];
    float gradient[kColumns];
    float2 sums = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const int c = threadIdx.x + k * blockDim.x;
      normal[k] = 0.0f;
      gradient[k] = 0.0f;
      if (c < columns) {
        const float g = upstream[base + c];
        normal[k] = (in[base + c] - mean) * inverse;
        gradient[k] = g * gains[k];
        gain_sums[k] += g * normal[k];
        bias_sums[k] += g;
        sums.x += gradient[k];
        sums.y += gradient[k] * normal[k];
      }
    }
    sums = SumWarp(sums);
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
      parts[threadIdx.x / 32] = sums;
    }
    __syncthreads();
    sums = parts[0];
    for (unsigned w = 1; w < blockDim.x / 32; ++w) {
      sums.x += parts[w].x;
      sums.y += parts[w].y;
    }
    const float scale = 1.0f / columns;
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const int c = threadIdx.x + k * blockDim.x;
      if (c < columns) {
        down[base + c] = inverse * (gradient[k] - scale * sums.x -
                                    normal[k] * scale * sums.y);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < kColumns; ++k) {
    const int c = threadIdx.x + k * blockDim.x;
    if (c < columns) {
      atomicAdd(gain_gradient + c, gain_sums[k]);
      atomicAdd(bias_gradient + c, bias_sums[k]);
    }
  }
}

template __global__ void LayerNormBackward<6>(const float*, const float*,
                                              const float*, const float*,
                                              const float*, int, int, float*,
                                              float*, float*);

namespace {

union EightHalves {
  uint4 bits;
  __half2 pairs[4];
};

}  // namespace

// Rotates the halves of queries and keys: element i with element i + size / 2.
// A thread has eight pairs. The table has a cosine and a sine for each position
// and pair. kBackward turns the other way.
template <bool kBackward>
__global__ void RotateHalves(__half* __restrict__ queries,
                             __half* __restrict__ keys,
                             const int* __restrict__ positions,
                             const float2* __restrict__ table, int tokens,
                             int query_heads, int key_heads, int size) {
  const int per_head = size / 16;
  const int heads = query_heads + key_heads;
  const int total = tokens * heads * per_head;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total;
       i += gridDim.x * blockDim.x) {
    const int part = i % per_head;
    const int head = i / per_head % heads;
    const int token = i / per_head / heads;
    __half* row = head < query_heads
                      ? queries + (token * query_heads + head) * size
                      : keys + (token * key_heads + head - query_heads) * size;
    uint4* low_at = reinterpret_cast<uint4*>(row + 8 * part);
    uint4* high_at = reinterpret_cast<uint4*>(row + size / 2 + 8 * part);
    const float4* turns = reinterpret_cast<const float4*>(
        table + positions[token] * (size / 2) + 8 * part);
    EightHalves low;
    EightHalves high;
    low.bits = *low_at;
    high.bits = *high_at;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float4 turn = turns[k];
      const float sign = kBackward ? -1.0f : 1.0f;
      const float2 a = __half22float2(low.pairs[k]);
      const float2 b = __half22float2(high.pairs[k]);
      low.pairs[k] = __floats2half2_rn(a.x * turn.x - sign * b.x * turn.y,
                                       a.y * turn.z - sign * b.y * turn.w);
      high.pairs[k] = __floats2half2_rn(b.x * turn.x + sign * a.x * turn.y,
                                        b.y * turn.z + sign * a.y * turn.w);
    }
    *low_at = low.bits;
    *high_at = high.bits;
  }
}

template __global__ void RotateHalves<false>(__half*, __half*, const int*,
                                             const float2*, int, int, int,
                                             int);

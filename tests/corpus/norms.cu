// Rows of a network's activations: softmax in one and in three passes, layer
// and RMS normalisation, rotary embedding, GELU, and cross entropy's gradient.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

__device__ float ToFloat(float v) { return v; }
__device__ float ToFloat(__half v) { return __half2float(v); }
__device__ float ToFloat(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T>
__device__ T FromFloat(float v);
template <>
__device__ float FromFloat<float>(float v) {
  return v;
}
template <>
__device__ __half FromFloat<__half>(float v) {
  return __float2half_rn(v);
}
template <>
__device__ __nv_bfloat16 FromFloat<__nv_bfloat16>(float v) {
  return __float2bfloat16_rn(v);
}

struct Pair {
  float top;
  float sum;
};

__device__ Pair Join(Pair a, Pair b) {
  const float top = fmaxf(a.top, b.top);
  return {top, a.sum * __expf(a.top - top) + b.sum * __expf(b.top - top)};
}

__device__ float BlockSum(float v) {
  __shared__ float parts[33];
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    v += __shfl_xor_sync(0xffffffffu, v, step);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    parts[threadIdx.x / 32] = v;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    float w = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      w += __shfl_xor_sync(0xffffffffu, w, step);
    }
    parts[32] = w;
  }
  __syncthreads();
  return parts[32];
}

}  // namespace

template <typename T>
__global__ void Softmax(const T* in, T* out, int columns) {
  __shared__ Pair parts[32];
  in += static_cast<size_t>(blockIdx.x) * columns;
  out += static_cast<size_t>(blockIdx.x) * columns;
  Pair mine = {-1e30f, 0.0f};
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    mine = Join(mine, {ToFloat(in[i]), 1.0f});
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    mine = Join(mine, {__shfl_xor_sync(0xffffffffu, mine.top, step),
                       __shfl_xor_sync(0xffffffffu, mine.sum, step)});
  }
  if (threadIdx.x % 32 == 0) {
    parts[threadIdx.x / 32] = mine;
  }
  __syncthreads();
  for (int w = 0; w < static_cast<int>(blockDim.x / 32); ++w) {
    if (w != static_cast<int>(threadIdx.x / 32)) {
      mine = Join(mine, parts[w]);
    }
  }
  const float share = 1.0f / mine.sum;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[i] = FromFloat<T>(__expf(ToFloat(in[i]) - mine.top) * share);
  }
}

template __global__ void Softmax<float>(const float*, float*, int);
template __global__ void Softmax<__half>(const __half*, __half*, int);
template __global__ void Softmax<__nv_bfloat16>(const __nv_bfloat16*,
                                                __nv_bfloat16*, int);

template <typename T>
__global__ void LayerNorm(const T* in, const float* gain, const float* bias,
                          T* out, int columns, float epsilon) {
  in += static_cast<size_t>(blockIdx.x) * columns;
  out += static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    sum += ToFloat(in[i]);
  }
  const float mean = BlockSum(sum) / columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float d = ToFloat(in[i]) - mean;
    squares += d * d;
  }
  const float scale = rsqrtf(BlockSum(squares) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[i] = FromFloat<T>((ToFloat(in[i]) - mean) * scale * gain[i] + bias[i]);
  }
}

template __global__ void LayerNorm<float>(const float*, const float*,
                                          const float*, float*, int, float);
template __global__ void LayerNorm<__half>(const __half*, const float*,
                                           const float*, __half*, int, float);

__global__ void RmsNormBf16(const uint4* in, const uint4* gain, uint4* out,
                            int quads, float epsilon) {
  in += static_cast<size_t>(blockIdx.x) * quads;
  out += static_cast<size_t>(blockIdx.x) * quads;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    const uint4 v = in[i];
    const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&v);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 f = __bfloat1622float2(pairs[j]);
      squares += f.x * f.x + f.y * f.y;
    }
  }
  const float scale = rsqrtf(BlockSum(squares) / (8 * quads) + epsilon);
  const __nv_bfloat162 scale2 = __float2bfloat162_rn(scale);
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    uint4 v = in[i];
    const uint4 g = gain[i];
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(&v);
    const auto* gains = reinterpret_cast<const __nv_bfloat162*>(&g);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      pairs[j] = __hmul2(__hmul2(pairs[j], scale2), gains[j]);
    }
    out[i] = v;
  }
}

__global__ void Rotary(__half2* q, const int* positions, int heads,
                       int half_dim, float base) {
  const int token = blockIdx.x;
  for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
    const int d = i % half_dim;
    const float angle =
        positions[token] * powf(base, -static_cast<float>(d) / half_dim);
    float s;
    float c;
    sincosf(angle, &s, &c);
    __half2& v = q[static_cast<size_t>(token) * heads * half_dim + i];
    const float2 f = __half22float2(v);
    v = __floats2half2_rn(f.x * c - f.y * s, f.x * s + f.y * c);
  }
}

__global__ void GeluAndGate(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const float x = in[2 * i];
    const float gate = in[2 * i + 1];
    const float gelu =
        0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    out[i] = gelu * gate / (1.0f + expf(-gate));
  }
}

__global__ void CrossEntropyBackward(float* logits, const long long* labels,
                                     const float* lse, float weight,
                                     int classes, long long ignored) {
  const long long label = labels[blockIdx.x];
  float* row = logits + static_cast<size_t>(blockIdx.x) * classes;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) {
    float p = __expf(row[i] - lse[blockIdx.x]);
    p -= i == label ? 1.0f : 0.0f;
    row[i] = label == ignored ? 0.0f : p * weight;
  }
}

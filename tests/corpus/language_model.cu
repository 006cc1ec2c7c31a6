// Language models: cross entropy forward and backward with a row in registers,
// routing to experts by a warp, and dropout with Philox on packed halves.
#include <cuda_fp16.h>

namespace {

constexpr unsigned kAll = 0xffffffffu;

}  // namespace

// Computes the loss of a row of logits and its gradient in their place. Labels
// are smoothed; a row with the ignored label has neither. A thread keeps up to
// kPairs pairs of logits in registers.
template <int kPairs>
__global__ void __launch_bounds__(128)
    CrossEntropy(__half2* __restrict__ logits, const int* __restrict__ labels,
                 int pairs, int ignored, float smoothing, float scale,
                 float* __restrict__ losses) {
  __shared__ float2 maxima[4];
  __shared__ float sums[4];
  __half2* row = logits + static_cast<size_t>(blockIdx.x) * pairs;
  const int label = labels[blockIdx.x];
  const int classes = 2 * pairs;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (label == ignored) {
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
      row[i] = __float2half2_rn(0.0f);
    }
    if (threadIdx.x == 0) {
      losses[blockIdx.x] = 0.0f;
    }
    return;
  }
  float2 x[kPairs];
  float top = -1e30f;
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    x[k] = i < pairs ? __half22float2(row[i]) : make_float2(-1e30f, -1e30f);
    top = fmaxf(top, fmaxf(x[k].x, x[k].y));
  }
  float total = 0.0f;
  float plain = 0.0f;
  float at_label = 0.0f;
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    if (i < pairs) {
      total += __expf(x[k].x - top) + __expf(x[k].y - top);
      plain += x[k].x + x[k].y;
      if (i == label / 2) {
        at_label = label % 2 == 0 ? x[k].x : x[k].y;
      }
    }
  }
  plain = smoothing / classes * plain + (1.0f - smoothing) * at_label;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const float other_top = __shfl_xor_sync(kAll, top, step);
    const float other = __shfl_xor_sync(kAll, total, step);
    const float higher = fmaxf(top, other_top);
    total = total * __expf(top - higher) + other * __expf(other_top - higher);
    top = higher;
    plain += __shfl_xor_sync(kAll, plain, step);
  }
  if (lane == 0) {
    maxima[warp] = make_float2(top, total);
    sums[warp] = plain;
  }
  __syncthreads();
  const int warps = blockDim.x / 32;
  top = maxima[0].x;
  for (int w = 1; w < warps; ++w) {
    top = fmaxf(top, maxima[w].x);
  }
  total = 0.0f;
  plain = 0.0f;
  for (int w = 0; w < warps; ++w) {
    total += maxima[w].y * __expf(maxima[w].x - top);
    plain += sums[w];
  }
  const float log_total = top + __logf(total);
  if (threadIdx.x == 0) {
    losses[blockIdx.x] = log_total - plain;
  }
  const float even = smoothing / classes;
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    if (i < pairs) {
      float2 p = make_float2(__expf(x[k].x - log_total) - even,
                             __expf(x[k].y - log_total) - even);
      if (i == label / 2) {
        p.x -= label % 2 == 0 ? 1.0f - smoothing : 0.0f;
        p.y -= label % 2 == 0 ? 0.0f : 1.0f - smoothing;
      }
      row[i] = __floats2half2_rn(p.x * scale, p.y * scale);
    }
  }
}

template __global__ void CrossEntropy<8>(__half2*, const int*, int, int, float,
                                         float, float*);

// Routes a token to its best experts by a warp. A lane has kPerLane logits, and
// from each round it may have one of the winners. The weights are those of a
// softmax over the chosen experts.
template <int kPerLane>
__global__ void RouteTokens(const float* __restrict__ logits, int tokens,
                            int experts, int top, float* __restrict__ weights,
                            int* __restrict__ chosen, int* __restrict__ loads) {
  const int token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (token >= tokens) {
    return;
  }
  float mine[kPerLane];
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int expert = i * 32 + lane;
    mine[i] = expert < experts ? logits[token * experts + expert] : -1e30f;
  }
  float kept = -1e30f;
  int kept_expert = 0;
  float highest = 0.0f;
#pragma unroll 1
  for (int k = 0; k < top; ++k) {
    float best = mine[0];
    int expert = lane;
#pragma unroll
    for (int i = 1; i < kPerLane; ++i) {
      if (mine[i] > best) {
        best = mine[i];
        expert = i * 32 + lane;
      }
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const float other = __shfl_xor_sync(kAll, best, step);
      const int other_expert = __shfl_xor_sync(kAll, expert, step);
      if (other > best || (other == best && other_expert < expert)) {
        best = other;
        expert = other_expert;
      }
    }
    if (k == 0) {
      highest = best;
    }
    if (k == lane) {
      kept = best;
      kept_expert = expert;
    }
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      if (expert == i * 32 + lane) {
        mine[i] = -1e30f;
      }
    }
  }
  const float power = __expf(kept - highest);
  float total = power;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    total += __shfl_xor_sync(kAll, total, step);
  }
  if (lane < top) {
    weights[token * top + lane] = power * __frcp_rn(total);
    chosen[token * top + lane] = kept_expert;
    atomicAdd(loads + kept_expert, 1);
  }
}

template __global__ void RouteTokens<8>(const float*, int, int, int, float*,
                                        int*, int*);

namespace {

// Philox with four words and ten rounds.
__device__ __forceinline__ uint4 RandomWords(uint2 key, uint4 counter) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xd2511f53u, counter.x);
    const unsigned high1 = __umulhi(0xcd9e8d57u, counter.z);
    counter = make_uint4(high1 ^ counter.y ^ key.x, 0xcd9e8d57u * counter.z,
                         high0 ^ counter.w ^ key.y, 0xd2511f53u * counter.x);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

__device__ __forceinline__ float Gelu(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

}  // namespace

// Adds a bias, applies GELU, drops some and adds the rest to a residual. A
// thread has four halves. A byte of the mask has the bits of two threads.
__global__ void BiasGeluDropout(const uint2* __restrict__ in,
                                const uint2* __restrict__ bias,
                                const uint2* __restrict__ residual, int count,
                                int columns, unsigned threshold, float scale,
                                unsigned long long seed,
                                uint2* __restrict__ out,
                                unsigned char* __restrict__ mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bits = 0;
  if (i < count) {
    union {
      uint2 words;
      __half2 pairs[2];
    } x, b, r;
    x.words = in[i];
    b.words = bias[i % columns];
    r.words = residual[i];
    const uint4 random = RandomWords(
        make_uint2(static_cast<unsigned>(seed),
                   static_cast<unsigned>(seed >> 32)),
        make_uint4(i, 0, 0, 0));
    bits = (random.x >= threshold) | (random.y >= threshold) << 1 |
           (random.z >= threshold) << 2 | (random.w >= threshold) << 3;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const float2 v = __half22float2(__hadd2(x.pairs[k], b.pairs[k]));
      float2 y = __half22float2(r.pairs[k]);
      y.x += bits >> (2 * k) & 1 ? Gelu(v.x) * scale : 0.0f;
      y.y += bits >> (2 * k + 1) & 1 ? Gelu(v.y) * scale : 0.0f;
      r.pairs[k] = __floats2half2_rn(y.x, y.y);
    }
    out[i] = r.words;
  }
  const unsigned other = __shfl_down_sync(kAll, bits, 1);
  if (i % 2 == 0 && i < count) {
    mask[i / 2] = static_cast<unsigned char>(bits | other << 4);
  }
}

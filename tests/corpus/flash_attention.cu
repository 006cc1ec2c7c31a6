// Attention with the softmax taken as the keys go by: an f32 version in shared
// memory and an f16 tensor-core version with its tiles in registers.
#include <cuda_fp16.h>

namespace {

constexpr float kLog2E = 1.4426950408889634f;

__device__ void Mma(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                    unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned Pack(float low, float high) {
  const __half2 h = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&h);
}

}  // namespace

// One query a thread; 32 keys at a time; heads of 64.
extern "C" __global__ void __launch_bounds__(64)
    AttentionF32(const float4* __restrict__ q, const float4* __restrict__ k,
                 const float4* __restrict__ v, float4* __restrict__ out,
                 int keys, float scale, bool causal) {
  constexpr int kQuads = 16;
  __shared__ float4 k_tile[32][kQuads];
  __shared__ float4 v_tile[32][kQuads];
  const int query = blockIdx.x * 64 + threadIdx.x;
  const size_t head = static_cast<size_t>(blockIdx.y) * keys;
  float4 mine[kQuads];
  float4 sum[kQuads];
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    mine[i] = q[(head + query) * kQuads + i];
    sum[i] = make_float4(0, 0, 0, 0);
  }
  float best = -1e30f;
  float total = 0.0f;
  for (int k0 = 0; k0 < keys; k0 += 32) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * kQuads; i += 64) {
      k_tile[i / kQuads][i % kQuads] = k[(head + k0) * kQuads + i];
      v_tile[i / kQuads][i % kQuads] = v[(head + k0) * kQuads + i];
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      if (causal && k0 + j > query) {
        break;
      }
      float dot = 0.0f;
#pragma unroll
      for (int i = 0; i < kQuads; ++i) {
        const float4 other = k_tile[j][i];
        dot += mine[i].x * other.x + mine[i].y * other.y + mine[i].z * other.z +
               mine[i].w * other.w;
      }
      dot *= scale * kLog2E;
      const float top = fmaxf(best, dot);
      const float fade = exp2f(best - top);
      const float weight = exp2f(dot - top);
      total = total * fade + weight;
      best = top;
#pragma unroll
      for (int i = 0; i < kQuads; ++i) {
        const float4 other = v_tile[j][i];
        sum[i].x = sum[i].x * fade + weight * other.x;
        sum[i].y = sum[i].y * fade + weight * other.y;
        sum[i].z = sum[i].z * fade + weight * other.z;
        sum[i].w = sum[i].w * fade + weight * other.w;
      }
    }
  }
  const float share = __fdividef(1.0f, total);
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    out[(head + query) * kQuads + i] = make_float4(
        sum[i].x * share, sum[i].y * share, sum[i].z * share, sum[i].w * share);
  }
}

// A warp takes 16 queries; heads of 64; keys and values straight from memory,
// the values laid out with keys along rows.
extern "C" __global__ void __launch_bounds__(128)
    AttentionTensor(const __half* __restrict__ q, const __half* __restrict__ k,
                    const __half* __restrict__ vt, __half* __restrict__ out,
                    int keys, float scale) {
  constexpr int kHead = 64;
  const int lane = threadIdx.x % 32;
  const int group = lane / 4;
  const int pair = (lane % 4) * 2;
  const int row0 = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
  q += static_cast<size_t>(blockIdx.y) * keys * kHead;
  k += static_cast<size_t>(blockIdx.y) * keys * kHead;
  vt += static_cast<size_t>(blockIdx.y) * keys * kHead;
  out += static_cast<size_t>(blockIdx.y) * keys * kHead;
  auto word = [](const __half* p) {
    return *reinterpret_cast<const unsigned*>(p);
  };
  unsigned queries[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const __half* at = q + (row0 + group) * kHead + i * 16 + pair;
    queries[i][0] = word(at);
    queries[i][1] = word(at + 8 * kHead);
    queries[i][2] = word(at + 8);
    queries[i][3] = word(at + 8 * kHead + 8);
  }
  float sums[8][4] = {};
  float best[2] = {-1e30f, -1e30f};
  float total[2] = {0.0f, 0.0f};
  for (int k0 = 0; k0 < keys; k0 += 64) {
    float scores[8][4] = {};
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const __half* at = k + (k0 + j * 8 + group) * kHead + i * 16 + pair;
        Mma(scores[j], queries[i], word(at), word(at + 8));
      }
    }
    float top[2] = {best[0], best[1]};
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        scores[j][i] *= scale * kLog2E;
        top[i / 2] = fmaxf(top[i / 2], scores[j][i]);
      }
    }
    float fade[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      top[i] = fmaxf(top[i], __shfl_xor_sync(0xffffffffu, top[i], 1));
      top[i] = fmaxf(top[i], __shfl_xor_sync(0xffffffffu, top[i], 2));
      fade[i] = exp2f(best[i] - top[i]);
      best[i] = top[i];
      total[i] *= fade[i];
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        scores[j][i] = exp2f(scores[j][i] - top[i / 2]);
        total[i / 2] += scores[j][i];
        sums[j][i] *= fade[i / 2];
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned weights[4] = {
          Pack(scores[2 * i][0], scores[2 * i][1]),
          Pack(scores[2 * i][2], scores[2 * i][3]),
          Pack(scores[2 * i + 1][0], scores[2 * i + 1][1]),
          Pack(scores[2 * i + 1][2], scores[2 * i + 1][3])};
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const __half* at =
            vt + static_cast<size_t>(j * 8 + group) * keys + k0 + i * 16 + pair;
        Mma(sums[j], weights, word(at), word(at + 8));
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    total[i] += __shfl_xor_sync(0xffffffffu, total[i], 1);
    total[i] += __shfl_xor_sync(0xffffffffu, total[i], 2);
    total[i] = 1.0f / total[i];
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    __half* at = out + (row0 + group) * kHead + j * 8 + pair;
    *reinterpret_cast<unsigned*>(at) =
        Pack(sums[j][0] * total[0], sums[j][1] * total[0]);
    *reinterpret_cast<unsigned*>(at + 8 * kHead) =
        Pack(sums[j][2] * total[1], sums[j][3] * total[1]);
  }
}

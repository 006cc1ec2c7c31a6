// Quantised weights: four-bit values unpacked by lop3 and by shifts, group
// scales, a matrix-vector product, eight-bit rows, k-means codes and NF4.
#include <cuda_fp16.h>

namespace {

__constant__ float nf4[16] = {
    -1.0f,        -0.69619280f, -0.52507305f, -0.39491749f,
    -0.28444138f, -0.18477343f, -0.09105004f, 0.0f,
    0.07958030f,  0.16093020f,  0.24611230f,  0.33791524f,
    0.44070983f,  0.56261700f,  0.72295684f,  1.0f};

// Eight unsigned four-bit values to halves by the 1024 + n trick.
__device__ void Unpack8(unsigned packed, __half2 (&out)[4]) {
  constexpr unsigned kMagic = 0x64006400u;
  unsigned h[4];
  const unsigned high = packed >> 8;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;"
      : "=r"(h[0])
      : "r"(packed), "n"(0x000f000f), "r"(kMagic));
  asm("lop3.b32 %0, %1, %2, %3, 0xea;"
      : "=r"(h[1])
      : "r"(packed), "n"(0x00f000f0), "r"(kMagic));
  asm("lop3.b32 %0, %1, %2, %3, 0xea;"
      : "=r"(h[2])
      : "r"(high), "n"(0x000f000f), "r"(kMagic));
  asm("lop3.b32 %0, %1, %2, %3, 0xea;"
      : "=r"(h[3])
      : "r"(high), "n"(0x00f000f0), "r"(kMagic));
  const __half2 magic = __float2half2_rn(1032.0f);
  const __half2 sixteenth = __float2half2_rn(1.0f / 16.0f);
  const __half2 magic16 = __float2half2_rn(-72.0f);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const __half2 v = *reinterpret_cast<__half2*>(&h[i]);
    out[i] = i % 2 == 0 ? __hsub2(v, magic) : __hfma2(v, sixteenth, magic16);
  }
}

}  // namespace

__global__ void __launch_bounds__(128)
    MatVecInt4(const uint4* __restrict__ weights,
               const __half* __restrict__ scales, const __half2* __restrict__ x,
               float* __restrict__ y, int pieces, int group_pieces) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int p = lane; p < pieces; p += 32) {
    const uint4 w = weights[row * pieces + p];
    const unsigned words[4] = {w.x, w.y, w.z, w.w};
    __half2 part = __float2half2_rn(0.0f);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      __half2 v[4];
      Unpack8(words[i], v);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        part = __hfma2(v[j], x[(p * 4 + i) * 4 + j], part);
      }
    }
    const float scale = __half2float(scales[(row * pieces + p) / group_pieces]);
    sum += scale * (__low2float(part) + __high2float(part));
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  }
  if (lane == 0) {
    y[row] = sum;
  }
}

__global__ void DequantiseNf4(const unsigned char* in, const float* scales,
                              __half2* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const unsigned char b = in[i];
    const float s = scales[i / 32];
    out[i] = __floats2half2_rn(nf4[b >> 4] * s, nf4[b & 15] * s);
  }
}

__global__ void QuantiseRows(const float4* in, char4* out, float* scales,
                             int quads) {
  __shared__ float top[32];
  in += blockIdx.x * quads;
  out += blockIdx.x * quads;
  float most = 0.0f;
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = in[i];
    most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)),
                             fmaxf(fabsf(v.z), fabsf(v.w))));
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  }
  if (threadIdx.x % 32 == 0) {
    top[threadIdx.x / 32] = most;
  }
  __syncthreads();
  for (int w = 0; w < static_cast<int>(blockDim.x / 32); ++w) {
    most = fmaxf(most, top[w]);
  }
  const float inverse = most > 0.0f ? 127.0f / most : 0.0f;
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = in[i];
    out[i] = make_char4(
        __float2int_rn(v.x * inverse), __float2int_rn(v.y * inverse),
        __float2int_rn(v.z * inverse), __float2int_rn(v.w * inverse));
  }
  if (threadIdx.x == 0) {
    scales[blockIdx.x] = most / 127.0f;
  }
}

__global__ void PackInt4(const signed char* in, unsigned* out, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) {
    return;
  }
  unsigned word = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    word |= (static_cast<unsigned>(in[i * 8 + j] + 8) & 15u) << (4 * j);
  }
  out[i] = word;
}

__global__ void UnpackSigned(const int* in, int4* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const int w = in[i];
    out[2 * i] =
        make_int4(w << 28 >> 28, w << 24 >> 28, w << 20 >> 28, w << 16 >> 28);
    out[2 * i + 1] =
        make_int4(w << 12 >> 28, w << 8 >> 28, w << 4 >> 28, w >> 28);
  }
}

__global__ void KMeansAssign(const float2* points, const float2* centres, int k,
                             unsigned char* codes, float2* sums, int* counts,
                             int count) {
  __shared__ float2 cached[256];
  if (threadIdx.x < k) {
    cached[threadIdx.x] = centres[threadIdx.x];
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  float best = 1e30f;
  int code = 0;
  for (int c = 0; c < k; ++c) {
    const float dx = points[i].x - cached[c].x;
    const float dy = points[i].y - cached[c].y;
    const float d = dx * dx + dy * dy;
    code = d < best ? c : code;
    best = fminf(best, d);
  }
  codes[i] = static_cast<unsigned char>(code);
  atomicAdd(&sums[code].x, points[i].x);
  atomicAdd(&sums[code].y, points[i].y);
  atomicAdd(&counts[code], 1);
}

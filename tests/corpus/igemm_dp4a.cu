// Eight-bit integer matrix products by dp4a and dp2a, with requantisation of
// the 32-bit sums to bytes.
#include <cuda_runtime.h>

namespace {

__device__ int Dot4(int a, int b, int c) { return __dp4a(a, b, c); }

__device__ signed char Requantise(int sum, float scale, int zero) {
  int q = __float2int_rn(sum * scale) + zero;
  q = min(max(q, -128), 127);
  return static_cast<signed char>(q);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    IgemmDp4a(int m, int n, int k4, const int* __restrict__ a,
              const int* __restrict__ b, const float* __restrict__ scales,
              const int* __restrict__ bias, int zero,
              signed char* __restrict__ c) {
  __shared__ int a_tile[8][64 + 4];
  __shared__ int b_tile[8][64 + 4];
  const int t = threadIdx.x;
  const int tx = t % 16;
  const int ty = t / 16;
  const int row0 = blockIdx.y * 64;
  const int col0 = blockIdx.x * 64;
  int sums[4][4] = {};
  for (int k0 = 0; k0 < k4; k0 += 8) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int piece = t + i * 256;
      a_tile[piece % 8][piece / 8] =
          a[(row0 + piece / 8) * k4 + k0 + piece % 8];
      b_tile[piece % 8][piece / 8] =
          b[(col0 + piece / 8) * k4 + k0 + piece % 8];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      const int4 left = *reinterpret_cast<const int4*>(&a_tile[kk][ty * 4]);
      const int4 right = *reinterpret_cast<const int4*>(&b_tile[kk][tx * 4]);
      const int l[4] = {left.x, left.y, left.z, left.w};
      const int r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[i][j] = Dot4(l[i], r[j], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    char4 packed;
    signed char* bytes = reinterpret_cast<signed char*>(&packed);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int col = col0 + tx * 4 + j;
      bytes[j] = Requantise(sums[i][j] + bias[col], scales[col], zero);
    }
    *reinterpret_cast<char4*>(&c[(row0 + ty * 4 + i) * n + col0 + tx * 4]) =
        packed;
  }
}

extern "C" __global__ void DotKinds(const unsigned* a, const unsigned* b,
                                    const int* s, int* out, unsigned* uout) {
  const int i = threadIdx.x;
  uout[i] = __dp4a(a[i], b[i], uout[i]);
  out[i] = __dp4a(s[i], s[i + 32], out[i]);
  out[i + 32] = __dp2a_lo(s[i], s[i + 1], out[i]);
  out[i + 64] = __dp2a_hi(s[i], s[i + 1], out[i]);
  int mixed;
  asm("dp4a.u32.s32 %0, %1, %2, %3;"
      : "=r"(mixed)
      : "r"(a[i]), "r"(s[i]), "r"(i));
  out[i + 96] = mixed;
}

// Register-blocked single-precision matrix products: a 128x128x8 tile with
// 8x8 outputs a thread and double-buffered shared memory, and a small one.
#include <cuda_runtime.h>

namespace {

constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kPerThread = 8;

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    Sgemm128(int m, int n, int k, float alpha, const float* __restrict__ a,
             const float* __restrict__ b, float beta, float* __restrict__ c) {
  __shared__ float a_tile[2][kDepth][kTile];
  __shared__ float b_tile[2][kDepth][kTile];
  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * kTile;
  const int col0 = blockIdx.x * kTile;
  const int a_row = thread / 2;
  const int a_col = (thread % 2) * 4;
  const int b_row = thread / 32;
  const int b_col = (thread % 32) * 4;
  const int ty = thread / 16;
  const int tx = thread % 16;

  float sums[kPerThread][kPerThread] = {};
  const float* a_from = a + static_cast<size_t>(row0 + a_row) * k + a_col;
  const float* b_from = b + static_cast<size_t>(b_row) * n + col0 + b_col;

  float4 a_next = *reinterpret_cast<const float4*>(a_from);
  float4 b_next = *reinterpret_cast<const float4*>(b_from);
  int stage = 0;
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    a_tile[stage][a_col + 0][a_row] = a_next.x;
    a_tile[stage][a_col + 1][a_row] = a_next.y;
    a_tile[stage][a_col + 2][a_row] = a_next.z;
    a_tile[stage][a_col + 3][a_row] = a_next.w;
    *reinterpret_cast<float4*>(&b_tile[stage][b_row][b_col]) = b_next;
    __syncthreads();
    if (k0 + kDepth < k) {
      a_from += kDepth;
      b_from += static_cast<size_t>(kDepth) * n;
      a_next = *reinterpret_cast<const float4*>(a_from);
      b_next = *reinterpret_cast<const float4*>(b_from);
    }
#pragma unroll
    for (int kk = 0; kk < kDepth; ++kk) {
      float left[kPerThread];
      float right[kPerThread];
#pragma unroll
      for (int i = 0; i < kPerThread; i += 4) {
        *reinterpret_cast<float4*>(&left[i]) = *reinterpret_cast<const float4*>(
            &a_tile[stage][kk][ty * 4 + i * 16]);
        *reinterpret_cast<float4*>(&right[i]) =
            *reinterpret_cast<const float4*>(
                &b_tile[stage][kk][tx * 4 + i * 16]);
      }
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
          sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
        }
      }
    }
    stage ^= 1;
  }

#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int row = row0 + ty * 4 + (i / 4) * 64 + i % 4;
#pragma unroll
    for (int j = 0; j < kPerThread; j += 4) {
      float4* to = reinterpret_cast<float4*>(c + static_cast<size_t>(row) * n +
                                             col0 + tx * 4 + (j / 4) * 64);
      float4 old = beta != 0.0f ? *to : make_float4(0, 0, 0, 0);
      old.x = alpha * sums[i][j + 0] + beta * old.x;
      old.y = alpha * sums[i][j + 1] + beta * old.y;
      old.z = alpha * sums[i][j + 2] + beta * old.z;
      old.w = alpha * sums[i][j + 3] + beta * old.w;
      *to = old;
    }
  }
}

// Any shape: 16x16 tiles with guards on every edge.
extern "C" __global__ void SgemmGuarded(int m, int n, int k, const float* a,
                                        const float* b, float* c) {
  __shared__ float a_tile[16][17];
  __shared__ float b_tile[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 16) {
    const int a_col = k0 + threadIdx.x;
    const int b_row = k0 + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] =
        row < m && a_col < k ? a[row * k + a_col] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] =
        b_row < k && col < n ? b[b_row * n + col] : 0.0f;
    __syncthreads();
    for (int kk = 0; kk < 16; ++kk) {
      sum += a_tile[threadIdx.y][kk] * b_tile[kk][threadIdx.x];
    }
    __syncthreads();
  }
  if (row < m && col < n) {
    c[row * n + col] = sum;
  }
}

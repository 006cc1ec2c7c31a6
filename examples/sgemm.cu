// C = A * B for row-major matrices whose sides are multiples of 64: each block
// makes a 64x64 tile of C, and each of its 256 threads a 4x4 piece of the tile.
#include <cuda_runtime.h>

constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kSide = 4;

extern "C" __global__ void __launch_bounds__(256)
    Sgemm(int n, int k, const float* __restrict__ a,
          const float* __restrict__ b, float* __restrict__ c) {
  __shared__ float a_tile[kDepth][kTile];
  __shared__ float b_tile[kDepth][kTile];
  const int tx = threadIdx.x % 16;
  const int ty = threadIdx.x / 16;
  const int row0 = blockIdx.y * kTile;
  const int col0 = blockIdx.x * kTile;

  float sums[kSide][kSide] = {};
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    // Each thread brings four values of each tile; A's is kept transposed.
    const int row = threadIdx.x / 4;
    const int depth = threadIdx.x % 4 * 4;
    const float4 from_a =
        *reinterpret_cast<const float4*>(&a[(row0 + row) * k + k0 + depth]);
    a_tile[depth + 0][row] = from_a.x;
    a_tile[depth + 1][row] = from_a.y;
    a_tile[depth + 2][row] = from_a.z;
    a_tile[depth + 3][row] = from_a.w;
    *reinterpret_cast<float4*>(&b_tile[ty][tx * 4]) =
        *reinterpret_cast<const float4*>(&b[(k0 + ty) * n + col0 + tx * 4]);
    __syncthreads();

#pragma unroll 4
    for (int kk = 0; kk < kDepth; ++kk) {
      float left[kSide];
      float right[kSide];
      *reinterpret_cast<float4*>(left) =
          *reinterpret_cast<const float4*>(&a_tile[kk][ty * kSide]);
      *reinterpret_cast<float4*>(right) =
          *reinterpret_cast<const float4*>(&b_tile[kk][tx * kSide]);
#pragma unroll
      for (int i = 0; i < kSide; ++i) {
#pragma unroll
        for (int j = 0; j < kSide; ++j) {
          sums[i][j] += left[i] * right[j];
        }
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < kSide; ++i) {
    *reinterpret_cast<float4*>(
        &c[(row0 + ty * kSide + i) * n + col0 + tx * kSide]) =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
  }
}

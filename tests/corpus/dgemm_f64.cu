// Double-precision matrix products: a register-blocked tile of fused
// multiply-adds, and the tensor cores' m8n8k4 shape by inline assembly.
#include <cuda_runtime.h>

template <int kTileM, int kTileN, int kDepth, int kRows, int kCols>
__global__ void __launch_bounds__((kTileM / kRows) * (kTileN / kCols))
    Dgemm(int m, int n, int k, double alpha, const double* __restrict__ a,
          const double* __restrict__ b, double beta, double* __restrict__ c) {
  constexpr int kThreads = (kTileM / kRows) * (kTileN / kCols);
  __shared__ double a_tile[kDepth][kTileM + 1];
  __shared__ double b_tile[kDepth][kTileN];
  const int row0 = blockIdx.y * kTileM;
  const int col0 = blockIdx.x * kTileN;
  const int tx = threadIdx.x % (kTileN / kCols);
  const int ty = threadIdx.x / (kTileN / kCols);
  double sums[kRows][kCols] = {};
  for (int k0 = 0; k0 < k; k0 += kDepth) {
#pragma unroll
    for (int i = threadIdx.x; i < kTileM * kDepth; i += kThreads) {
      const int row = i / kDepth;
      const int kk = i % kDepth;
      const bool inside = row0 + row < m && k0 + kk < k;
      a_tile[kk][row] =
          inside ? a[static_cast<size_t>(row0 + row) * k + k0 + kk] : 0.0;
    }
#pragma unroll
    for (int i = threadIdx.x; i < kTileN * kDepth; i += kThreads) {
      const int col = i % kTileN;
      const int kk = i / kTileN;
      const bool inside = col0 + col < n && k0 + kk < k;
      b_tile[kk][col] =
          inside ? b[static_cast<size_t>(k0 + kk) * n + col0 + col] : 0.0;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kDepth; ++kk) {
      double left[kRows];
      double right[kCols];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        left[i] = a_tile[kk][ty * kRows + i];
      }
#pragma unroll
      for (int j = 0; j < kCols; ++j) {
        right[j] = b_tile[kk][tx + j * (kTileN / kCols)];
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kCols; ++j) {
          sums[i][j] += left[i] * right[j];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = row0 + ty * kRows + i;
#pragma unroll
    for (int j = 0; j < kCols; ++j) {
      const int col = col0 + tx + j * (kTileN / kCols);
      if (row < m && col < n) {
        double& to = c[static_cast<size_t>(row) * n + col];
        to = alpha * sums[i][j] + (beta == 0.0 ? 0.0 : beta * to);
      }
    }
  }
}

template __global__ void Dgemm<64, 64, 8, 4, 4>(int, int, int, double,
                                                const double*, const double*,
                                                double, double*);
template __global__ void Dgemm<64, 32, 4, 8, 2>(int, int, int, double,
                                                const double*, const double*,
                                                double, double*);

// One warp makes a 16x16 tile from 2x2 tensor-core products.
__global__ void DgemmTensor(int n, int k, const double* a, const double* b,
                            double* c) {
  const int lane = threadIdx.x % 32;
  const int group = lane / 4;
  const int within = lane % 4;
  const int row0 = blockIdx.y * 16;
  const int col0 = blockIdx.x * 16;
  double sums[2][2][2] = {};
  for (int k0 = 0; k0 < k; k0 += 4) {
    double left[2];
    double right[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      left[i] = a[(row0 + i * 8 + group) * k + k0 + within];
      right[i] = b[(k0 + within) * n + col0 + i * 8 + group];
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        asm volatile(
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
            "{%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(sums[i][j][0]), "+d"(sums[i][j][1])
            : "d"(left[i]), "d"(right[j]));
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      *reinterpret_cast<double2*>(
          &c[(row0 + i * 8 + group) * n + col0 + j * 8 + within * 2]) =
          make_double2(sums[i][j][0], sums[i][j][1]);
    }
  }
}

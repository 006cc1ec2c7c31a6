// Half-precision matrix product on tensor cores: ldmatrix, mma.sync m16n8k16
// and a three-stage cp.async pipeline, all by inline assembly.
#include <cuda_fp16.h>

namespace {

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 32;
constexpr int kStages = 3;
constexpr int kPitch = kTileK + 8;

__device__ unsigned SharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void CopyAsync(void* to, const void* from) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SharedAddress(to)),
      "l"(__cvta_generic_to_global(from))
      : "memory");
}

__device__ void LoadMatrix4(unsigned (&regs)[4], const void* from) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(regs[0]), "=r"(regs[1]), "=r"(regs[2]), "=r"(regs[3])
      : "r"(SharedAddress(from))
      : "memory");
}

__device__ void MultiplyAdd(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                            unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace

// c = a * b^T; a is m x k and b is n x k, both by rows.
extern "C" __global__ void __launch_bounds__(256)
    HgemmTensor(int m, int n, int k, const __half* __restrict__ a,
                const __half* __restrict__ b, __half* __restrict__ c) {
  extern __shared__ __align__(16) __half tiles[];
  __half* a_tiles = tiles;
  __half* b_tiles = tiles + kStages * kTileM * kPitch;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = (warp / 4) * 64;
  const int warp_col = (warp % 4) * 32;
  const int row0 = blockIdx.y * kTileM;
  const int col0 = blockIdx.x * kTileN;

  auto fetch = [&](int stage, int k0) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int piece = threadIdx.x + i * 256;
      const int row = piece / 4;
      const int col = (piece % 4) * 8;
      CopyAsync(a_tiles + (stage * kTileM + row) * kPitch + col,
                a + static_cast<size_t>(row0 + row) * k + k0 + col);
      CopyAsync(b_tiles + (stage * kTileN + row) * kPitch + col,
                b + static_cast<size_t>(col0 + row) * k + k0 + col);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };

  float sums[4][4][4] = {};
  fetch(0, 0);
  fetch(1, kTileK);
  int stage = 0;
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    if (k0 + 2 * kTileK < k) {
      fetch((stage + 2) % kStages, k0 + 2 * kTileK);
    } else {
      // An empty group, so that the next wait is for the tile after this one.
      asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll
    for (int kk = 0; kk < kTileK; kk += 16) {
      unsigned left[4][4];
      unsigned right[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = warp_row + i * 16 + lane % 16;
        LoadMatrix4(left[i], a_tiles + (stage * kTileM + row) * kPitch + kk +
                                 (lane / 16) * 8);
      }
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int row = warp_col + j * 16 + lane % 8 + (lane / 16) * 8;
        LoadMatrix4(right[j], b_tiles + (stage * kTileN + row) * kPitch + kk +
                                  (lane / 8 % 2) * 8);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          MultiplyAdd(sums[i][j], left[i], right[j / 2][(j % 2) * 2],
                      right[j / 2][(j % 2) * 2 + 1]);
        }
      }
    }
    stage = (stage + 1) % kStages;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");

#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + warp_row + i * 16 + lane / 4;
      const int col = col0 + warp_col + j * 8 + (lane % 4) * 2;
      *reinterpret_cast<__half2*>(c + static_cast<size_t>(row) * n + col) =
          __floats2half2_rn(sums[i][j][0], sums[i][j][1]);
      *reinterpret_cast<__half2*>(c + static_cast<size_t>(row + 8) * n + col) =
          __floats2half2_rn(sums[i][j][2], sums[i][j][3]);
    }
  }
}

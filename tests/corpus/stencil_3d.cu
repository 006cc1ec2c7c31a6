// Three-dimensional finite differences: a 25-point stencil that marches in z
// with a register queue, and a fully unrolled 27-point one over a column.
#include <cuda_runtime.h>

namespace {
constexpr int kRadius = 4;
}

__constant__ float weights[kRadius + 1];

extern "C" __global__ void __launch_bounds__(512)
    March25(const float* __restrict__ now, const float* __restrict__ speed,
            float* __restrict__ next, int nx, int ny, int nz) {
  __shared__ float plane[16 + 2 * kRadius][32 + 2 * kRadius];
  const int tx = threadIdx.x + kRadius;
  const int ty = threadIdx.y + kRadius;
  const int x = blockIdx.x * 32 + threadIdx.x + kRadius;
  const int y = blockIdx.y * 16 + threadIdx.y + kRadius;
  const int stride = nx * ny;
  int at = y * nx + x;
  float queue[2 * kRadius + 1];
#pragma unroll
  for (int i = 0; i < 2 * kRadius; ++i) {
    queue[i + 1] = now[at];
    at += stride;
  }
  int out = y * nx + x + kRadius * stride;
  for (int z = kRadius; z < nz - kRadius; ++z) {
#pragma unroll
    for (int i = 0; i < 2 * kRadius; ++i) {
      queue[i] = queue[i + 1];
    }
    queue[2 * kRadius] = now[at];
    at += stride;
    __syncthreads();
    plane[ty][tx] = queue[kRadius];
    if (threadIdx.y < kRadius) {
      plane[ty - kRadius][tx] = now[out - kRadius * nx];
      plane[ty + 16][tx] = now[out + 16 * nx];
    }
    if (threadIdx.x < kRadius) {
      plane[ty][tx - kRadius] = now[out - kRadius];
      plane[ty][tx + 32] = now[out + 32];
    }
    __syncthreads();
    float sum = weights[0] * queue[kRadius];
#pragma unroll
    for (int i = 1; i <= kRadius; ++i) {
      sum += weights[i] *
             (queue[kRadius - i] + queue[kRadius + i] + plane[ty - i][tx] +
              plane[ty + i][tx] + plane[ty][tx - i] + plane[ty][tx + i]);
    }
    next[out] = 2.0f * queue[kRadius] - next[out] + speed[out] * sum;
    out += stride;
  }
}

// Sixteen cells of a column a thread; all the loops are unrolled.
extern "C" __global__ void Column27(const double* __restrict__ in,
                                    double* __restrict__ out, int nx, int ny,
                                    double w0, double w1, double w2,
                                    double w3) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int stride = nx * ny;
  const double* from = in + y * nx + x;
  double* to = out + y * nx + x;
#pragma unroll
  for (int z = 1; z <= 16; ++z) {
    double sum = 0.0;
#pragma unroll
    for (int dz = -1; dz <= 1; ++dz) {
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
          const int far = dx * dx + dy * dy + dz * dz;
          const double w = far == 0 ? w0 : far == 1 ? w1 : far == 2 ? w2 : w3;
          sum += w * from[(z + dz) * stride + dy * nx + dx];
        }
      }
    }
    to[z * stride] = sum;
  }
}

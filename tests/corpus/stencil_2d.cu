// Two-dimensional stencils: a five-point heat step, a register-tiled nine-point
// filter, a separable Gaussian from constant memory and a wave equation.
#include <cuda_runtime.h>

__constant__ float gaussian[17];

__global__ void Heat(const float* __restrict__ in, float* __restrict__ out,
                     int width, int height, float rate) {
  __shared__ float tile[18][34];
  const int tx = threadIdx.x + 1;
  const int ty = threadIdx.y + 1;
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  const auto at = [&](int cx, int cy) {
    cx = min(max(cx, 0), width - 1);
    cy = min(max(cy, 0), height - 1);
    return in[cy * width + cx];
  };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == 31) tile[ty][33] = at(x + 1, y);
  if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == 15) tile[17][tx] = at(x, y + 1);
  __syncthreads();
  if (x < width && y < height) {
    out[y * width + x] =
        tile[ty][tx] +
        rate * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] +
                tile[ty][tx + 1] - 4.0f * tile[ty][tx]);
  }
}

// Every thread walks down a column and keeps three rows in registers.
template <int kRows>
__global__ void NinePoint(const float* __restrict__ in, float* __restrict__ out,
                          int pitch, float centre, float edge, float corner) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y0 = blockIdx.y * kRows + 1;
  const float* row = in + (y0 - 1) * pitch + x;
  float above[3] = {row[-1], row[0], row[1]};
  row += pitch;
  float here[3] = {row[-1], row[0], row[1]};
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    row += pitch;
    const float below[3] = {row[-1], row[0], row[1]};
    out[(y0 + i) * pitch + x] =
        centre * here[1] + edge * (above[1] + below[1] + here[0] + here[2]) +
        corner * (above[0] + above[2] + below[0] + below[2]);
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      above[j] = here[j];
      here[j] = below[j];
    }
  }
}

template __global__ void NinePoint<8>(const float*, float*, int, float, float,
                                      float);
template __global__ void NinePoint<24>(const float*, float*, int, float, float,
                                       float);

__global__ void GaussianRows(const uchar4* in, float4* out, int width,
                             int radius) {
  extern __shared__ uchar4 line[];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  for (int i = threadIdx.x; i < static_cast<int>(blockDim.x) + 2 * radius;
       i += blockDim.x) {
    const int from = static_cast<int>(blockIdx.x * blockDim.x) + i - radius;
    line[i] = in[y * width + min(max(from, 0), width - 1)];
  }
  __syncthreads();
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = -radius; i <= radius; ++i) {
    const uchar4 p = line[threadIdx.x + radius + i];
    const float w = gaussian[i + 8];
    sum.x += w * p.x;
    sum.y += w * p.y;
    sum.z += w * p.z;
    sum.w += w * p.w;
  }
  if (x < width) {
    out[y * width + x] = sum;
  }
}

__global__ void Wave(const double* now, double* next, int width, int height,
                     double c2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) {
    return;
  }
  const int i = y * width + x;
  const double laplace =
      (-5.0 * now[i] +
       4.0 / 3.0 * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]) -
       1.0 / 12.0 *
           (now[i - 2] + now[i + 2] + now[i - 2 * width] + now[i + 2 * width]));
  next[i] = 2.0 * now[i] - next[i] + c2 * laplace;
}

// Convolutions: direct with a register tile, depthwise, Winograd F(2x2, 3x3)
// with its transforms, F(4,3) over rows, im2col and a transposed one.
#include <cuda_runtime.h>

__constant__ float depth_weights[64 * 9];

// Each thread makes four neighbouring outputs for four output channels.
template <int kSize>
__global__ void __launch_bounds__(128)
    Direct(const float* __restrict__ in, const float* __restrict__ weights,
           float* __restrict__ out, int channels, int height, int width) {
  const int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const int y = blockIdx.y;
  const int m0 = blockIdx.z * 4;
  if (x0 >= width) {
    return;
  }
  float sums[4][4] = {};
  for (int c = 0; c < channels; ++c) {
#pragma unroll
    for (int dy = 0; dy < kSize; ++dy) {
      const int row = y + dy - kSize / 2;
      if (row < 0 || row >= height) {
        continue;
      }
      float line[4 + kSize - 1];
#pragma unroll
      for (int i = 0; i < 4 + kSize - 1; ++i) {
        const int x = x0 + i - kSize / 2;
        line[i] = x >= 0 && x < width
                      ? in[(static_cast<size_t>(c) * height + row) * width + x]
                      : 0.0f;
      }
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        const float* w =
            weights + (((m0 + m) * channels + c) * kSize + dy) * kSize;
#pragma unroll
        for (int dx = 0; dx < kSize; ++dx) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            sums[m][i] += w[dx] * line[i + dx];
          }
        }
      }
    }
  }
#pragma unroll
  for (int m = 0; m < 4; ++m) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (x0 + i < width) {
        out[(static_cast<size_t>(m0 + m) * height + y) * width + x0 + i] =
            fmaxf(sums[m][i], 0.0f);
      }
    }
  }
}

template __global__ void Direct<3>(const float*, const float*, float*, int, int,
                                   int);
template __global__ void Direct<5>(const float*, const float*, float*, int, int,
                                   int);

__global__ void Depthwise(const float* in, float* out, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  const int c = blockIdx.z;
  float sum = 0.0f;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const int cy = y + dy;
      const int cx = x + dx;
      if (cy >= 0 && cy < height && cx >= 0 && cx < width) {
        sum += depth_weights[c * 9 + (dy + 1) * 3 + dx + 1] *
               in[(c * height + cy) * width + cx];
      }
    }
  }
  if (x < width) {
    out[(c * height + y) * width + x] = sum;
  }
}

namespace {

__device__ void TransformInput(const float (&d)[4][4], float (&v)[4][4]) {
  float t[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    t[0][i] = d[0][i] - d[2][i];
    t[1][i] = d[1][i] + d[2][i];
    t[2][i] = d[2][i] - d[1][i];
    t[3][i] = d[1][i] - d[3][i];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i][0] = t[i][0] - t[i][2];
    v[i][1] = t[i][1] + t[i][2];
    v[i][2] = t[i][2] - t[i][1];
    v[i][3] = t[i][1] - t[i][3];
  }
}

__device__ void TransformOutput(const float (&m)[4][4], float (&y)[2][2]) {
  float t[2][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    t[0][i] = m[0][i] + m[1][i] + m[2][i];
    t[1][i] = m[1][i] - m[2][i] - m[3][i];
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    y[i][0] = t[i][0] + t[i][1] + t[i][2];
    y[i][1] = t[i][1] - t[i][2] - t[i][3];
  }
}

}  // namespace

__global__ void WinogradWeights(const float* weights, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float* g = weights + i * 9;
  float t[4][3];
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    t[0][j] = g[j];
    t[1][j] = 0.5f * (g[j] + g[3 + j] + g[6 + j]);
    t[2][j] = 0.5f * (g[j] - g[3 + j] + g[6 + j]);
    t[3][j] = g[6 + j];
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    float4 u;
    u.x = t[j][0];
    u.y = 0.5f * (t[j][0] + t[j][1] + t[j][2]);
    u.z = 0.5f * (t[j][0] - t[j][1] + t[j][2]);
    u.w = t[j][2];
    reinterpret_cast<float4*>(out)[i * 4 + j] = u;
  }
}

__global__ void __launch_bounds__(64)
    Winograd(const float* __restrict__ in, const float* __restrict__ weights,
             float* __restrict__ out, int channels, int height, int width) {
  const int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  const int y0 = blockIdx.y * 2;
  const int m = blockIdx.z;
  float sums[4][4] = {};
  for (int c = 0; c < channels; ++c) {
    float d[4][4];
    float v[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int y = y0 + i - 1;
        const int x = x0 + j - 1;
        d[i][j] =
            static_cast<unsigned>(y) < static_cast<unsigned>(height) &&
                    static_cast<unsigned>(x) < static_cast<unsigned>(width)
                ? in[(c * height + y) * width + x]
                : 0.0f;
      }
    }
    TransformInput(d, v);
    const float* u = weights + (m * channels + c) * 16;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      sums[i / 4][i % 4] += u[i] * v[i / 4][i % 4];
    }
  }
  float y[2][2];
  TransformOutput(sums, y);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    *reinterpret_cast<float2*>(&out[(m * height + y0 + i) * width + x0]) =
        make_float2(y[i][0], y[i][1]);
  }
}

__global__ void Im2Col(const float* in, float* columns, int channels,
                       int height, int width, int size, int stride, int pad,
                       int out_height, int out_width) {
  const int total = channels * out_height * out_width;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total;
       i += gridDim.x * blockDim.x) {
    const int x = i % out_width;
    const int y = i / out_width % out_height;
    const int c = i / out_width / out_height;
    float* to =
        columns +
        (static_cast<size_t>(c) * size * size * out_height + y) * out_width + x;
    for (int dy = 0; dy < size; ++dy) {
      for (int dx = 0; dx < size; ++dx) {
        const int cy = y * stride - pad + dy;
        const int cx = x * stride - pad + dx;
        *to = cy >= 0 && cx >= 0 && cy < height && cx < width
                  ? in[(c * height + cy) * width + cx]
                  : 0.0f;
        to += out_height * out_width;
      }
    }
  }
}

__global__ void Transposed(const float* in, const float* weights, float* out,
                           int channels, int width, int out_width, int stride) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  float sum = 0.0f;
  for (int dy = y % stride; dy < 4; dy += stride) {
    for (int dx = x % stride; dx < 4; dx += stride) {
      const int cy = (y - dy) / stride;
      const int cx = (x - dx) / stride;
      if (cy >= 0 && cx >= 0 && cy < width && cx < width) {
        for (int c = 0; c < channels; ++c) {
          sum += in[(c * width + cy) * width + cx] *
                 weights[(c * 4 + dy) * 4 + dx];
        }
      }
    }
  }
  if (x < out_width) {
    out[y * out_width + x] = sum;
  }
}

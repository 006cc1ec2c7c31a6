// Fourier transforms: radix-4, radix-8 and radix-16 butterflies in registers,
// exchanges through shared memory and twiddles from sincos and from a table.
#include <cuda_runtime.h>

namespace {

__device__ float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ float2 operator-(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ float2 TimesMinusI(float2 a) { return make_float2(a.y, -a.x); }

__device__ void Fft2(float2& a, float2& b) {
  const float2 t = a;
  a = t + b;
  b = t - b;
}

__device__ void Fft4(float2& a, float2& b, float2& c, float2& d) {
  Fft2(a, c);
  Fft2(b, d);
  d = TimesMinusI(d);
  Fft2(a, b);
  Fft2(c, d);
  const float2 t = b;
  b = c;
  c = t;
}

__device__ void Fft8(float2* v) {
  constexpr float kRoot = 0.70710678118654752f;
  Fft2(v[0], v[4]);
  Fft2(v[1], v[5]);
  Fft2(v[2], v[6]);
  Fft2(v[3], v[7]);
  v[5] = v[5] * make_float2(kRoot, -kRoot);
  v[6] = TimesMinusI(v[6]);
  v[7] = v[7] * make_float2(-kRoot, -kRoot);
  Fft4(v[0], v[1], v[2], v[3]);
  Fft4(v[4], v[5], v[6], v[7]);
}

__device__ float2 Twiddle(float turns) {
  float s;
  float c;
  sincospif(-2.0f * turns, &s, &c);
  return make_float2(c, s);
}

}  // namespace

// Filled by the host, so it must be seen from without.
__constant__ float2 table[64];

// 512 points by 64 threads: three passes of radix 8.
extern "C" __global__ void __launch_bounds__(64) Fft512(float2* data) {
  __shared__ float re[8 * 8 * 9];
  __shared__ float im[8 * 8 * 9];
  constexpr int kOrder[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  const int t = threadIdx.x;
  const int high = t / 8;
  const int low = t % 8;
  data += blockIdx.x * 512;
  float2 v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = data[t + i * 64];
  }
  Fft8(v);
#pragma unroll
  for (int i = 1; i < 8; ++i) {
    v[i] = v[i] * Twiddle(static_cast<float>(kOrder[i] * t) / 512.0f);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    re[kOrder[i] * 66 + t] = v[i].x;
    im[kOrder[i] * 66 + t] = v[i].y;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] =
        make_float2(re[high * 66 + low + i * 8], im[high * 66 + low + i * 8]);
  }
  Fft8(v);
#pragma unroll
  for (int i = 1; i < 8; ++i) {
    v[i] = v[i] * table[kOrder[i] * low];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    re[high * 72 + kOrder[i] * 9 + low] = v[i].x;
    im[high * 72 + kOrder[i] * 9 + low] = v[i].y;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] =
        make_float2(re[high * 72 + low * 9 + i], im[high * 72 + low * 9 + i]);
  }
  Fft8(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    data[t + kOrder[i] * 64] = v[i];
  }
}

// One pass of a large transform out of place, radix 4 with fast sine.
extern "C" __global__ void Pass4(const float2* in, float2* out, int n,
                                 int span) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int quarter = n / 4;
  if (i >= quarter) {
    return;
  }
  const int k = i & (span - 1);
  const float angle = -6.283185307f * k / (4.0f * span);
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    float s;
    float c;
    __sincosf(angle * r, &s, &c);
    v[r] = in[i + r * quarter] * make_float2(c, s);
  }
  Fft4(v[0], v[1], v[2], v[3]);
  float2* to = out + ((i - k) << 2) + k;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    to[r * span] = v[r];
  }
}

// Sixteen points a thread, in registers, forward and back with a filter.
extern "C" __global__ void Convolve16(float2* data, const float* filter) {
  float2 v[16];
  data += (blockIdx.x * blockDim.x + threadIdx.x) * 16;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    v[i] = data[i];
  }
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
    float2 w[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      Fft4(v[i], v[i + 4], v[i + 8], v[i + 12]);
    }
    constexpr float kCos[10] = {1.0f,          0.923879533f,  0.707106781f,
                                0.382683432f,  0.0f,          -0.382683432f,
                                -0.707106781f, -0.923879533f, -1.0f,
                                -0.923879533f};
    constexpr float kSin[10] = {0.0f, 0.382683432f, 0.707106781f, 0.923879533f,
                                1.0f, 0.923879533f, 0.707106781f, 0.382683432f,
                                0.0f, -0.382683432f};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        w[i * 4 + j] = v[i * 4 + j] * make_float2(kCos[i * j], -kSin[i * j]);
      }
      Fft4(w[i * 4], w[i * 4 + 1], w[i * 4 + 2], w[i * 4 + 3]);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float2 x = w[(i % 4) * 4 + i / 4];
      const float f = pass == 0 ? filter[i] : 1.0f / 16.0f;
      v[i] = make_float2(x.x * f, pass == 0 ? -x.y * f : x.y * f);
    }
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    data[i] = v[i];
  }
}

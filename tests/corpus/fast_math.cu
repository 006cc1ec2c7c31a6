// Compiled with fast, reassociated, flushed-to-zero arithmetic: approximate
// division, roots and transcendental functions, and contraction everywhere.
#include <cuda_runtime.h>

__global__ void Divisions(const float* a, const float* b, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] / b[i] + 1.0f / a[i] + sqrtf(b[i]) / rsqrtf(a[i]);
  out[i] += fmodf(a[i], b[i]) + copysignf(a[i], b[i]);
}

__global__ void Transcendental(const float* a, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = a[i];
  out[i] = sinf(x) * cosf(x) + tanf(x) - expf(x) * logf(x) + powf(x, 2.5f) +
           exp2f(x) + log2f(x) + log10f(x) + tanhf(x);
}

// Colours from the XYZ space, with a gamma curve.
__global__ void ToneMap(const float4* in, uchar4* out, int count, float key) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float4 c = in[i];
  const float luma = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
  const float scale = key / (1.0f + luma * key);
  auto curve = [&](float v) {
    v = fminf(fmaxf(v * scale, 0.0f), 1.0f);
    v = v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1.0f / 2.4f) - 0.055f;
    return static_cast<unsigned char>(v * 255.0f + 0.5f);
  };
  out[i] = make_uchar4(curve(c.x), curve(c.y), curve(c.z), 255);
}

__global__ void Bilateral(const float* in, float* out, int width, int height,
                          float near2, float like2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  const float centre = in[y * width + x];
  float sum = 0.0f;
  float weights = 0.0f;
#pragma unroll
  for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx) {
      const int cx = min(max(x + dx, 0), width - 1);
      const int cy = min(max(y + dy, 0), height - 1);
      const float v = in[cy * width + cx];
      const float d = v - centre;
      const float w = expf(-(dx * dx + dy * dy) / near2 - d * d / like2);
      sum += w * v;
      weights += w;
    }
  }
  out[y * width + x] = sum / weights;
}

__global__ void Dot(const float* a, const float* b, float* out, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) {
    sum += a[i * blockDim.x + threadIdx.x] * b[i * blockDim.x + threadIdx.x];
  }
  out[threadIdx.x] = sum * 2.0f - sum + fabsf(sum);
}

__global__ void Doubles(const double* a, double* out) {
  const int i = threadIdx.x;
  out[i] = a[i] / a[i + 1] + sqrt(a[i]) * a[i + 2] - a[i] * a[i + 3];
}

// Line tables only (-gline-tables-only): inlined functions, lambdas, loops and
// a column of locations on one line.
#include <cuda_runtime.h>

namespace {

__device__ __forceinline__ float Lerp(float a, float b, float t) {
  return a + t * (b - a);
}

__device__ float Noise(int x, int y) {
  unsigned h = x * 374761393u + y * 668265263u;
  h = (h ^ (h >> 13)) * 1274126177u;
  return (h ^ (h >> 16)) * (1.0f / 4294967296.0f);
}

__device__ __noinline__ float Smooth(float x, float y) {
  const int ix = static_cast<int>(floorf(x));
  const int iy = static_cast<int>(floorf(y));
  const float fx = x - ix, fy = y - iy;
  const float top = Lerp(Noise(ix, iy), Noise(ix + 1, iy), fx);
  const float bottom = Lerp(Noise(ix, iy + 1), Noise(ix + 1, iy + 1), fx);
  return Lerp(top, bottom, fy);
}

}  // namespace

__global__ void FractalNoise(float* out, int width, int octaves) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  float sum = 0.0f, gain = 0.5f, scale = 1.0f / 64.0f;
  for (int i = 0; i < octaves; ++i) {
    sum += gain * Smooth(x * scale, y * scale);
    gain *= 0.5f;
    scale *= 2.0f;
  }
  auto clamp = [](float v) { return v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v; };
  if (x < width) {
    out[y * width + x] = clamp(sum);
  }
}

__global__ void Threshold(const float* in, unsigned char* out, int count,
                          float low, float high) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float v = in[i];
  if (v < low)
    out[i] = 0;
  else if (v > high)
    out[i] = 255;
  else
    out[i] = static_cast<unsigned char>(255.0f * (v - low) / (high - low));
}

// Escape-time fractals: Mandelbrot in float, double and pairs of floats, a
// Julia set in halves, Newton's method and a Buddhabrot that scatters by
// atomics.
#include <cuda_fp16.h>

namespace {

__device__ uchar4 Palette(int steps, int limit) {
  if (steps == limit) {
    return make_uchar4(0, 0, 0, 255);
  }
  const float t = static_cast<float>(steps) / limit;
  return make_uchar4(
      static_cast<unsigned char>(9 * (1 - t) * t * t * t * 255),
      static_cast<unsigned char>(15 * (1 - t) * (1 - t) * t * t * 255),
      static_cast<unsigned char>(8.5f * (1 - t) * (1 - t) * (1 - t) * t * 255),
      255);
}

// A value held as a sum of two floats.
struct Twofold {
  float high, low;
};

__device__ Twofold Add(Twofold a, Twofold b) {
  const float s = __fadd_rn(a.high, b.high);
  const float v = __fsub_rn(s, a.high);
  const float e =
      __fadd_rn(__fsub_rn(a.high, __fsub_rn(s, v)), __fsub_rn(b.high, v));
  const float low = __fadd_rn(e, __fadd_rn(a.low, b.low));
  const float high = __fadd_rn(s, low);
  return {high, __fsub_rn(low, __fsub_rn(high, s))};
}

__device__ Twofold Multiply(Twofold a, Twofold b) {
  const float p = __fmul_rn(a.high, b.high);
  float e = __fmaf_rn(a.high, b.high, -p);
  e = __fmaf_rn(a.high, b.low, __fmaf_rn(a.low, b.high, e));
  const float high = __fadd_rn(p, e);
  return {high, __fsub_rn(e, __fsub_rn(high, p))};
}

}  // namespace

template <typename Real>
__global__ void Mandelbrot(uchar4* image, int width, int height, Real x0,
                           Real y0, Real scale, int limit) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) {
    return;
  }
  const Real cx = x0 + px * scale;
  const Real cy = y0 + py * scale;
  Real x = 0;
  Real y = 0;
  int steps = 0;
  while (steps < limit && x * x + y * y < Real(4)) {
    const Real next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++steps;
  }
  image[py * width + px] = Palette(steps, limit);
}

template __global__ void Mandelbrot<float>(uchar4*, int, int, float, float,
                                           float, int);
template __global__ void Mandelbrot<double>(uchar4*, int, int, double, double,
                                            double, int);

__global__ void DeepZoom(unsigned short* counts, int width, Twofold x0,
                         Twofold y0, float scale, int limit) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int py = blockIdx.y;
  const Twofold cx = Add(x0, {px * scale, 0.0f});
  const Twofold cy = Add(y0, {py * scale, 0.0f});
  Twofold x = {0, 0};
  Twofold y = {0, 0};
  int steps = 0;
  for (; steps < limit; ++steps) {
    const Twofold xx = Multiply(x, x);
    const Twofold yy = Multiply(y, y);
    if (xx.high + yy.high > 4.0f) {
      break;
    }
    const Twofold xy = Multiply(x, y);
    x = Add(Add(xx, {-yy.high, -yy.low}), cx);
    y = Add(Add(xy, xy), cy);
  }
  counts[py * width + px] = static_cast<unsigned short>(steps);
}

__global__ void JuliaHalf(unsigned char* image, int width, __half2 c,
                          int limit) {
  const int px = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  __half2 x = __floats2half2_rn(px * 0.01f - 1.5f, (px + 1) * 0.01f - 1.5f);
  __half2 y = __float2half2_rn(blockIdx.y * 0.01f - 1.0f);
  const __half2 cx = __low2half2(c);
  const __half2 cy = __high2half2(c);
  const __half2 four = __float2half2_rn(4.0f);
  __half2 steps = __float2half2_rn(0.0f);
  for (int i = 0; i < limit; ++i) {
    const __half2 yy = __hmul2(y, y);
    const __half2 inside = __hlt2(__hfma2(x, x, yy), four);
    if (__low2float(inside) + __high2float(inside) == 0.0f) {
      break;
    }
    steps = __hadd2(steps, inside);
    const __half2 next = __hadd2(__hfma2(x, x, __hneg2(yy)), cx);
    y = __hfma2(__hadd2(x, x), y, cy);
    x = next;
  }
  image[blockIdx.y * width + px] =
      static_cast<unsigned char>(__half2int_rz(__low2half(steps)));
  image[blockIdx.y * width + px + 1] =
      static_cast<unsigned char>(__half2int_rz(__high2half(steps)));
}

__global__ void Newton(unsigned char* roots, int width, double scale) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  double x = (px - width / 2) * scale;
  double y = (static_cast<int>(blockIdx.y) - width / 2) * scale;
  int root = 3;
  for (int i = 0; i < 40 && root == 3; ++i) {
    const double xx = x * x - y * y;
    const double xy = 2 * x * y;
    const double fx = xx * x - xy * y - 1;
    const double fy = xx * y + xy * x;
    const double bottom = 3 * (xx * xx + xy * xy);
    if (bottom == 0) {
      break;
    }
    x -= (fx * xx + fy * xy) / bottom;
    y -= (fy * xx - fx * xy) / bottom;
    if (fabs(x - 1) + fabs(y) < 1e-9) root = 0;
    if (fabs(x + 0.5) + fabs(y - 0.8660254037844386) < 1e-9) root = 1;
    if (fabs(x + 0.5) + fabs(y + 0.8660254037844386) < 1e-9) root = 2;
  }
  roots[blockIdx.y * width + px] = static_cast<unsigned char>(root);
}

__global__ void Buddhabrot(unsigned* counts, int width, unsigned seed,
                           int limit) {
  unsigned s = seed + (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  s ^= s >> 16;
  s *= 0x85ebca6bu;
  const float cx = (s & 0xffff) * (3.0f / 65536.0f) - 2.0f;
  const float cy = (s >> 16) * (3.0f / 65536.0f) - 1.5f;
  for (int pass = 0; pass < 2; ++pass) {
    float x = 0.0f;
    float y = 0.0f;
    int i = 0;
    for (; i < limit && x * x + y * y < 4.0f; ++i) {
      const float next = x * x - y * y + cx;
      y = 2.0f * x * y + cy;
      x = next;
      if (pass == 1) {
        const int u = __float2int_rn((x + 2.0f) * width / 3.0f);
        const int v = __float2int_rn((y + 1.5f) * width / 3.0f);
        if (u >= 0 && v >= 0 && u < width && v < width) {
          atomicAdd(&counts[v * width + u], 1u);
        }
      }
    }
    if (i == limit) {
      return;
    }
  }
}

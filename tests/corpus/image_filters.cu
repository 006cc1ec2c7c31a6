// Images: a bilateral filter on a shared tile with a halo, demosaicing of
// quads, edges after Canny with hysteresis, and bicubic resizing.
#include <cuda_runtime.h>

namespace {

constexpr int kBlockX = 16;
constexpr int kBlockY = 8;
constexpr int kMaxRadius = 3;

__device__ __forceinline__ int Clamp(int v, int low, int high) {
  return min(max(v, low), high);
}

// Mirrors an index at both ends. The parity of the index stays.
__device__ __forceinline__ int Mirror(int i, int count) {
  i = i < 0 ? -i : i;
  return i >= count ? 2 * count - 2 - i : i;
}

__device__ __forceinline__ unsigned char ToByte(float v) {
  return static_cast<unsigned char>(fminf(fmaxf(v, 0.0f), 255.0f) + 0.5f);
}

}  // namespace

__constant__ float spatial[(2 * kMaxRadius + 1) * (2 * kMaxRadius + 1)];

template <int kRadius>
__global__ void __launch_bounds__(kBlockX* kBlockY)
    Bilateral(const uchar4* __restrict__ in, uchar4* __restrict__ out,
              int width, int height, int pitch, float range_factor) {
  constexpr int kTileX = kBlockX + 2 * kRadius;
  constexpr int kTileY = kBlockY + 2 * kRadius;
  __shared__ uchar4 tile[kTileY][kTileX];
  const int left = blockIdx.x * kBlockX - kRadius;
  const int top = blockIdx.y * kBlockY - kRadius;
  for (int i = threadIdx.y * kBlockX + threadIdx.x; i < kTileX * kTileY;
       i += kBlockX * kBlockY) {
    const int y = i / kTileX;
    const int x = i - y * kTileX;
    tile[y][x] = in[Clamp(top + y, 0, height - 1) * pitch +
                    Clamp(left + x, 0, width - 1)];
  }
  __syncthreads();
  const int x = blockIdx.x * kBlockX + threadIdx.x;
  const int y = blockIdx.y * kBlockY + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  const uchar4 center = tile[threadIdx.y + kRadius][threadIdx.x + kRadius];
  const float cr = center.x;
  const float cg = center.y;
  const float cb = center.z;
  float red = 0.0f;
  float green = 0.0f;
  float blue = 0.0f;
  float total = 0.0f;
#pragma unroll 1
  for (int dy = 0; dy <= 2 * kRadius; ++dy) {
#pragma unroll
    for (int dx = 0; dx <= 2 * kRadius; ++dx) {
      const uchar4 p = tile[threadIdx.y + dy][threadIdx.x + dx];
      const float r = p.x;
      const float g = p.y;
      const float b = p.z;
      const float distance =
          (r - cr) * (r - cr) + (g - cg) * (g - cg) + (b - cb) * (b - cb);
      const float weight = spatial[dy * (2 * kRadius + 1) + dx] *
                           __expf(distance * range_factor);
      red = fmaf(weight, r, red);
      green = fmaf(weight, g, green);
      blue = fmaf(weight, b, blue);
      total += weight;
    }
  }
  const float scale = __fdividef(1.0f, total);
  out[y * pitch + x] = make_uchar4(ToByte(red * scale), ToByte(green * scale),
                                   ToByte(blue * scale), center.w);
}

template __global__ void Bilateral<3>(const uchar4*, uchar4*, int, int, int,
                                      float);

namespace {

constexpr int kRawX = 2 * kBlockX + 4;
constexpr int kRawY = 2 * kBlockY + 4;

// The linear filters of five by five taps, with weights in sixteenths.
struct Taps {
  int center, cross, diagonal, across2, down2, across, down;
};

__device__ __forceinline__ Taps Gather(
    const unsigned short (&raw)[kRawY][kRawX], int x, int y) {
  Taps t;
  t.center = raw[y][x];
  t.across = raw[y][x - 1] + raw[y][x + 1];
  t.down = raw[y - 1][x] + raw[y + 1][x];
  t.cross = t.across + t.down;
  t.across2 = raw[y][x - 2] + raw[y][x + 2];
  t.down2 = raw[y - 2][x] + raw[y + 2][x];
  t.diagonal = raw[y - 1][x - 1] + raw[y - 1][x + 1] + raw[y + 1][x - 1] +
               raw[y + 1][x + 1];
  return t;
}

__device__ __forceinline__ int GreenAtColor(const Taps& t) {
  return 8 * t.center + 4 * t.cross - 2 * (t.across2 + t.down2);
}

__device__ __forceinline__ int Opposite(const Taps& t) {
  return 12 * t.center + 4 * t.diagonal - 3 * (t.across2 + t.down2);
}

__device__ __forceinline__ int ColorInRow(const Taps& t) {
  return 10 * t.center + 8 * t.across - 2 * t.diagonal - 2 * t.across2 +
         t.down2;
}

__device__ __forceinline__ int ColorInColumn(const Taps& t) {
  return 10 * t.center + 8 * t.down - 2 * t.diagonal - 2 * t.down2 + t.across2;
}

// Rounds sixteenths, applies a gain in 256ths, and clamps to the white level.
__device__ __forceinline__ unsigned short Balance(int v, int gain, int white) {
  const int level = max(v + 8, 0) >> 4;
  const unsigned scaled =
      (static_cast<unsigned>(level) * static_cast<unsigned>(gain) + 128) >> 8;
  return static_cast<unsigned short>(
      min(scaled, static_cast<unsigned>(white)));
}

}  // namespace

// The mosaic has red and green in even rows, green and blue in odd ones. A
// thread makes a quad.
__global__ void Demosaic(const unsigned short* __restrict__ raw,
                         ushort4* __restrict__ out, int width, int height,
                         int3 gains, int black, int white) {
  __shared__ unsigned short tile[kRawY][kRawX];
  const int left = blockIdx.x * 2 * kBlockX - 2;
  const int top = blockIdx.y * 2 * kBlockY - 2;
  for (int y = threadIdx.y; y < kRawY; y += kBlockY) {
    const int row = Mirror(min(top + y, height + 1), height);
    for (int x = threadIdx.x; x < kRawX; x += kBlockX) {
      const int column = Mirror(min(left + x, width + 1), width);
      const int v = raw[row * width + column];
      tile[y][x] = static_cast<unsigned short>(max(v - black, 0));
    }
  }
  __syncthreads();
  const int x = blockIdx.x * 2 * kBlockX + 2 * threadIdx.x;
  const int y = blockIdx.y * 2 * kBlockY + 2 * threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  const int tx = 2 * threadIdx.x + 2;
  const int ty = 2 * threadIdx.y + 2;
  const unsigned short alpha = static_cast<unsigned short>(white);
  const Taps red = Gather(tile, tx, ty);
  const Taps green0 = Gather(tile, tx + 1, ty);
  const Taps green1 = Gather(tile, tx, ty + 1);
  const Taps blue = Gather(tile, tx + 1, ty + 1);
  const ushort4 p00 =
      make_ushort4(Balance(16 * red.center, gains.x, white),
                   Balance(GreenAtColor(red), gains.y, white),
                   Balance(Opposite(red), gains.z, white), alpha);
  const ushort4 p10 =
      make_ushort4(Balance(ColorInRow(green0), gains.x, white),
                   Balance(16 * green0.center, gains.y, white),
                   Balance(ColorInColumn(green0), gains.z, white), alpha);
  const ushort4 p01 =
      make_ushort4(Balance(ColorInColumn(green1), gains.x, white),
                   Balance(16 * green1.center, gains.y, white),
                   Balance(ColorInRow(green1), gains.z, white), alpha);
  const ushort4 p11 =
      make_ushort4(Balance(Opposite(blue), gains.x, white),
                   Balance(GreenAtColor(blue), gains.y, white),
                   Balance(16 * blue.center, gains.z, white), alpha);
  const bool right = x + 1 < width;
  out[y * width + x] = p00;
  if (right) {
    out[y * width + x + 1] = p10;
  }
  if (y + 1 < height) {
    out[(y + 1) * width + x] = p01;
    if (right) {
      out[(y + 1) * width + x + 1] = p11;
    }
  }
}

// Marks pixels whose gradient is a maximum across the edge: 2 for strong ones,
// 1 for weak ones.
__global__ void CannyEdges(const unsigned char* __restrict__ image, int width,
                           int height, int low, int high,
                           unsigned char* __restrict__ marks) {
  __shared__ unsigned char pixels[kBlockY + 4][kBlockX + 4];
  __shared__ short2 gradients[kBlockY + 2][kBlockX + 2];
  const int thread = threadIdx.y * kBlockX + threadIdx.x;
  const int left = blockIdx.x * kBlockX;
  const int top = blockIdx.y * kBlockY;
  for (int i = thread; i < (kBlockX + 4) * (kBlockY + 4);
       i += kBlockX * kBlockY) {
    const int x = i % (kBlockX + 4);
    const int y = i / (kBlockX + 4);
    pixels[y][x] = image[Clamp(top + y - 2, 0, height - 1) * width +
                         Clamp(left + x - 2, 0, width - 1)];
  }
  __syncthreads();
  for (int i = thread; i < (kBlockX + 2) * (kBlockY + 2);
       i += kBlockX * kBlockY) {
    const int x = i % (kBlockX + 2);
    const int y = i / (kBlockX + 2);
    int gx = 0;
    int gy = 0;
    const int image_x = left + x - 1;
    const int image_y = top + y - 1;
    if (image_x >= 0 && image_x < width && image_y >= 0 && image_y < height) {
      const int nw = pixels[y][x];
      const int ne = pixels[y][x + 2];
      const int sw = pixels[y + 2][x];
      const int se = pixels[y + 2][x + 2];
      gx = ne - nw + se - sw + 2 * (pixels[y + 1][x + 2] - pixels[y + 1][x]);
      gy = sw - nw + se - ne + 2 * (pixels[y + 2][x + 1] - pixels[y][x + 1]);
    }
    gradients[y][x] =
        make_short2(static_cast<short>(gx), static_cast<short>(gy));
  }
  __syncthreads();
  const int x = left + threadIdx.x;
  const int y = top + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  const auto length = [&](int dx, int dy) {
    const short2 g = gradients[threadIdx.y + 1 + dy][threadIdx.x + 1 + dx];
    return abs(g.x) + abs(g.y);
  };
  const int magnitude = length(0, 0);
  unsigned char mark = 0;
  if (magnitude > low) {
    // tan(22.5 degrees) in units of 2^-15.
    constexpr int kTangent = 13573;
    const short2 g = gradients[threadIdx.y + 1][threadIdx.x + 1];
    const int ax = abs(g.x);
    const int ay = abs(g.y) << 15;
    const int slope = ax * kTangent;
    int before;
    int after;
    if (ay < slope) {
      before = length(-1, 0);
      after = length(1, 0);
    } else if (ay > slope + (ax << 16)) {
      before = length(0, -1);
      after = length(0, 1);
    } else {
      const int side = (g.x ^ g.y) < 0 ? -1 : 1;
      before = length(-side, -1);
      after = length(side, 1);
    }
    if (magnitude > before && magnitude >= after) {
      mark = magnitude > high ? 2 : 1;
    }
  }
  marks[y * width + x] = mark;
}

// Makes weak pixels beside strong ones strong, as far as a tile reaches.
__global__ void Hysteresis(const unsigned char* __restrict__ in,
                           unsigned char* __restrict__ out, int width,
                           int height, int* changed) {
  __shared__ unsigned char marks[kBlockY + 2][kBlockX + 2];
  const int left = blockIdx.x * kBlockX - 1;
  const int top = blockIdx.y * kBlockY - 1;
  for (int y = threadIdx.y; y < kBlockY + 2; y += kBlockY) {
    for (int x = threadIdx.x; x < kBlockX + 2; x += kBlockX) {
      const bool inside = left + x >= 0 && left + x < width && top + y >= 0 &&
                          top + y < height;
      marks[y][x] = inside ? in[(top + y) * width + left + x] : 0;
    }
  }
  __syncthreads();
  const int tx = threadIdx.x + 1;
  const int ty = threadIdx.y + 1;
  bool any = false;
  bool mine;
  do {
    mine = false;
    if (marks[ty][tx] == 1) {
#pragma unroll
      for (int i = 0; i < 9; ++i) {
        mine |= marks[ty + i / 3 - 1][tx + i % 3 - 1] == 2;
      }
    }
    __syncthreads();
    if (mine) {
      marks[ty][tx] = 2;
    }
    any |= mine;
  } while (__syncthreads_or(mine));
  const int x = left + tx;
  const int y = top + ty;
  if (x < width && y < height) {
    out[y * width + x] = marks[ty][tx];
    if (any) {
      atomicOr(changed, 1);
    }
  }
}

namespace {

// Computes Keys' kernel at a distance below two.
__device__ __forceinline__ float Cubic(float distance, float a) {
  const float d = fabsf(distance);
  if (d <= 1.0f) {
    return ((a + 2.0f) * d - (a + 3.0f)) * d * d + 1.0f;
  }
  return ((a * d - 5.0f * a) * d + 8.0f * a) * d - 4.0f * a;
}

__device__ __forceinline__ void Accumulate(float4& sum, float w, uchar4 p) {
  sum.x = fmaf(w, p.x, sum.x);
  sum.y = fmaf(w, p.y, sum.y);
  sum.z = fmaf(w, p.z, sum.z);
  sum.w = fmaf(w, p.w, sum.w);
}

}  // namespace

// A thread makes kPixels pixels of a row, a block's width apart.
template <int kPixels>
__global__ void Bicubic(const uchar4* __restrict__ in, int in_width,
                        int in_height, uchar4* __restrict__ out, int out_width,
                        int out_height, float2 scale, float a) {
  const int x0 = blockIdx.x * blockDim.x * kPixels + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x0 >= out_width || y >= out_height) {
    return;
  }
  int columns[kPixels][4];
  float across[kPixels][4];
  float4 sums[kPixels] = {};
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    const float sx = (x0 + p * blockDim.x + 0.5f) * scale.x - 0.5f;
    const int first = __float2int_rd(sx) - 1;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      columns[p][i] = Clamp(first + i, 0, in_width - 1);
      across[p][i] = Cubic(sx - (first + i), a);
    }
  }
  const float sy = (y + 0.5f) * scale.y - 0.5f;
  const int top = __float2int_rd(sy) - 1;
#pragma unroll 1
  for (int j = top; j < top + 4; ++j) {
    const uchar4* line =
        in + static_cast<size_t>(Clamp(j, 0, in_height - 1)) * in_width;
    const float down = Cubic(sy - j, a);
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        Accumulate(sums[p], down * across[p][i], line[columns[p][i]]);
      }
    }
  }
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    const int x = x0 + p * blockDim.x;
    if (x < out_width) {
      out[y * out_width + x] =
          make_uchar4(ToByte(sums[p].x), ToByte(sums[p].y), ToByte(sums[p].z),
                      ToByte(sums[p].w));
    }
  }
}

template __global__ void Bicubic<2>(const uchar4*, int, int, uchar4*, int, int,
                                    float2, float);

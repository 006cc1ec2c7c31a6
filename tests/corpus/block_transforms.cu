// Cosine transforms of blocks of eight by eight pixels: a forward one by eight
// threads with quantization, an inverse one by two threads in registers.
#include <cuda_runtime.h>

namespace {

constexpr float kC1 = 0.98078528040323044913f;
constexpr float kC2 = 0.92387953251128675613f;
constexpr float kC3 = 0.83146961230254523708f;
constexpr float kC4 = 0.70710678118654752440f;
constexpr float kC5 = 0.55557023301960222474f;
constexpr float kC6 = 0.38268343236508977173f;
constexpr float kC7 = 0.19509032201612826785f;

// The place in a block of each entry of the stream.
struct Zigzag {
  unsigned char at[64];
  constexpr Zigzag() : at() {
    int x = 0;
    int y = 0;
    for (int i = 0; i < 64; ++i) {
      at[i] = static_cast<unsigned char>(8 * y + x);
      if ((x + y) % 2 == 0) {
        if (x == 7) {
          ++y;
        } else {
          ++x;
          y -= y > 0;
        }
      } else if (y == 7) {
        ++x;
      } else {
        ++y;
        x -= x > 0;
      }
    }
  }
};
__constant__ constexpr Zigzag kZigzag;

__device__ __forceinline__ unsigned char ToByte(float v) {
  return static_cast<unsigned char>(fminf(fmaxf(v, 0.0f), 255.0f) + 0.5f);
}

__device__ __forceinline__ void Forward8(float (&v)[8]) {
  const float a0 = v[0] + v[7];
  const float a1 = v[1] + v[6];
  const float a2 = v[2] + v[5];
  const float a3 = v[3] + v[4];
  const float b0 = v[0] - v[7];
  const float b1 = v[1] - v[6];
  const float b2 = v[2] - v[5];
  const float b3 = v[3] - v[4];
  v[0] = 0.5f * kC4 * (a0 + a3 + (a1 + a2));
  v[4] = 0.5f * kC4 * (a0 + a3 - (a1 + a2));
  v[2] = 0.5f * (kC2 * (a0 - a3) + kC6 * (a1 - a2));
  v[6] = 0.5f * (kC6 * (a0 - a3) - kC2 * (a1 - a2));
  v[1] = 0.5f * (kC1 * b0 + kC3 * b1 + kC5 * b2 + kC7 * b3);
  v[3] = 0.5f * (kC3 * b0 - kC7 * b1 - kC1 * b2 - kC5 * b3);
  v[5] = 0.5f * (kC5 * b0 - kC1 * b1 + kC7 * b2 + kC3 * b3);
  v[7] = 0.5f * (kC7 * b0 - kC5 * b1 + kC3 * b2 - kC1 * b3);
}

template <int kStep>
__device__ __forceinline__ void Inverse8(float* v) {
  const float e0 = kC4 * (v[0] + v[4 * kStep]);
  const float e1 = kC4 * (v[0] - v[4 * kStep]);
  const float e2 = kC2 * v[2 * kStep] + kC6 * v[6 * kStep];
  const float e3 = kC6 * v[2 * kStep] - kC2 * v[6 * kStep];
  const float x1 = v[kStep];
  const float x3 = v[3 * kStep];
  const float x5 = v[5 * kStep];
  const float x7 = v[7 * kStep];
  const float o0 = kC1 * x1 + kC3 * x3 + kC5 * x5 + kC7 * x7;
  const float o1 = kC3 * x1 - kC7 * x3 - kC1 * x5 - kC5 * x7;
  const float o2 = kC5 * x1 - kC1 * x3 + kC7 * x5 + kC3 * x7;
  const float o3 = kC7 * x1 - kC5 * x3 + kC3 * x5 - kC1 * x7;
  v[0] = 0.5f * (e0 + e2 + o0);
  v[7 * kStep] = 0.5f * (e0 + e2 - o0);
  v[kStep] = 0.5f * (e1 + e3 + o1);
  v[6 * kStep] = 0.5f * (e1 + e3 - o1);
  v[2 * kStep] = 0.5f * (e1 - e3 + o2);
  v[5 * kStep] = 0.5f * (e1 - e3 - o2);
  v[3 * kStep] = 0.5f * (e0 - e2 + o3);
  v[4 * kStep] = 0.5f * (e0 - e2 - o3);
}

}  // namespace

__constant__ float reciprocals[64];

// Eight threads transform a block: first its rows, then its columns.
__global__ void __launch_bounds__(64)
    DctQuantize(const unsigned char* __restrict__ image, int width, int height,
                int blocks_across, short* __restrict__ levels) {
  __shared__ float cells[8][8][9];
  __shared__ short stream[8][64];
  const int group = threadIdx.x / 8;
  const int lane = threadIdx.x % 8;
  const int block = blockIdx.x * 8 + group;
  const int row = blockIdx.y;
  const bool active = block < blocks_across;
  if (active) {
    const int y = min(row * 8 + lane, height - 1);
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int x = min(block * 8 + i, width - 1);
      v[i] = static_cast<float>(image[y * width + x]) - 128.0f;
    }
    Forward8(v);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      cells[group][lane][i] = v[i];
    }
  }
  __syncthreads();
  if (active) {
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      v[i] = cells[group][i][lane];
    }
    Forward8(v);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int at = 8 * i + lane;
      stream[group][at] =
          static_cast<short>(__float2int_rn(v[i] * reciprocals[at]));
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x) {
    const int to = blockIdx.x * 8 + i / 64;
    if (to < blocks_across) {
      levels[(row * blocks_across + to) * 64 + i % 64] =
          stream[i / 64][kZigzag.at[i % 64]];
    }
  }
}

// Two threads restore a block in registers. A thread has four columns, and
// after an exchange four rows. The pitch is a multiple of eight.
__global__ void __launch_bounds__(64)
    DctRestore(const short* __restrict__ levels,
               const unsigned short* __restrict__ steps, int blocks_across,
               int blocks, unsigned char* __restrict__ image, int pitch,
               int height) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = thread & 1;
  const int block = min(thread >> 1, blocks - 1);
  const short4* mine = reinterpret_cast<const short4*>(levels + block * 64);
  const ushort4* scales = reinterpret_cast<const ushort4*>(steps);
  float v[32];
#pragma unroll
  for (int y = 0; y < 8; ++y) {
    const short4 level = mine[2 * y + half];
    const ushort4 scale = scales[2 * y + half];
    v[4 * y] = static_cast<float>(level.x * scale.x);
    v[4 * y + 1] = static_cast<float>(level.y * scale.y);
    v[4 * y + 2] = static_cast<float>(level.z * scale.z);
    v[4 * y + 3] = static_cast<float>(level.w * scale.w);
  }
#pragma unroll
  for (int x = 0; x < 4; ++x) {
    Inverse8<4>(v + x);
  }
  float rows[32];
#pragma unroll
  for (int y = 0; y < 4; ++y) {
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const float top = v[4 * y + x];
      const float bottom = v[4 * (y + 4) + x];
      const float other =
          __shfl_xor_sync(0xffffffffu, half ? top : bottom, 1);
      rows[8 * y + x] = half ? other : top;
      rows[8 * y + x + 4] = half ? bottom : other;
    }
  }
  if (thread >> 1 >= blocks) {
    return;
  }
  const int x = block % blocks_across * 8;
  const int y = block / blocks_across * 8 + 4 * half;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    Inverse8<1>(rows + 8 * i);
    if (y + i < height) {
      uchar4* to = reinterpret_cast<uchar4*>(image + (y + i) * pitch + x);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const float* four = rows + 8 * i + 4 * j;
        to[j] = make_uchar4(ToByte(four[0] + 128.0f), ToByte(four[1] + 128.0f),
                            ToByte(four[2] + 128.0f), ToByte(four[3] + 128.0f));
      }
    }
  }
}

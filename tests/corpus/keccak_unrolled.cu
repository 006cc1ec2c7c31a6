// Keccak-f[1600] with all 24 rounds unrolled by templates, so that one function
// has well over ten thousand instructions; SHA3-256 and a two-lane SHAKE.
#include <cuda_runtime.h>

namespace {

struct State {
  unsigned long long a[25];
};

constexpr unsigned long long RoundConstant(int round) {
  unsigned lfsr = 1;
  for (int i = 0; i < round * 7; ++i) {
    lfsr = lfsr << 1 ^ (lfsr & 0x80 ? 0x171 : 0);
  }
  unsigned long long value = 0;
  for (int j = 0; j <= 6; ++j) {
    if (lfsr & 1) {
      value |= 1ull << ((1 << j) - 1);
    }
    lfsr = lfsr << 1 ^ (lfsr & 0x80 ? 0x171 : 0);
  }
  return value;
}

constexpr int RotationOf(int x, int y) {
  int cx = 1;
  int cy = 0;
  for (int t = 0; t < 24; ++t) {
    if (cx == x && cy == y) {
      return (t + 1) * (t + 2) / 2 % 64;
    }
    const int next = (2 * cx + 3 * cy) % 5;
    cx = cy;
    cy = next;
  }
  return 0;
}

template <int kBy>
__device__ __forceinline__ unsigned long long Rotate(unsigned long long v) {
  if constexpr (kBy == 0) {
    return v;
  } else {
    return v << kBy | v >> (64 - kBy);
  }
}

template <int kIndex>
__device__ __forceinline__ void RhoPi(const State& from,
                                      const unsigned long long (&d)[5],
                                      State& to) {
  if constexpr (kIndex < 25) {
    constexpr int kX = kIndex % 5;
    constexpr int kY = kIndex / 5;
    to.a[kY + 5 * ((2 * kX + 3 * kY) % 5)] =
        Rotate<RotationOf(kX, kY)>(from.a[kIndex] ^ d[kX]);
    RhoPi<kIndex + 1>(from, d, to);
  }
}

template <int kRound>
__device__ __forceinline__ void Rounds(State& s) {
  if constexpr (kRound < 24) {
    unsigned long long c[5];
    unsigned long long d[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      c[x] = s.a[x] ^ s.a[x + 5] ^ s.a[x + 10] ^ s.a[x + 15] ^ s.a[x + 20];
    }
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      d[x] = c[(x + 4) % 5] ^ Rotate<1>(c[(x + 1) % 5]);
    }
    State t;
    RhoPi<0>(s, d, t);
#pragma unroll
    for (int i = 0; i < 25; ++i) {
      const int row = i / 5 * 5;
      s.a[i] = t.a[i] ^ (~t.a[row + (i + 1) % 5] & t.a[row + (i + 2) % 5]);
    }
    constexpr unsigned long long kConstant = RoundConstant(kRound);
    s.a[0] ^= kConstant;
    Rounds<kRound + 1>(s);
  }
}

}  // namespace

extern "C" __global__ void Sha3Twice(const unsigned long long* in,
                                     unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s{};
#pragma unroll
  for (int j = 0; j < 17; ++j) {
    s.a[j] = in[i * 17 + j];
  }
  Rounds<0>(s);
  State again{};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    again.a[j] = s.a[j];
  }
  again.a[4] = 0x06;
  again.a[16] = 1ull << 63;
  Rounds<0>(again);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    out[i * 4 + j] = again.a[j];
  }
}

extern "C" __global__ void __launch_bounds__(128, 4)
    Shake(const unsigned long long* in, unsigned long long* out, int blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s{};
#pragma unroll
  for (int j = 0; j < 21; ++j) {
    s.a[j] = in[i * 21 + j];
  }
  for (int b = 0; b < blocks; ++b) {
    Rounds<0>(s);
#pragma unroll
    for (int j = 0; j < 21; ++j) {
      out[(i * blocks + b) * 21 + j] = s.a[j];
    }
  }
}

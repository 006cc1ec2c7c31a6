// SHA-256: the compression function unrolled over 64 rounds, a double hash that
// hunts for a nonce, and the same rounds as a loop over a constant table.
#include <cuda_runtime.h>

namespace {

__constant__ unsigned round_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ constexpr unsigned kStart[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                           0xa54ff53a, 0x510e527f, 0x9b05688c,
                                           0x1f83d9ab, 0x5be0cd19};

__device__ unsigned Rotate(unsigned x, int by) {
  return __funnelshift_r(x, x, by);
}

template <bool kUnroll>
__device__ void Compress(unsigned (&state)[8], unsigned (&w)[16]) {
  unsigned a = state[0], b = state[1], c = state[2], d = state[3];
  unsigned e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll(kUnroll ? 64 : 1)
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) {
      const unsigned w15 = w[(i + 1) & 15];
      const unsigned w2 = w[(i + 14) & 15];
      const unsigned s0 = Rotate(w15, 7) ^ Rotate(w15, 18) ^ (w15 >> 3);
      const unsigned s1 = Rotate(w2, 17) ^ Rotate(w2, 19) ^ (w2 >> 10);
      w[i & 15] += s0 + w[(i + 9) & 15] + s1;
    }
    const unsigned s1 = Rotate(e, 6) ^ Rotate(e, 11) ^ Rotate(e, 25);
    const unsigned t1 =
        h + s1 + ((e & f) ^ (~e & g)) + round_words[i] + w[i & 15];
    const unsigned s0 = Rotate(a, 2) ^ Rotate(a, 13) ^ Rotate(a, 22);
    const unsigned t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

__device__ unsigned Swap(unsigned x) { return __byte_perm(x, 0, 0x0123); }

}  // namespace

extern "C" __global__ void HashBlocks(const uint4* messages, int blocks,
                                      unsigned* digests) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state[8];
  for (int j = 0; j < 8; ++j) {
    state[j] = kStart[j];
  }
  for (int b = 0; b < blocks; ++b) {
    unsigned w[16];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint4 v = messages[(i * blocks + b) * 4 + j];
      w[4 * j + 0] = Swap(v.x);
      w[4 * j + 1] = Swap(v.y);
      w[4 * j + 2] = Swap(v.z);
      w[4 * j + 3] = Swap(v.w);
    }
    Compress<true>(state, w);
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    digests[i * 8 + j] = Swap(state[j]);
  }
}

extern "C" __global__ void FindNonce(const unsigned* midstate,
                                     const unsigned* tail, unsigned first,
                                     unsigned target, unsigned* found) {
  const unsigned nonce = first + blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state[8];
  unsigned w[16] = {tail[0], tail[1], tail[2], nonce, 0x80000000u};
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    state[j] = midstate[j];
  }
  w[15] = 640;
  Compress<true>(state, w);
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    w[j] = state[j];
    state[j] = kStart[j];
  }
  w[8] = 0x80000000u;
#pragma unroll
  for (int j = 9; j < 15; ++j) {
    w[j] = 0;
  }
  w[15] = 256;
  Compress<true>(state, w);
  if (Swap(state[7]) <= target) {
    atomicMin(found, nonce);
  }
}

extern "C" __global__ void HashLoop(const unsigned* messages,
                                    unsigned* digests) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state[8];
  unsigned w[16];
  for (int j = 0; j < 8; ++j) {
    state[j] = kStart[j];
  }
  for (int j = 0; j < 16; ++j) {
    w[j] = messages[i * 16 + j];
  }
  Compress<false>(state, w);
  for (int j = 0; j < 8; ++j) {
    digests[i * 8 + j] = state[j];
  }
}

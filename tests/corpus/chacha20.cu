// ChaCha20 in counter mode, Salsa-like words held in registers, and Poly1305
// with 26-bit limbs.
#include <cuda_runtime.h>

namespace {

__device__ void QuarterRound(unsigned& a, unsigned& b, unsigned& c,
                             unsigned& d) {
  a += b;
  d = __byte_perm(d ^ a, 0, 0x1032);
  c += d;
  b = __funnelshift_l(b ^ c, b ^ c, 12);
  a += b;
  d = __byte_perm(d ^ a, 0, 0x2103);
  c += d;
  b = __funnelshift_l(b ^ c, b ^ c, 7);
}

struct Key {
  unsigned words[8];
  unsigned nonce[3];
};

}  // namespace

extern "C" __global__ void Encrypt(Key key, unsigned counter, const uint4* in,
                                   uint4* out, int blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks) {
    return;
  }
  const unsigned start[16] = {
      0x61707865u,  0x3320646eu,  0x79622d32u,  0x6b206574u,
      key.words[0], key.words[1], key.words[2], key.words[3],
      key.words[4], key.words[5], key.words[6], key.words[7],
      counter + i,  key.nonce[0], key.nonce[1], key.nonce[2]};
  unsigned x[16];
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    x[j] = start[j];
  }
#pragma unroll 2
  for (int round = 0; round < 10; ++round) {
    QuarterRound(x[0], x[4], x[8], x[12]);
    QuarterRound(x[1], x[5], x[9], x[13]);
    QuarterRound(x[2], x[6], x[10], x[14]);
    QuarterRound(x[3], x[7], x[11], x[15]);
    QuarterRound(x[0], x[5], x[10], x[15]);
    QuarterRound(x[1], x[6], x[11], x[12]);
    QuarterRound(x[2], x[7], x[8], x[13]);
    QuarterRound(x[3], x[4], x[9], x[14]);
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    uint4 v = in[i * 4 + j];
    v.x ^= x[4 * j + 0] + start[4 * j + 0];
    v.y ^= x[4 * j + 1] + start[4 * j + 1];
    v.z ^= x[4 * j + 2] + start[4 * j + 2];
    v.w ^= x[4 * j + 3] + start[4 * j + 3];
    out[i * 4 + j] = v;
  }
}

extern "C" __global__ void Poly1305(const unsigned char* messages, int blocks,
                                    const unsigned* keys, unsigned* tags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = 0x3ffffff;
  const unsigned* k = keys + i * 8;
  const unsigned r[5] = {k[0] & 0x3ffffff, (k[0] >> 26 | k[1] << 6) & 0x3ffff03,
                         (k[1] >> 20 | k[2] << 12) & 0x3ffc0ff,
                         (k[2] >> 14 | k[3] << 18) & 0x3f03fff,
                         (k[3] >> 8) & 0x00fffff};
  unsigned h[5] = {};
  const unsigned char* m = messages + static_cast<size_t>(i) * blocks * 16;
  for (int b = 0; b < blocks; ++b, m += 16) {
    unsigned w[4];
    for (int j = 0; j < 4; ++j) {
      w[j] = m[4 * j] | m[4 * j + 1] << 8 | m[4 * j + 2] << 16 |
             static_cast<unsigned>(m[4 * j + 3]) << 24;
    }
    h[0] += w[0] & mask;
    h[1] += (w[0] >> 26 | w[1] << 6) & mask;
    h[2] += (w[1] >> 20 | w[2] << 12) & mask;
    h[3] += (w[2] >> 14 | w[3] << 18) & mask;
    h[4] += w[3] >> 8 | 1u << 24;
    unsigned long long d[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      d[x] = 0;
#pragma unroll
      for (int y = 0; y < 5; ++y) {
        const unsigned factor = y <= x ? r[x - y] : 5 * r[5 + x - y];
        d[x] += static_cast<unsigned long long>(h[y]) * factor;
      }
    }
    unsigned long long carry = 0;
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      d[x] += carry;
      h[x] = static_cast<unsigned>(d[x]) & mask;
      carry = d[x] >> 26;
    }
    h[0] += static_cast<unsigned>(carry) * 5;
    h[1] += h[0] >> 26;
    h[0] &= mask;
  }
  unsigned long long f =
      (h[0] | h[1] << 26) + static_cast<unsigned long long>(k[4]);
  tags[i * 4 + 0] = static_cast<unsigned>(f);
  f = (h[1] >> 6 | h[2] << 20) + (f >> 32) + k[5];
  tags[i * 4 + 1] = static_cast<unsigned>(f);
  f = (h[2] >> 12 | h[3] << 14) + (f >> 32) + k[6];
  tags[i * 4 + 2] = static_cast<unsigned>(f);
  f = (h[3] >> 18 | h[4] << 8) + (f >> 32) + k[7];
  tags[i * 4 + 3] = static_cast<unsigned>(f);
}

// AES-128 by tables: four T-tables made at compile time, in constant memory for
// one kernel and staged in shared memory for the other, and key expansion.
#include <cuda_runtime.h>

namespace {

struct Tables {
  unsigned t0[256];
  unsigned char box[256];
};

constexpr unsigned char Times2(unsigned char x) {
  return static_cast<unsigned char>(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

constexpr Tables MakeTables() {
  Tables tables{};
  unsigned char p = 1;
  unsigned char q = 1;
  do {
    p = static_cast<unsigned char>(p ^ Times2(p));
    q ^= static_cast<unsigned char>(q << 1);
    q ^= static_cast<unsigned char>(q << 2);
    q ^= static_cast<unsigned char>(q << 4);
    if (q & 0x80) {
      q ^= 0x09;
    }
    unsigned char x = q;
    for (int i = 1; i <= 4; ++i) {
      x ^= static_cast<unsigned char>(q << i | q >> (8 - i));
    }
    tables.box[p] = x ^ 0x63;
  } while (p != 1);
  tables.box[0] = 0x63;
  for (int i = 0; i < 256; ++i) {
    const unsigned char s = tables.box[i];
    const unsigned char s2 = Times2(s);
    tables.t0[i] = s2 | static_cast<unsigned>(s) << 8 |
                   static_cast<unsigned>(s) << 16 |
                   static_cast<unsigned>(s2 ^ s) << 24;
  }
  return tables;
}

__constant__ Tables tables = MakeTables();
__device__ const Tables global_tables = MakeTables();

__device__ unsigned RotateLeft(unsigned x, int by) {
  return __funnelshift_l(x, x, by);
}

template <typename Table>
__device__ unsigned Column(const Table& t, unsigned a, unsigned b, unsigned c,
                           unsigned d, unsigned key) {
  return t[a & 255] ^ RotateLeft(t[b >> 8 & 255], 8) ^
         RotateLeft(t[c >> 16 & 255], 16) ^ RotateLeft(t[d >> 24], 24) ^ key;
}

__device__ unsigned Last(const unsigned char* box, unsigned a, unsigned b,
                         unsigned c, unsigned d, unsigned key) {
  return (box[a & 255] | static_cast<unsigned>(box[b >> 8 & 255]) << 8 |
          static_cast<unsigned>(box[c >> 16 & 255]) << 16 |
          static_cast<unsigned>(box[d >> 24]) << 24) ^
         key;
}

}  // namespace

extern "C" __global__ void EncryptConstant(const uint4* keys, const uint4* in,
                                           uint4* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  uint4 k = keys[0];
  uint4 s = in[i];
  s = make_uint4(s.x ^ k.x, s.y ^ k.y, s.z ^ k.z, s.w ^ k.w);
  for (int round = 1; round < 10; ++round) {
    k = keys[round];
    s = make_uint4(Column(tables.t0, s.x, s.y, s.z, s.w, k.x),
                   Column(tables.t0, s.y, s.z, s.w, s.x, k.y),
                   Column(tables.t0, s.z, s.w, s.x, s.y, k.z),
                   Column(tables.t0, s.w, s.x, s.y, s.z, k.w));
  }
  k = keys[10];
  out[i] = make_uint4(Last(tables.box, s.x, s.y, s.z, s.w, k.x),
                      Last(tables.box, s.y, s.z, s.w, s.x, k.y),
                      Last(tables.box, s.z, s.w, s.x, s.y, k.z),
                      Last(tables.box, s.w, s.x, s.y, s.z, k.w));
}

extern "C" __global__ void __launch_bounds__(256)
    CounterMode(const uint4* __restrict__ keys, uint4 counter,
                const uint4* __restrict__ in, uint4* __restrict__ out) {
  __shared__ unsigned t0[256];
  __shared__ unsigned char box[256];
  t0[threadIdx.x] = global_tables.t0[threadIdx.x];
  box[threadIdx.x] = global_tables.box[threadIdx.x];
  __syncthreads();
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  uint4 s = counter;
  s.w = __byte_perm(__byte_perm(s.w, 0, 0x0123) + i, 0, 0x0123);
  uint4 k = keys[0];
  s = make_uint4(s.x ^ k.x, s.y ^ k.y, s.z ^ k.z, s.w ^ k.w);
#pragma unroll
  for (int round = 1; round < 10; ++round) {
    k = keys[round];
    s = make_uint4(Column(t0, s.x, s.y, s.z, s.w, k.x),
                   Column(t0, s.y, s.z, s.w, s.x, k.y),
                   Column(t0, s.z, s.w, s.x, s.y, k.z),
                   Column(t0, s.w, s.x, s.y, s.z, k.w));
  }
  k = keys[10];
  const uint4 m = in[i];
  out[i] = make_uint4(m.x ^ Last(box, s.x, s.y, s.z, s.w, k.x),
                      m.y ^ Last(box, s.y, s.z, s.w, s.x, k.y),
                      m.z ^ Last(box, s.z, s.w, s.x, s.y, k.z),
                      m.w ^ Last(box, s.w, s.x, s.y, s.z, k.w));
}

extern "C" __global__ void ExpandKeys(const uint4* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned w[4] = {in[i].x, in[i].y, in[i].z, in[i].w};
  unsigned char constant = 1;
  for (int round = 0; round <= 10; ++round) {
    for (int j = 0; j < 4; ++j) {
      out[(i * 11 + round) * 4 + j] = w[j];
    }
    const unsigned t = RotateLeft(w[3], 24);
    w[0] ^= Last(tables.box, t, t, t, t, constant);
    w[1] ^= w[0];
    w[2] ^= w[1];
    w[3] ^= w[2];
    constant = Times2(constant);
  }
}

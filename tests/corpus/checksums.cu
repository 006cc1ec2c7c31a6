// Checksums and hashes of bytes: CRC-32 by slices and by combination, xxHash64,
// MurmurHash3, SipHash, Adler-32, and a hash table with open addressing.
#include <cuda_runtime.h>

namespace {

struct CrcTables {
  unsigned slices[4][256];
};

constexpr CrcTables MakeCrc() {
  CrcTables t{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    t.slices[0][i] = crc;
  }
  for (unsigned i = 0; i < 256; ++i) {
    for (int s = 1; s < 4; ++s) {
      const unsigned last = t.slices[s - 1][i];
      t.slices[s][i] = last >> 8 ^ t.slices[0][last & 255];
    }
  }
  return t;
}

__constant__ CrcTables crc = MakeCrc();

constexpr unsigned long long kPrime1 = 0x9e3779b185ebca87ull;
constexpr unsigned long long kPrime2 = 0xc2b2ae3d27d4eb4full;
constexpr unsigned long long kPrime3 = 0x165667b19e3779f9ull;
constexpr unsigned long long kPrime4 = 0x85ebca77c2b2ae63ull;
constexpr unsigned long long kPrime5 = 0x27d4eb2f165667c5ull;

__device__ unsigned long long Rotate(unsigned long long x, int by) {
  return x << by | x >> (64 - by);
}

__device__ unsigned long long XxRound(unsigned long long sum,
                                      unsigned long long in) {
  return Rotate(sum + in * kPrime2, 31) * kPrime1;
}

}  // namespace

extern "C" __global__ void Crc32(const unsigned* data, int words,
                                 unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = ~0u;
  for (int w = 0; w < words; ++w) {
    sum ^= data[w * gridDim.x * blockDim.x + i];
    sum = crc.slices[3][sum & 255] ^ crc.slices[2][sum >> 8 & 255] ^
          crc.slices[1][sum >> 16 & 255] ^ crc.slices[0][sum >> 24];
  }
  out[i] = ~sum;
}

__device__ unsigned CrcProduct(unsigned a, unsigned b) {
  unsigned product = 0;
  for (unsigned m = 0x80000000u; m != 0; m >>= 1) {
    if (a & m) {
      product ^= b;
    }
    b = b & 1 ? b >> 1 ^ 0xedb88320u : b >> 1;
  }
  return product;
}

// Joins the sums of a warp's pieces of one length: multiplication modulo the
// polynomial, by the power of x that is a piece's length in bits.
extern "C" __global__ void Crc32Join(unsigned* sums, unsigned shift) {
  unsigned a = sums[threadIdx.x];
  for (int step = 1; step < 32; step *= 2) {
    const unsigned next = __shfl_down_sync(0xffffffffu, a, step);
    a = CrcProduct(a, shift) ^ next;
    shift = CrcProduct(shift, shift);
  }
  if (threadIdx.x == 0) {
    sums[0] = a;
  }
}

extern "C" __global__ void XxHash64(const unsigned long long* data, int words,
                                    unsigned long long seed,
                                    unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long* p = data + static_cast<size_t>(i) * words;
  unsigned long long lanes[4] = {seed + kPrime1 + kPrime2, seed + kPrime2, seed,
                                 seed - kPrime1};
  int w = 0;
  for (; w + 4 <= words; w += 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      lanes[j] = XxRound(lanes[j], p[w + j]);
    }
  }
  unsigned long long h = Rotate(lanes[0], 1) + Rotate(lanes[1], 7) +
                         Rotate(lanes[2], 12) + Rotate(lanes[3], 18);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    h = (h ^ XxRound(0, lanes[j])) * kPrime1 + kPrime4;
  }
  h += words * 8ull;
  for (; w < words; ++w) {
    h = Rotate(h ^ XxRound(0, p[w]), 27) * kPrime1 + kPrime4;
  }
  h = (h ^ h >> 33) * kPrime2;
  h = (h ^ h >> 29) * kPrime3;
  out[i] = h ^ h >> 32 ^ (kPrime5 & (words == 0 ? ~0ull : 0ull));
}

extern "C" __global__ void Murmur3(const unsigned char* data, const int* starts,
                                   unsigned seed, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = starts[i];
  const int length = starts[i + 1] - from;
  const unsigned char* p = data + from;
  unsigned h = seed;
  auto mix = [](unsigned k) {
    k *= 0xcc9e2d51u;
    return __funnelshift_l(k, k, 15) * 0x1b873593u;
  };
  for (int n = length / 4; n > 0; --n, p += 4) {
    h ^= mix(p[0] | p[1] << 8 | p[2] << 16 | static_cast<unsigned>(p[3]) << 24);
    h = __funnelshift_l(h, h, 13) * 5 + 0xe6546b64u;
  }
  unsigned tail = 0;
  switch (length & 3) {
    case 3:
      tail ^= p[2] << 16;
      [[fallthrough]];
    case 2:
      tail ^= p[1] << 8;
      [[fallthrough]];
    case 1:
      tail ^= p[0];
      h ^= mix(tail);
  }
  h ^= length;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  out[i] = h ^ h >> 16;
}

extern "C" __global__ void SipHash24(const ulonglong2* keys,
                                     const unsigned long long* messages,
                                     int words, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const ulonglong2 k = keys[i];
  unsigned long long v0 = k.x ^ 0x736f6d6570736575ull;
  unsigned long long v1 = k.y ^ 0x646f72616e646f6dull;
  unsigned long long v2 = k.x ^ 0x6c7967656e657261ull;
  unsigned long long v3 = k.y ^ 0x7465646279746573ull;
  auto round = [&] {
    v0 += v1;
    v1 = Rotate(v1, 13) ^ v0;
    v0 = Rotate(v0, 32);
    v2 += v3;
    v3 = Rotate(v3, 16) ^ v2;
    v0 += v3;
    v3 = Rotate(v3, 21) ^ v0;
    v2 += v1;
    v1 = Rotate(v1, 17) ^ v2;
    v2 = Rotate(v2, 32);
  };
  for (int w = 0; w < words; ++w) {
    const unsigned long long m = messages[i * words + w];
    v3 ^= m;
    round();
    round();
    v0 ^= m;
  }
  v2 ^= 0xff;
  for (int r = 0; r < 4; ++r) {
    round();
  }
  out[i] = v0 ^ v1 ^ v2 ^ v3;
}

extern "C" __global__ void Insert(const unsigned* keys, const unsigned* values,
                                  int count, unsigned long long* slots,
                                  unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const unsigned key = keys[i];
  unsigned at = key * 0x9e3779b1u;
  while (true) {
    at &= mask;
    const unsigned long long fresh =
        static_cast<unsigned long long>(key) << 32 | values[i];
    const unsigned long long old = atomicCAS(&slots[at], ~0ull, fresh);
    if (old == ~0ull) {
      return;
    }
    if (old >> 32 == key) {
      atomicExch(&slots[at], fresh);
      return;
    }
    ++at;
  }
}

extern "C" __global__ void Adler32(const unsigned char* data, int length,
                                   unsigned* out) {
  unsigned a = 1;
  unsigned b = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < length; ++j) {
    a += data[static_cast<size_t>(i) * length + j];
    b += a;
    if ((j & 4095) == 4095) {
      a %= 65521;
      b %= 65521;
    }
  }
  out[i] = b % 65521 << 16 | a % 65521;
}

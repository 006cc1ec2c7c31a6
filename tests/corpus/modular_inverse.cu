// Inverses modulo primes of 256 bits after Euclid, with a carry flag that lives
// between pieces of inline assembly, and Poly1305 by four lanes with products
// of 128 bits.
#include <cuda_runtime.h>

namespace {

using u32 = unsigned;
using u64 = unsigned long long;

struct __align__(16) Field {
  u32 v[8];
};

__device__ __forceinline__ bool IsZero(const Field& a) {
  u32 any = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    any |= a.v[i];
  }
  return any == 0;
}

// ---- The carry flag, one instruction at a time.

__device__ __forceinline__ u32 AddFirst(u32 a, u32 b) {
  u32 r;
  asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ __forceinline__ u32 AddNext(u32 a, u32 b) {
  u32 r;
  asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ __forceinline__ u32 AddLast(u32 a, u32 b) {
  u32 r;
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ __forceinline__ u32 SubFirst(u32 a, u32 b) {
  u32 r;
  asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ __forceinline__ u32 SubNext(u32 a, u32 b) {
  u32 r;
  asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ __forceinline__ u32 SubLast(u32 a, u32 b) {
  u32 r;
  asm volatile("subc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ __forceinline__ void ShiftRight(Field& a, u32 top) {
#pragma unroll
  for (int i = 0; i < 7; ++i) {
    a.v[i] = __funnelshift_r(a.v[i], a.v[i + 1], 1);
  }
  a.v[7] = __funnelshift_r(a.v[7], top, 1);
}

// Returns the carry.
__device__ __forceinline__ u32 AddTo(Field& a, const Field& b) {
  a.v[0] = AddFirst(a.v[0], b.v[0]);
#pragma unroll
  for (int i = 1; i < 8; ++i) {
    a.v[i] = AddNext(a.v[i], b.v[i]);
  }
  return AddLast(0, 0);
}

// Returns all ones for a borrow.
__device__ __forceinline__ u32 SubFrom(Field& a, const Field& b) {
  a.v[0] = SubFirst(a.v[0], b.v[0]);
#pragma unroll
  for (int i = 1; i < 8; ++i) {
    a.v[i] = SubNext(a.v[i], b.v[i]);
  }
  return SubLast(0, 0);
}

__device__ __forceinline__ bool IsOne(const Field& a) {
  u32 any = a.v[0] ^ 1;
#pragma unroll
  for (int i = 1; i < 8; ++i) {
    any |= a.v[i];
  }
  return any == 0;
}

__device__ __forceinline__ bool AtLeast(Field a, const Field& b) {
  return SubFrom(a, b) == 0;
}

// Divides both the number and its factor by two until the number is odd.
__device__ __forceinline__ void MakeOdd(Field& number, Field& factor,
                                        const Field& modulus) {
  while ((number.v[0] & 1) == 0) {
    ShiftRight(number, 0);
    u32 top = 0;
    if (factor.v[0] & 1) {
      top = AddTo(factor, modulus);
    }
    ShiftRight(factor, top);
  }
}

}  // namespace

// The inverse of zero is zero.
__global__ void Invert(const Field* __restrict__ in, int count, Field modulus,
                       Field* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  Field u = in[i];
  if (IsZero(u)) {
    out[i] = u;
    return;
  }
  Field v = modulus;
  Field x = {};
  Field y = {};
  x.v[0] = 1;
  while (!IsOne(u) && !IsOne(v)) {
    MakeOdd(u, x, modulus);
    MakeOdd(v, y, modulus);
    if (AtLeast(u, v)) {
      SubFrom(u, v);
      if (SubFrom(x, y)) {
        AddTo(x, modulus);
      }
    } else {
      SubFrom(v, u);
      if (SubFrom(y, x)) {
        AddTo(y, modulus);
      }
    }
  }
  out[i] = IsOne(u) ? x : y;
}

// ---- Poly1305 with limbs of 44, 44 and 42 bits.

namespace {

using u128 = unsigned __int128;

constexpr u64 kMask44 = (1ull << 44) - 1;
constexpr u64 kMask42 = (1ull << 42) - 1;

struct Limbs {
  u64 a, b, c;
};

__device__ __forceinline__ Limbs Product(const Limbs& h, const Limbs& r) {
  const u64 b20 = r.b * 20;
  const u64 c20 = r.c * 20;
  const u128 d0 = static_cast<u128>(h.a) * r.a + static_cast<u128>(h.b) * c20 +
                  static_cast<u128>(h.c) * b20;
  u128 d1 = static_cast<u128>(h.a) * r.b + static_cast<u128>(h.b) * r.a +
            static_cast<u128>(h.c) * c20;
  u128 d2 = static_cast<u128>(h.a) * r.c + static_cast<u128>(h.b) * r.b +
            static_cast<u128>(h.c) * r.a;
  Limbs out;
  out.a = static_cast<u64>(d0) & kMask44;
  d1 += static_cast<u64>(d0 >> 44);
  out.b = static_cast<u64>(d1) & kMask44;
  d2 += static_cast<u64>(d1 >> 44);
  out.c = static_cast<u64>(d2) & kMask42;
  out.a += static_cast<u64>(d2 >> 42) * 5;
  out.b += out.a >> 44;
  out.a &= kMask44;
  return out;
}

__device__ __forceinline__ void AddBlock(Limbs& h, u64 low, u64 high,
                                         u64 top) {
  h.a += low & kMask44;
  h.b += (low >> 44 | high << 20) & kMask44;
  h.c += high >> 24 | top << 40;
}

}  // namespace

// Four lanes share a message: each takes every fourth block. Messages begin at
// multiples of 16 bytes.
__global__ void Poly1305Lanes(const unsigned char* __restrict__ messages,
                              int stride, const int* __restrict__ lengths,
                              int count, const ulonglong2* __restrict__ keys,
                              ulonglong2* __restrict__ tags) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int message = min(thread / 4, count - 1);
  const int lane = thread % 4;
  const ulonglong2 key = keys[2 * message];
  const u64 r0 = key.x & 0x0ffffffc0fffffffull;
  const u64 r1 = key.y & 0x0ffffffc0ffffffcull;
  Limbs r = {r0 & kMask44, (r0 >> 44 | r1 << 20) & kMask44, r1 >> 24};
  Limbs powers[4];
  powers[0] = r;
#pragma unroll
  for (int i = 1; i < 4; ++i) {
    powers[i] = Product(powers[i - 1], r);
  }
  const int length = lengths[message];
  const int blocks = (length + 15) / 16;
  const unsigned char* text = messages + static_cast<size_t>(message) * stride;
  Limbs h = {};
  int last = blocks - 1;
  for (int i = lane; i < blocks; i += 4) {
    h = Product(h, powers[3]);
    const int left = length - 16 * i;
    if (left >= 16) {
      const ulonglong2 block = reinterpret_cast<const ulonglong2*>(text)[i];
      AddBlock(h, block.x, block.y, 1);
    } else {
      u64 low = 0;
      u64 high = 0;
      for (int j = left; j >= 0; --j) {
        const u64 byte = j == left ? 1 : text[16 * i + j];
        high = high << 8 | low >> 56;
        low = low << 8 | byte;
      }
      AddBlock(h, low, high, 0);
    }
    last = i;
  }
  const int exponent = blocks - last;
  Limbs factor = powers[0];
#pragma unroll
  for (int i = 1; i < 4; ++i) {
    if (exponent == i + 1) {
      factor = powers[i];
    }
  }
  h = Product(h, factor);
#pragma unroll
  for (int step = 1; step < 4; step *= 2) {
    h.a += __shfl_xor_sync(0xffffffffu, h.a, step);
    h.b += __shfl_xor_sync(0xffffffffu, h.b, step);
    h.c += __shfl_xor_sync(0xffffffffu, h.c, step);
  }
  if (lane != 0 || thread / 4 >= count) {
    return;
  }
#pragma unroll
  for (int round = 0; round < 2; ++round) {
    h.b += h.a >> 44;
    h.a &= kMask44;
    h.c += h.b >> 44;
    h.b &= kMask44;
    h.a += (h.c >> 42) * 5;
    h.c &= kMask42;
  }
  h.b += h.a >> 44;
  h.a &= kMask44;
  // Subtracts 2^130 - 5 if that is not negative.
  Limbs g;
  g.a = h.a + 5;
  g.b = h.b + (g.a >> 44);
  g.a &= kMask44;
  g.c = h.c + (g.b >> 44);
  g.b &= kMask44;
  if (g.c >> 42 != 0) {
    g.c &= kMask42;
    h = g;
  }
  const ulonglong2 pad = keys[2 * message + 1];
  const u128 sum = (static_cast<u128>(h.a) | static_cast<u128>(h.b) << 44 |
                    static_cast<u128>(h.c) << 88) +
                   (static_cast<u128>(pad.y) << 64 | pad.x);
  tags[message] = make_ulonglong2(static_cast<u64>(sum),
                                  static_cast<u64>(sum >> 64));
}

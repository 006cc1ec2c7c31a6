// The elliptic curve P-256: Montgomery products by columns of products of 64
// bits in plain C++, passed by value, and square roots.
#include <cuda_runtime.h>

namespace {

using u32 = unsigned;
using u64 = unsigned long long;

struct __align__(16) Field {
  u32 v[8];
};

struct Affine {
  Field x, y;
};

__device__ __forceinline__ bool IsZero(const Field& a) {
  u32 any = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    any |= a.v[i];
  }
  return any == 0;
}

__device__ constexpr u32 kPrime[8] = {0xffffffff, 0xffffffff, 0xffffffff, 0,
                                      0,          0,          1, 0xffffffff};

// A sum of products by columns.
struct Column {
  u64 low = 0;
  u32 high = 0;

  __device__ __forceinline__ void Add(u32 a, u32 b) {
    const u64 p = static_cast<u64>(a) * b;
    low += p;
    high += low < p;
  }
  __device__ __forceinline__ u32 Shift() {
    const u32 out = static_cast<u32>(low);
    low = low >> 32 | static_cast<u64>(high) << 32;
    high = 0;
    return out;
  }
};

__device__ __forceinline__ Field SubtractPrime(const Field& a, u32 high) {
  Field r;
  u64 borrow = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const u64 d = static_cast<u64>(a.v[i]) - kPrime[i] - borrow;
    r.v[i] = static_cast<u32>(d);
    borrow = d >> 63;
  }
  const bool keep = borrow > high;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    r.v[i] = keep ? a.v[i] : r.v[i];
  }
  return r;
}

// a * b / 2^256. The prime is -1 modulo 2^32.
__device__ __noinline__ Field MontMul(Field a, Field b) {
  Column sum;
  u32 m[8];
  Field r;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j <= i; ++j) {
      sum.Add(a.v[j], b.v[i - j]);
      if (j < i && kPrime[i - j] != 0) {
        sum.Add(m[j], kPrime[i - j]);
      }
    }
    m[i] = static_cast<u32>(sum.low);
    sum.Add(m[i], kPrime[0]);
    sum.Shift();
  }
#pragma unroll
  for (int i = 8; i < 15; ++i) {
#pragma unroll
    for (int j = i - 7; j < 8; ++j) {
      sum.Add(a.v[j], b.v[i - j]);
      if (kPrime[i - j] != 0) {
        sum.Add(m[j], kPrime[i - j]);
      }
    }
    r.v[i - 8] = sum.Shift();
  }
  r.v[7] = sum.Shift();
  return SubtractPrime(r, static_cast<u32>(sum.low));
}

__device__ __forceinline__ Field MontAdd(const Field& a, const Field& b) {
  Field r;
  u64 carry = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    carry += static_cast<u64>(a.v[i]) + b.v[i];
    r.v[i] = static_cast<u32>(carry);
    carry >>= 32;
  }
  return SubtractPrime(r, static_cast<u32>(carry));
}

__device__ __forceinline__ Field MontSub(const Field& a, const Field& b) {
  Field r;
  u64 borrow = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const u64 d = static_cast<u64>(a.v[i]) - b.v[i] - borrow;
    r.v[i] = static_cast<u32>(d);
    borrow = d >> 63;
  }
  const u32 mask = 0 - static_cast<u32>(borrow);
  u64 carry = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    carry += static_cast<u64>(r.v[i]) + (kPrime[i] & mask);
    r.v[i] = static_cast<u32>(carry);
    carry >>= 32;
  }
  return r;
}

// x^3 - 3x + b.
__device__ __forceinline__ Field RightSide(const Field& x, const Field& b) {
  const Field cube = MontMul(MontMul(x, x), x);
  return MontAdd(MontSub(cube, MontAdd(MontAdd(x, x), x)), b);
}

}  // namespace

// Says which points are on P-256: y^2 = x^3 - 3x + b. Coordinates are in
// Montgomery's form.
__global__ void OnCurve(const Affine* __restrict__ points, int count, Field b,
                        u32* __restrict__ votes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool on = false;
  if (i < count) {
    const Affine p = points[i];
    on = IsZero(MontSub(MontMul(p.y, p.y), RightSide(p.x, b)));
  }
  const u32 ballot = __ballot_sync(0xffffffffu, on);
  if (threadIdx.x % 32 == 0) {
    votes[i / 32] = ballot;
  }
}

// Finds y for each x by a power of the curve's right side, and negates it where
// the parity of its plain form is not the wanted one. The exponent is
// (prime + 1) / 4. A flag says whether there is such a point.
__global__ void Decompress(const Field* __restrict__ xs,
                           const unsigned char* __restrict__ parities,
                           int count, Field b, Field exponent,
                           Field* __restrict__ ys,
                           unsigned char* __restrict__ valid) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const Field square = RightSide(xs[i], b);
  Field y = square;
  int bit = 255;
  while (bit > 0 && (exponent.v[bit / 32] >> (bit % 32) & 1) == 0) {
    --bit;
  }
  while (--bit >= 0) {
    y = MontMul(y, y);
    if (exponent.v[bit / 32] >> (bit % 32) & 1) {
      y = MontMul(y, square);
    }
  }
  const bool found = IsZero(MontSub(MontMul(y, y), square));
  const Field plain = MontMul(y, Field{{1}});
  if ((plain.v[0] & 1) != parities[i]) {
    y = MontSub(Field{}, y);
  }
  ys[i] = y;
  valid[i] = found;
}

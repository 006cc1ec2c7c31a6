// Big integers: Montgomery products of 256 bits with carry chains, modular
// powers, Barrett reduction of 64 bits, and a number-theoretic transform.
#include <cuda_runtime.h>

namespace {

constexpr int kLimbs = 8;

struct Big {
  unsigned limbs[kLimbs];
};

// secp256k1's field prime, 2^256 - 2^32 - 977.
__constant__ Big modulus = {{0xfffffc2f, 0xfffffffe, 0xffffffff, 0xffffffff,
                             0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}};
constexpr unsigned kInverse = 0xd2253531u;

__device__ __forceinline__ unsigned AddCarry(unsigned a, unsigned b,
                                             unsigned& carry) {
  const unsigned long long s = static_cast<unsigned long long>(a) + b + carry;
  carry = static_cast<unsigned>(s >> 32);
  return static_cast<unsigned>(s);
}

__device__ __forceinline__ unsigned SubBorrow(unsigned a, unsigned b,
                                              unsigned& borrow) {
  const unsigned long long s = static_cast<unsigned long long>(a) - b - borrow;
  borrow = static_cast<unsigned>(s >> 63);
  return static_cast<unsigned>(s);
}

__device__ Big ReduceOnce(const Big& a, unsigned high) {
  Big r;
  unsigned borrow = 0;
#pragma unroll
  for (int i = 0; i < kLimbs; ++i) {
    r.limbs[i] = SubBorrow(a.limbs[i], modulus.limbs[i], borrow);
  }
  const bool keep = borrow > high;
#pragma unroll
  for (int i = 0; i < kLimbs; ++i) {
    r.limbs[i] = keep ? a.limbs[i] : r.limbs[i];
  }
  return r;
}

// a * b / 2^256 modulo the prime.
__device__ __forceinline__ Big Montgomery(const Big& a, const Big& b) {
  unsigned t[kLimbs + 2] = {};
#pragma unroll
  for (int i = 0; i < kLimbs; ++i) {
    unsigned carry = 0;
#pragma unroll
    for (int j = 0; j < kLimbs; ++j) {
      const unsigned long long p =
          static_cast<unsigned long long>(a.limbs[j]) * b.limbs[i] + t[j] +
          carry;
      t[j] = static_cast<unsigned>(p);
      carry = static_cast<unsigned>(p >> 32);
    }
    unsigned c = 0;
    t[kLimbs] = AddCarry(t[kLimbs], carry, c);
    t[kLimbs + 1] = c;
    const unsigned m = t[0] * kInverse;
    carry = 0;
#pragma unroll
    for (int j = 0; j < kLimbs; ++j) {
      const unsigned long long p =
          static_cast<unsigned long long>(m) * modulus.limbs[j] + t[j] + carry;
      if (j > 0) {
        t[j - 1] = static_cast<unsigned>(p);
      }
      carry = static_cast<unsigned>(p >> 32);
    }
    c = 0;
    t[kLimbs - 1] = AddCarry(t[kLimbs], carry, c);
    t[kLimbs] = t[kLimbs + 1] + c;
  }
  Big r;
#pragma unroll
  for (int i = 0; i < kLimbs; ++i) {
    r.limbs[i] = t[i];
  }
  return ReduceOnce(r, t[kLimbs]);
}

// 256 x 256 bits by the hardware's carry flag.
__device__ void Square(const unsigned (&a)[4], unsigned (&r)[8]) {
  asm("mul.lo.u32 %0, %8, %8;\n\t"
      "mul.hi.u32 %1, %8, %8;\n\t"
      "mul.lo.u32 %2, %9, %9;\n\t"
      "mul.hi.u32 %3, %9, %9;\n\t"
      "mul.lo.u32 %4, %10, %10;\n\t"
      "mul.hi.u32 %5, %10, %10;\n\t"
      "mul.lo.u32 %6, %11, %11;\n\t"
      "mul.hi.u32 %7, %11, %11;\n\t"
      "mad.lo.cc.u32 %1, %8, %9, %1;\n\t"
      "madc.hi.cc.u32 %2, %8, %9, %2;\n\t"
      "madc.lo.cc.u32 %3, %9, %10, %3;\n\t"
      "madc.hi.cc.u32 %4, %9, %10, %4;\n\t"
      "madc.lo.cc.u32 %5, %10, %11, %5;\n\t"
      "madc.hi.cc.u32 %6, %10, %11, %6;\n\t"
      "addc.u32 %7, %7, 0;\n\t"
      : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]),
        "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));
}

constexpr unsigned long long kPrime = 0xffffffff00000001ull;

// A product modulo 2^64 - 2^32 + 1.
__device__ unsigned long long MulGoldilocks(unsigned long long a,
                                            unsigned long long b) {
  const unsigned long long low = a * b;
  const unsigned long long high = __umul64hi(a, b);
  const unsigned middle = static_cast<unsigned>(high);
  const unsigned top = static_cast<unsigned>(high >> 32);
  unsigned long long r = low - top;
  if (low < top) {
    r -= 0xffffffffull;
  }
  const unsigned long long add =
      (static_cast<unsigned long long>(middle) << 32) - middle;
  r += add;
  if (r < add) {
    r += 0xffffffffull;
  }
  return r >= kPrime ? r - kPrime : r;
}

}  // namespace

extern "C" __global__ void Products(const Big* a, const Big* b, Big* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Montgomery(a[i], b[i]);
}

extern "C" __global__ void Powers(const Big* bases, Big exponent, Big one,
                                  Big* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Big base = bases[i];
  Big result = one;
  for (int bit = 0; bit < 256; ++bit) {
    if (exponent.limbs[bit / 32] >> (bit % 32) & 1) {
      result = Montgomery(result, base);
    }
    base = Montgomery(base, base);
  }
  out[i] = result;
}

extern "C" __global__ void Squares(const uint4* in, uint4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 v = in[i];
  const unsigned a[4] = {v.x, v.y, v.z, v.w};
  unsigned r[8];
  Square(a, r);
  out[2 * i] = make_uint4(r[0], r[1], r[2], r[3]);
  out[2 * i + 1] = make_uint4(r[4], r[5], r[6], r[7]);
}

extern "C" __global__ void Transform(unsigned long long* data,
                                     const unsigned long long* roots,
                                     int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = (i & ~(half - 1)) * 2 + (i & (half - 1));
  const unsigned long long a = data[at];
  const unsigned long long b =
      MulGoldilocks(data[at + half], roots[i & (half - 1)]);
  unsigned long long sum = a + b;
  if (sum < a || sum >= kPrime) {
    sum -= kPrime;
  }
  data[at] = sum;
  data[at + half] = a >= b ? a - b : a + (kPrime - b);
}

extern "C" __global__ void Barrett(const unsigned long long* in,
                                   unsigned modulus32,
                                   unsigned long long factor, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long v = in[i];
  const unsigned long long q = __umul64hi(v, factor);
  unsigned long long r = v - q * modulus32;
  while (r >= modulus32) {
    r -= modulus32;
  }
  out[i] = static_cast<unsigned>(r);
}

// The elliptic curve secp256k1: carry chains in inline assembly, operands
// behind pointers, sums of buckets and multiplication by signed windows.
#include <cuda_runtime.h>

namespace {

using u32 = unsigned;
using u64 = unsigned long long;

struct __align__(16) Field {
  u32 v[8];
};

struct Jacobian {
  Field x, y, z;
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

// ---- The field of secp256k1: integers modulo 2^256 - 2^32 - 977.

__device__ __forceinline__ Field Add(const Field& a, const Field& b) {
  Field r;
  asm("{\n\t"
      ".reg .u32 s<8>, c;\n\t"
      ".reg .pred p;\n\t"
      "add.cc.u32 s0, %8, %16;\n\t"
      "addc.cc.u32 s1, %9, %17;\n\t"
      "addc.cc.u32 s2, %10, %18;\n\t"
      "addc.cc.u32 s3, %11, %19;\n\t"
      "addc.cc.u32 s4, %12, %20;\n\t"
      "addc.cc.u32 s5, %13, %21;\n\t"
      "addc.cc.u32 s6, %14, %22;\n\t"
      "addc.cc.u32 s7, %15, %23;\n\t"
      "addc.u32 c, 0, 0;\n\t"
      "sub.cc.u32 %0, s0, 0xfffffc2f;\n\t"
      "subc.cc.u32 %1, s1, 0xfffffffe;\n\t"
      "subc.cc.u32 %2, s2, 0xffffffff;\n\t"
      "subc.cc.u32 %3, s3, 0xffffffff;\n\t"
      "subc.cc.u32 %4, s4, 0xffffffff;\n\t"
      "subc.cc.u32 %5, s5, 0xffffffff;\n\t"
      "subc.cc.u32 %6, s6, 0xffffffff;\n\t"
      "subc.cc.u32 %7, s7, 0xffffffff;\n\t"
      "subc.u32 c, c, 0;\n\t"
      "setp.ne.u32 p, c, 0;\n\t"
      "@p mov.u32 %0, s0;\n\t"
      "@p mov.u32 %1, s1;\n\t"
      "@p mov.u32 %2, s2;\n\t"
      "@p mov.u32 %3, s3;\n\t"
      "@p mov.u32 %4, s4;\n\t"
      "@p mov.u32 %5, s5;\n\t"
      "@p mov.u32 %6, s6;\n\t"
      "@p mov.u32 %7, s7;\n\t"
      "}"
      : "=&r"(r.v[0]), "=&r"(r.v[1]), "=&r"(r.v[2]), "=&r"(r.v[3]),
        "=&r"(r.v[4]), "=&r"(r.v[5]), "=&r"(r.v[6]), "=&r"(r.v[7])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(a.v[4]),
        "r"(a.v[5]), "r"(a.v[6]), "r"(a.v[7]), "r"(b.v[0]), "r"(b.v[1]),
        "r"(b.v[2]), "r"(b.v[3]), "r"(b.v[4]), "r"(b.v[5]), "r"(b.v[6]),
        "r"(b.v[7]));
  return r;
}

__device__ __forceinline__ Field Sub(const Field& a, const Field& b) {
  Field r;
  asm("{\n\t"
      ".reg .u32 m, t;\n\t"
      "sub.cc.u32 %0, %8, %16;\n\t"
      "subc.cc.u32 %1, %9, %17;\n\t"
      "subc.cc.u32 %2, %10, %18;\n\t"
      "subc.cc.u32 %3, %11, %19;\n\t"
      "subc.cc.u32 %4, %12, %20;\n\t"
      "subc.cc.u32 %5, %13, %21;\n\t"
      "subc.cc.u32 %6, %14, %22;\n\t"
      "subc.cc.u32 %7, %15, %23;\n\t"
      "subc.u32 m, 0, 0;\n\t"
      "and.b32 t, m, 0xfffffc2f;\n\t"
      "add.cc.u32 %0, %0, t;\n\t"
      "and.b32 t, m, 0xfffffffe;\n\t"
      "addc.cc.u32 %1, %1, t;\n\t"
      "addc.cc.u32 %2, %2, m;\n\t"
      "addc.cc.u32 %3, %3, m;\n\t"
      "addc.cc.u32 %4, %4, m;\n\t"
      "addc.cc.u32 %5, %5, m;\n\t"
      "addc.cc.u32 %6, %6, m;\n\t"
      "addc.u32 %7, %7, m;\n\t"
      "}"
      : "=&r"(r.v[0]), "=&r"(r.v[1]), "=&r"(r.v[2]), "=&r"(r.v[3]),
        "=&r"(r.v[4]), "=&r"(r.v[5]), "=&r"(r.v[6]), "=&r"(r.v[7])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(a.v[4]),
        "r"(a.v[5]), "r"(a.v[6]), "r"(a.v[7]), "r"(b.v[0]), "r"(b.v[1]),
        "r"(b.v[2]), "r"(b.v[3]), "r"(b.v[4]), "r"(b.v[5]), "r"(b.v[6]),
        "r"(b.v[7]));
  return r;
}

// Adds a times b to nine words, of which the last is new.
__device__ __forceinline__ void AddRow(u32* t, const Field& a, u32 b) {
  asm("mad.lo.cc.u32 %0, %9, %17, %0;\n\t"
      "madc.lo.cc.u32 %1, %10, %17, %1;\n\t"
      "madc.lo.cc.u32 %2, %11, %17, %2;\n\t"
      "madc.lo.cc.u32 %3, %12, %17, %3;\n\t"
      "madc.lo.cc.u32 %4, %13, %17, %4;\n\t"
      "madc.lo.cc.u32 %5, %14, %17, %5;\n\t"
      "madc.lo.cc.u32 %6, %15, %17, %6;\n\t"
      "madc.lo.cc.u32 %7, %16, %17, %7;\n\t"
      "addc.u32 %8, 0, 0;\n\t"
      "mad.hi.cc.u32 %1, %9, %17, %1;\n\t"
      "madc.hi.cc.u32 %2, %10, %17, %2;\n\t"
      "madc.hi.cc.u32 %3, %11, %17, %3;\n\t"
      "madc.hi.cc.u32 %4, %12, %17, %4;\n\t"
      "madc.hi.cc.u32 %5, %13, %17, %5;\n\t"
      "madc.hi.cc.u32 %6, %14, %17, %6;\n\t"
      "madc.hi.cc.u32 %7, %15, %17, %7;\n\t"
      "madc.hi.u32 %8, %16, %17, %8;"
      : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]),
        "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]), "=&r"(t[8])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(a.v[4]),
        "r"(a.v[5]), "r"(a.v[6]), "r"(a.v[7]), "r"(b));
}

__device__ __forceinline__ Field ReduceOnce(const Field& a) {
  constexpr u32 kPrime[8] = {0xfffffc2f, 0xfffffffe, 0xffffffff, 0xffffffff,
                             0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  Field r;
  u64 borrow = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const u64 d = static_cast<u64>(a.v[i]) - kPrime[i] - borrow;
    r.v[i] = static_cast<u32>(d);
    borrow = d >> 63;
  }
  return borrow ? a : r;
}

__device__ __forceinline__ Field MulInline(const Field& a, const Field& b) {
  u32 t[16] = {};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    AddRow(t + i, a, b.v[i]);
  }
  // 2^256 is 2^32 + 977.
  Field r;
  u64 carry = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    carry += static_cast<u64>(t[i + 8]) * 977 + t[i];
    if (i > 0) {
      carry += t[i + 7];
    }
    r.v[i] = static_cast<u32>(carry);
    carry >>= 32;
  }
  const u64 top = carry + t[15];
  carry = top * 977;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    carry += r.v[i];
    if (i == 1) {
      carry += top;
    }
    r.v[i] = static_cast<u32>(carry);
    carry >>= 32;
  }
  if (carry != 0) {
    carry = static_cast<u64>(r.v[0]) + 977;
    r.v[0] = static_cast<u32>(carry);
    carry = (carry >> 32) + r.v[1] + 1;
    r.v[1] = static_cast<u32>(carry);
    r.v[2] += static_cast<u32>(carry >> 32);
  }
  return ReduceOnce(r);
}

// ---- Steps with operands in local memory. A result may be an operand too.

__device__ __noinline__ void Mul(Field* r, const Field* a, const Field* b) {
  *r = MulInline(*a, *b);
}

__device__ __noinline__ void Add(Field* r, const Field* a, const Field* b) {
  *r = Add(*a, *b);
}

__device__ __noinline__ void Sub(Field* r, const Field* a, const Field* b) {
  *r = Sub(*a, *b);
}

__device__ __noinline__ void Double(Jacobian* p) {
  Field a, b, c, d, e;
  Mul(&a, &p->x, &p->x);
  Mul(&b, &p->y, &p->y);
  Mul(&c, &b, &b);
  Add(&d, &p->x, &b);
  Mul(&d, &d, &d);
  Sub(&d, &d, &a);
  Sub(&d, &d, &c);
  Add(&d, &d, &d);
  Add(&e, &a, &a);
  Add(&e, &e, &a);
  Mul(&p->z, &p->y, &p->z);
  Add(&p->z, &p->z, &p->z);
  Mul(&p->x, &e, &e);
  Sub(&p->x, &p->x, &d);
  Sub(&p->x, &p->x, &d);
  Sub(&d, &d, &p->x);
  Mul(&p->y, &e, &d);
  for (int i = 0; i < 3; ++i) {
    Add(&c, &c, &c);
  }
  Sub(&p->y, &p->y, &c);
}

// Adds q, which is not infinity. The point at infinity has z = 0.
__device__ __noinline__ void AddAffine(Jacobian* p, const Affine* q) {
  if (IsZero(p->z)) {
    p->x = q->x;
    p->y = q->y;
    p->z = Field{{1}};
    return;
  }
  Field zz, h, r, v;
  Mul(&zz, &p->z, &p->z);
  Mul(&h, &q->x, &zz);
  Sub(&h, &h, &p->x);
  Mul(&zz, &zz, &p->z);
  Mul(&r, &q->y, &zz);
  Sub(&r, &r, &p->y);
  if (IsZero(h)) {
    if (IsZero(r)) {
      Double(p);
    } else {
      *p = Jacobian{};
    }
    return;
  }
  Mul(&p->z, &p->z, &h);
  Mul(&zz, &h, &h);
  Mul(&v, &p->x, &zz);
  Mul(&h, &zz, &h);
  Mul(&p->x, &r, &r);
  Sub(&p->x, &p->x, &h);
  Sub(&p->x, &p->x, &v);
  Sub(&p->x, &p->x, &v);
  Mul(&p->y, &p->y, &h);
  Sub(&v, &v, &p->x);
  Mul(&v, &r, &v);
  Sub(&p->y, &v, &p->y);
}

}  // namespace

// Sums of products of field elements, one sum by each thread.
__global__ void FieldDots(const Field* __restrict__ a,
                          const Field* __restrict__ b, int columns, int rows,
                          Field* __restrict__ out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) {
    return;
  }
  Field sum = {};
  for (int i = 0; i < columns; ++i) {
    sum = Add(sum, MulInline(a[row * columns + i], b[i]));
  }
  out[row] = sum;
}

// Adds runs of points with a stride: the sums of a bucket method. Bit 31 of an
// index negates its point.
__global__ void SumPoints(const Affine* __restrict__ points,
                          const u32* __restrict__ indices,
                          const int* __restrict__ starts, int buckets,
                          Jacobian* __restrict__ sums) {
  const int bucket = blockIdx.x * blockDim.x + threadIdx.x;
  if (bucket >= buckets) {
    return;
  }
  Jacobian sum = {};
  for (int i = starts[bucket]; i < starts[bucket + 1]; ++i) {
    const u32 index = indices[i];
    Affine q = points[index & 0x7fffffffu];
    if (index >> 31 != 0) {
      q.y = Sub(Field{}, q.y);
    }
    AddAffine(&sum, &q);
  }
  sums[bucket] = sum;
}

// Multiplies a point by a scalar, of which windows of four bits become digits
// from -8 to 8. The table has the point times 1 to 8. Each lookup reads the
// whole table.
__global__ void ScalarMultiply(const Field* __restrict__ scalars, int count,
                               int windows, const Affine* __restrict__ table,
                               Jacobian* __restrict__ products) {
  __shared__ Affine multiples[8];
  u32* words = reinterpret_cast<u32*>(multiples);
  for (int i = threadIdx.x; i < 8 * 16; i += blockDim.x) {
    words[i] = reinterpret_cast<const u32*>(table)[i];
  }
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) {
    return;
  }
  const u32* scalar = scalars[thread].v;
  Jacobian sum = {};
  for (int w = windows - 1; w >= 0; --w) {
    if (w != windows - 1) {
#pragma unroll 1
      for (int i = 0; i < 4; ++i) {
        Double(&sum);
      }
    }
    // Five bits from the one below the window.
    const u32 low = scalar[w / 8] >> (w % 8 * 4);
    u32 bits = low << 1 & 31;
    if (w > 0) {
      bits |= scalar[(w * 4 - 1) / 32] >> ((w * 4 - 1) % 32) & 1;
    }
    const int digit = static_cast<int>((bits >> 1) + (bits & 1)) -
                      (bits >> 4 != 0 ? 16 : 0);
    const int place = abs(digit);
    Affine q = {};
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      const u32 mask = 0 - static_cast<u32>(i + 1 == place);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        q.x.v[j] |= multiples[i].x.v[j] & mask;
        q.y.v[j] |= multiples[i].y.v[j] & mask;
      }
    }
    if (digit < 0) {
      q.y = Sub(Field{}, q.y);
    }
    if (place != 0) {
      AddAffine(&sum, &q);
    }
  }
  products[thread] = sum;
}

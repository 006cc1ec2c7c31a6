// Bits and bytes: bit fields, funnel shifts, byte permutes, Morton and Hilbert
// codes, population counts, packed SIMD in a word, and video instructions.
#include <cuda_runtime.h>

__global__ void Fields(const unsigned* a, const int* b, unsigned* out,
                       int* sout) {
  const int i = threadIdx.x;
  unsigned r;
  int s;
  unsigned long long l;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a[i]), "r"(i & 31), "r"(5));
  out[i] = r;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(s) : "r"(b[i]), "n"(7), "n"(9));
  sout[i] = s;
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(r)
      : "r"(a[i]), "r"(a[i + 1]), "r"(8), "r"(i));
  out[i + 32] = r;
  asm("bfi.b64 %0, %1, %2, 20, 12;"
      : "=l"(l)
      : "l"((unsigned long long)a[i]), "l"(~0ull));
  out[i + 64] = static_cast<unsigned>(l >> 16);
  asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a[i]));
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(s) : "r"(b[i]));
  asm("fns.b32 %0, %1, %2, %3;"
      : "=r"(out[i + 96])
      : "r"(a[i]), "r"(i & 31), "r"(2));
  sout[i + 32] = s + static_cast<int>(r);
  sout[i + 64] = (b[i] >> 4 & 0xff) + (b[i] << 10 >> 20);
  out[i + 128] = (a[i] & 0xffff0000u) | (a[i + 1] >> 7 & 0xffffu);
  asm("szext.wrap.u32 %0, %1, %2;" : "=r"(r) : "r"(a[i]), "r"(9));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(out[i + 160]) : "r"(i), "r"(r));
}

__global__ void Shifts(const unsigned* a, unsigned* out,
                       unsigned long long* lout) {
  const int i = threadIdx.x;
  out[i] =
      __funnelshift_l(a[i], a[i + 1], i) + __funnelshift_r(a[i], a[i + 1], 7);
  out[i + 32] =
      __funnelshift_lc(a[i], a[i + 1], i) ^ __funnelshift_rc(a[i], a[i + 1], i);
  out[i + 64] =
      __builtin_rotateleft32(a[i], i) + __builtin_rotateright32(a[i], 3);
  lout[i] = __builtin_rotateleft64(lout[i + 32], i) ^
            __builtin_rotateleft64(lout[i], 32);
  lout[i + 64] = lout[i] << (i & 63) >> 9;
}

__global__ void Bytes(const unsigned* a, unsigned* out) {
  const int i = threadIdx.x;
  out[i] = __byte_perm(a[i], a[i + 1], 0x3715);
  out[i + 32] = __byte_perm(a[i], a[i + 1], out[i + 64]);
  unsigned r;
  asm("prmt.b32.f4e %0, %1, %2, %3;"
      : "=r"(r)
      : "r"(a[i]), "r"(a[i + 1]), "r"(i));
  out[i] += r + __builtin_bswap32(a[i]) + __brev(a[i]);
  out[i + 96] = (a[i] & 0xff) << 24 | (a[i] & 0xff00) << 8 |
                (a[i] >> 8 & 0xff00) | a[i] >> 24;
}

__global__ void Morton(const uint3* points, unsigned long long* codes,
                       uint2* hilbert) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto spread = [](unsigned v) {
    unsigned long long x = v & 0x1fffffu;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
  };
  const uint3 p = points[i];
  codes[i] = spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2;
  unsigned x = p.x & 0xffff;
  unsigned y = p.y & 0xffff;
  unsigned d = 0;
#pragma unroll
  for (unsigned s = 1u << 15; s > 0; s >>= 1) {
    const unsigned rx = (x & s) != 0;
    const unsigned ry = (y & s) != 0;
    d += s * s * ((3 * rx) ^ ry);
    if (ry == 0) {
      if (rx == 1) {
        x = 0xffff - x;
        y = 0xffff - y;
      }
      const unsigned t = x;
      x = y;
      y = t;
    }
  }
  hilbert[i] = make_uint2(d, x ^ y);
}

__global__ void PackedSimd(const unsigned* a, const unsigned* b,
                           unsigned* out) {
  const int i = threadIdx.x;
  const unsigned x = a[i];
  const unsigned y = b[i];
  out[i] = __vadd2(x, y) ^ __vadd4(x, y);
  out[i + 32] = __vavgu4(x, y) + __vabsdiffu4(x, y);
  out[i + 64] = __vmaxs2(x, y) - __vminu4(x, y);
  out[i + 96] = __vcmpgtu4(x, y) & __vcmpeq2(x, y);
  out[i + 128] = __vsadu4(x, y) + __vsads2(x, y);
  out[i + 160] = __vaddss4(x, y) ^ __vsubus2(x, y) ^ __vneg4(x);
  out[i + 192] =
      __sad(static_cast<int>(x), static_cast<int>(y), 9) + __usad(x, y, 3);
  out[i + 224] = __uhadd(x, y) +
                 __hadd(static_cast<int>(x), static_cast<int>(y)) +
                 __urhadd(x, y) + __umul24(x, y) + __mul24(x, y);
}

__global__ void Video(const unsigned* a, const unsigned* b, int* out) {
  const int i = threadIdx.x;
  int r;
  asm("vadd.s32.u32.s32.sat %0, %1.b0, %2.h1;"
      : "=r"(r)
      : "r"(a[i]), "r"(b[i]));
  out[i] = r;
  asm("vsub.u32.u32.u32.add %0, %1.b3, %2.b2, %3;"
      : "=r"(r)
      : "r"(a[i]), "r"(b[i]), "r"(i));
  out[i + 32] = r;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
      : "=r"(r)
      : "r"(a[i]), "r"(b[i]), "r"(i));
  out[i + 64] = r;
  asm("vmad.s32.s32.u32.shr7 %0, %1.h0, %2.b1, %3;"
      : "=r"(r)
      : "r"(a[i]), "r"(b[i]), "r"(i));
  out[i + 96] = r;
  asm("vset.u32.u32.lt %0, %1.b1, %2.b1;" : "=r"(r) : "r"(a[i]), "r"(b[i]));
  out[i + 128] = r;
  asm("vmax.s32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(a[i]), "r"(b[i]));
  out[i + 160] = r;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a[i]), "r"(b[i]));
  out[i + 192] = r;
}

__global__ void Lfsr(unsigned* states, int rounds) {
  unsigned s = states[threadIdx.x];
  for (int i = 0; i < rounds; ++i) {
    s = s >> 1 ^ (-(s & 1u) & 0xb4bcd35cu);
    s += __popc(s & 0x55555555u) << (s & 3);
  }
  states[threadIdx.x] = s;
}

// Half and bfloat16 arithmetic through the CUDA headers: scalars and pairs,
// comparisons, conversions to every integer, special functions and native
// types.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void HalfScalars(const __half* a, const __half* b, __half* out,
                            int* flags) {
  const int i = threadIdx.x;
  const __half x = a[i];
  const __half y = b[i];
  __half r = __hadd(x, y);
  r = __hfma(r, x, __hsub(y, __hmul(x, y)));
  r = __hdiv(r, __hadd_sat(x, y));
  r = __hmax(__hmin(r, x), __habs(y));
  r = __hfma_relu(r, x, y);
  r = hsqrt(r) + hexp(x) - hlog(y) * hsin(x) / hcos(y);
  r = hrcp(hrsqrt(hfloor(r) + hceil(x) + htrunc(y) + hrint(x)));
  out[i] = __hneg(r);
  flags[i] = __heq(x, y) | __hlt(x, y) << 1 | __hgeu(x, y) << 2 |
             __hisnan(r) << 3 | __hisinf(r) << 4 | __hne(x, y) << 5;
}

__global__ void HalfPairs(const __half2* a, const __half2* b, __half2* out,
                          unsigned* masks) {
  const int i = threadIdx.x;
  const __half2 x = a[i];
  const __half2 y = b[i];
  __half2 r = __hfma2(x, y, __hadd2(x, __float2half2_rn(0.5f)));
  r = __hmax2(r, __hmin2(x, y));
  r = h2exp2(r);
  r = __hsub2(__hmul2(r, __lowhigh2highlow(y)), __hadd2_sat(x, y));
  r = __halves2half2(__high2half(r), __low2half(x));
  r = __hcmadd(r, x, y);
  r = __hmul2(r, __hgt2(x, y));
  out[i] = h2rint(__habs2(r));
  masks[i] = __hle2_mask(x, y) ^ __heq2_mask(x, r);
  if (__hbeq2(x, y) || __hbgtu2(r, y)) {
    out[i + 32] = __hneg2(r);
  }
  out[i + 64] = __shfl_xor_sync(0xffffffffu, r, 3);
}

__global__ void HalfConversions(const __half* in, signed char* c,
                                unsigned short* s, int* n,
                                unsigned long long* l, float* f, double* d,
                                __half* back) {
  const int i = threadIdx.x;
  const __half x = in[i];
  c[i] = static_cast<signed char>(__half2short_rz(x));
  s[i] = __half2ushort_rn(x);
  n[i] = __half2int_rd(x) + __half2uint_ru(x);
  l[i] = __half2ull_rz(x) + __half2ll_rn(x);
  f[i] = __half2float(x);
  d[i] = static_cast<double>(__half2float(x));
  back[i] = __int2half_rn(n[i]);
  back[i + 32] = __ull2half_rz(l[i]);
  back[i + 64] = __float2half_ru(f[i] * 3.0f);
  back[i + 96] = __double2half(d[i] / 3.0);
  back[i + 128] = __short2half_rd(static_cast<short>(s[i]));
  back[i + 160] = __ushort_as_half(__half_as_ushort(x) ^ 0x8000);
}

__global__ void Bfloat(const __nv_bfloat16* a, const __nv_bfloat16* b,
                       __nv_bfloat16* out, int* n) {
  const int i = threadIdx.x;
  const __nv_bfloat16 x = a[i];
  const __nv_bfloat16 y = b[i];
  __nv_bfloat16 r = __hfma(x, y, __hadd(x, y));
  r = __hmax(r, __hmul(x, __float2bfloat16(1.5f)));
  r = __hmin_nan(r, __hsub(y, x));
  r = hexp(r) + hlog2(x) + hrsqrt(y);
  r = __hfma_relu(r, x, y);
  out[i] = __habs(__hneg(r));
  n[i] = __bfloat162int_rz(r) + __hlt(x, y) + __bfloat162ushort_rn(x);
  out[i + 32] = __float2bfloat16_rz(n[i] * 0.1f);
  out[i + 64] = __double2bfloat16(n[i] * 0.1);
  out[i + 96] = __int2bfloat16_rn(n[i]);
}

__global__ void BfloatPairs(const __nv_bfloat162* a, const __nv_bfloat162* b,
                            __nv_bfloat162* out, float2* f) {
  const int i = threadIdx.x;
  const __nv_bfloat162 x = a[i];
  const __nv_bfloat162 y = b[i];
  __nv_bfloat162 r = __hfma2(x, y, __hsub2(x, y));
  r = __hmax2(r, __hmin2(__hneg2(x), y));
  r = __hmul2(r, __hle2(x, y));
  out[i] = h2sqrt(__habs2(r));
  f[i] = __bfloat1622float2(r);
  out[i + 32] = __float22bfloat162_rn(make_float2(f[i].y, f[i].x));
  out[i + 64] = __lows2bfloat162(x, y);
}

// The compiler's own types rather than the headers' classes.
__global__ void NativeTypes(const _Float16* a, const __bf16* b, _Float16* out,
                            __bf16* bout, float* f, int* n) {
  const int i = threadIdx.x;
  const _Float16 x = a[i];
  const _Float16 y = a[i + 1];
  _Float16 r = x * y + x / (y + static_cast<_Float16>(1));
  r = x < y ? -r : r;
  out[i] = __builtin_fabsf16(r);
  out[i + 32] = static_cast<_Float16>(n[i]);
  out[i + 64] = __builtin_fmaf16(x, y, r);
  out[i + 96] = __builtin_fmaxf16(x, y);
  n[i + 32] = static_cast<int>(x);
  const __bf16 u = b[i];
  const __bf16 v = b[i + 1];
  bout[i] = u * v + u;
  bout[i + 32] = static_cast<__bf16>(f[i]);
  f[i + 32] = static_cast<float>(u - v);
  n[i] = u > v;
}

typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef _Float16 Half8 __attribute__((ext_vector_type(8)));

__global__ void NativeVectors(const Half8* a, const Half4* b, Half8* out,
                              Half4* out4) {
  const int i = threadIdx.x;
  const Half8 x = a[i];
  Half8 sum = x * x + a[i + 32];
  sum = sum.s10325476 - x;
  out[i] = sum;
  out4[i] = b[i] * sum.hi + sum.even;
}

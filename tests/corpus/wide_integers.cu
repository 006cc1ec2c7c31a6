// 64-bit and 128-bit integers: products, quotients by constants and variables,
// shifts, comparisons, high halves, overflow tests, bit counts and conversions.
#include <cuda_runtime.h>

using Wide = unsigned __int128;
using SignedWide = __int128;

__global__ void Products(const unsigned long long* a, const long long* b,
                         Wide* out, SignedWide* sout) {
  const int i = threadIdx.x;
  out[i] = static_cast<Wide>(a[i]) * a[i + 1];
  sout[i] = static_cast<SignedWide>(b[i]) * b[i + 1];
  out[i + 32] = out[i] * out[i + 64] + a[i];
  sout[i + 32] = sout[i + 64] - sout[i] * 3;
  out[i + 96] = __umul64hi(a[i], a[i + 1]) + __mul64hi(b[i], b[i + 1]);
}

__global__ void Shifts(const Wide* in, Wide* out, SignedWide* sout,
                       const int* by) {
  const int i = threadIdx.x;
  const Wide v = in[i];
  out[i] = v << by[i];
  out[i + 32] = v >> by[i];
  sout[i] = static_cast<SignedWide>(v) >> by[i];
  out[i + 64] = (v << 17 | v >> 111) ^ ~v;
  out[i + 96] = -v & (v - 1);
  sout[i + 32] = v < in[i + 1] ? v : in[i + 1];
  sout[i + 64] = static_cast<SignedWide>(v) < sout[i] ? 1 : -1;
}

__global__ void Quotients(const unsigned long long* a, const long long* b,
                          unsigned long long* out, long long* sout,
                          const unsigned* c, unsigned* uout) {
  const int i = threadIdx.x;
  out[i] = a[i] / a[i + 1];
  out[i + 32] = a[i] % a[i + 1];
  sout[i] = b[i] / b[i + 1];
  sout[i + 32] = b[i] % 1000;
  out[i + 64] = a[i] / 10;
  uout[i] = c[i] / 7 + c[i] % 10;
  uout[i + 32] = c[i] / c[i + 1];
  sout[i + 64] = b[i] / 8;
}

// Base ten digits of 128-bit values: long division by 10^18 in halves.
__global__ void Digits(const Wide* in, char* out) {
  Wide v = in[threadIdx.x];
  char* to = out + threadIdx.x * 40 + 39;
  for (int n = 0; n < 40; ++n) {
    unsigned long long remainder = 0;
    Wide quotient = 0;
    for (int word = 3; word >= 0; --word) {
      const unsigned long long part =
          remainder << 32 | static_cast<unsigned>(v >> (32 * word));
      quotient |= static_cast<Wide>(part / 10) << (32 * word);
      remainder = part % 10;
    }
    *to-- = static_cast<char>('0' + remainder);
    v = quotient;
  }
}

__global__ void Overflows(const int* a, const long long* b, int* out,
                          long long* sout) {
  const int i = threadIdx.x;
  int r;
  long long s;
  unsigned u;
  out[i] = __builtin_add_overflow(a[i], a[i + 1], &r) ? 0x7fffffff : r;
  out[i + 32] = __builtin_mul_overflow(a[i], a[i + 1], &r) ? -1 : r;
  sout[i] = __builtin_sub_overflow(b[i], b[i + 1], &s) ? 0 : s;
  sout[i + 32] = __builtin_mul_overflow(b[i], b[i + 1], &s) ? 1 : s;
  out[i + 64] =
      __builtin_sub_overflow(static_cast<unsigned>(a[i]), 7u, &u) ? 0 : u;
}

__global__ void Counts(const unsigned long long* a, const unsigned* b, int* out,
                       unsigned long long* rout) {
  const int i = threadIdx.x;
  out[i] = __popcll(a[i]) + __clzll(a[i]) + __ffsll(a[i]);
  out[i + 32] = __popc(b[i]) + __clz(b[i]) + __ffs(b[i]) + __brev(b[i]);
  rout[i] = __brevll(a[i]) ^ __builtin_bswap64(a[i]);
  out[i + 64] = __builtin_bswap32(b[i]) ^ __builtin_ctz(b[i]);
  out[i + 96] = __builtin_bswap16(static_cast<unsigned short>(b[i]));
}

__global__ void Conversions(const double* d, const float* f, long long* s,
                            unsigned long long* u, float* fout, double* dout,
                            Wide* w) {
  const int i = threadIdx.x;
  s[i] = static_cast<long long>(d[i]);
  u[i] = static_cast<unsigned long long>(f[i]);
  fout[i] = static_cast<float>(s[i + 32]);
  dout[i] = static_cast<double>(u[i + 32]);
  s[i + 64] = __double2ll_rd(d[i]) + __float2ll_ru(f[i]);
  fout[i + 32] = __ull2float_rz(u[i]);
  dout[i + 32] = __ll2double_rd(s[i]);
  w[i] = static_cast<Wide>(u[i]) << 64 | static_cast<unsigned long long>(s[i]);
}

__global__ void Narrow(const signed char* a, const unsigned char* b,
                       const short* c, short* out, unsigned char* bout) {
  const int i = threadIdx.x;
  out[i] = static_cast<short>(a[i] * b[i] + c[i] / 3);
  out[i + 32] = static_cast<short>(c[i] >> (a[i] & 7));
  bout[i] = static_cast<unsigned char>((b[i] << 3) | (b[i] >> 5));
  bout[i + 32] = static_cast<unsigned char>(min(255, b[i] + b[i + 1]));
  out[i + 64] = a[i] < b[i] ? a[i] : c[i];
}

// Double-precision special functions from the device library: exponentials,
// trigonometry with large arguments, gamma, error and Bessel functions.
#include <cuda_runtime.h>

__global__ void Exponentials(const double* a, double* out) {
  const int i = threadIdx.x;
  const double x = a[i];
  out[i] = exp(x) + expm1(x) * log(x) - log1p(x) / exp2(x) + log10(x);
  out[i + 32] = pow(x, a[i + 1]) + cbrt(x) + hypot(x, a[i + 2]);
}

__global__ void Trigonometry(const double* a, double* out) {
  const int i = threadIdx.x;
  double s;
  double c;
  sincos(a[i], &s, &c);
  out[i] = s * tan(a[i]) - c;
  out[i + 32] = asin(s) + acos(c) + atan2(s, a[i]) + sinpi(a[i]);
  out[i + 64] = sinh(s) + cosh(c) - tanh(a[i]) + asinh(c) + atanh(s);
}

__global__ void Special(const double* a, double* out) {
  const int i = threadIdx.x;
  out[i] = erf(a[i]) + erfc(a[i]) + erfinv(a[i]) + normcdf(a[i]);
  out[i + 32] = tgamma(a[i]) + lgamma(a[i]);
  out[i + 64] = j0(a[i]) + y1(a[i]);
}

__global__ void Rounding(const double* a, double* out, int* n) {
  const int i = threadIdx.x;
  const double x = a[i];
  int exponent;
  double whole;
  out[i] = floor(x) + ceil(x) * trunc(x) - rint(x) + round(x);
  out[i + 32] = frexp(x, &exponent) + modf(x, &whole) + ldexp(x, 3);
  n[i] = exponent + ilogb(x) + static_cast<int>(llrint(x)) + isnan(x) +
         signbit(x) + isinf(x);
  out[i + 64] = fmod(x, a[i + 1]) + remainder(x, a[i + 2]) + whole;
  out[i + 96] = fmin(x, 1.0) + fmax(x, -1.0) + fdim(x, 2.0) + fabs(x) +
                copysign(x, a[i + 1]) + nextafter(x, 10.0);
}

__global__ void Floats(const float* a, float* out) {
  const int i = threadIdx.x;
  const float x = a[i];
  out[i] = sinf(x) + cosf(x) * tanf(x) + atanf(x);
  out[i + 32] = powf(x, a[i + 1]) + cbrtf(x) + lgammaf(x) + erfcinvf(x);
  out[i + 64] = expf(x) / logf(x) + log1pf(x) + remainderf(x, 3.0f);
  out[i + 96] = j1f(x) + tgammaf(x) + rhypotf(x, a[i + 1]) + normf(4, a);
}

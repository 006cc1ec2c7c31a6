// What libdevice computes in many instructions.

#include <math.h>

__global__ void Bessel(double* data) {
  const double x = data[threadIdx.x];
  data[threadIdx.x] = j0(x) + j1(x) * y0(x) - y1(x);
}

__global__ void BesselOfOrder(double* data, int order) {
  const double x = data[threadIdx.x];
  data[threadIdx.x] = jn(order, x) + yn(order, x);
}

__global__ void Gamma(double* data) {
  const double x = data[threadIdx.x];
  data[threadIdx.x] = tgamma(x) + lgamma(x) * erfcinv(x);
}

__global__ void Errors(double* data) {
  const double x = data[threadIdx.x];
  data[threadIdx.x] = normcdfinv(x) + cyl_bessel_i0(x) + erfcx(x);
}

__global__ void OfTwoFloats(float* data, const float* others) {
  const float x = data[threadIdx.x], y = others[threadIdx.x];
  data[threadIdx.x] = powf(x, y) + atan2f(x, y) + fmodf(x, y) + remainderf(y, x);
}

__global__ void OfTwoDoubles(double* data, const double* others) {
  const double x = data[threadIdx.x], y = others[threadIdx.x];
  data[threadIdx.x] = pow(x, y) + atan2(x, y) + fmod(x, y) + hypot(x, y) + cbrt(x);
}

__global__ void Circular(double* data) {
  const double x = data[threadIdx.x];
  double sine, cosine;
  sincos(x, &sine, &cosine);
  data[threadIdx.x] = tan(x) + asinh(sine) * acosh(cosine) + atanh(sine) + rsqrt(x);
}

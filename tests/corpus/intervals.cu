// Interval arithmetic with directed rounding in both precisions, bisection and
// Newton with intervals, and error-free sums of doubles.
#include <cuda_runtime.h>

namespace {

template <typename T>
struct Interval {
  T low, high;
};

__device__ double AddDown(double a, double b) { return __dadd_rd(a, b); }
__device__ double AddUp(double a, double b) { return __dadd_ru(a, b); }
__device__ double MulDown(double a, double b) { return __dmul_rd(a, b); }
__device__ double MulUp(double a, double b) { return __dmul_ru(a, b); }
__device__ double DivDown(double a, double b) { return __ddiv_rd(a, b); }
__device__ double DivUp(double a, double b) { return __ddiv_ru(a, b); }
__device__ double RootDown(double a) { return __dsqrt_rd(a); }
__device__ double RootUp(double a) { return __dsqrt_ru(a); }
__device__ float AddDown(float a, float b) { return __fadd_rd(a, b); }
__device__ float AddUp(float a, float b) { return __fadd_ru(a, b); }
__device__ float MulDown(float a, float b) { return __fmul_rd(a, b); }
__device__ float MulUp(float a, float b) { return __fmul_ru(a, b); }
__device__ float DivDown(float a, float b) { return __fdiv_rd(a, b); }
__device__ float DivUp(float a, float b) { return __fdiv_ru(a, b); }
__device__ float RootDown(float a) { return __fsqrt_rd(a); }
__device__ float RootUp(float a) { return __fsqrt_ru(a); }

template <typename T>
__device__ Interval<T> operator+(Interval<T> a, Interval<T> b) {
  return {AddDown(a.low, b.low), AddUp(a.high, b.high)};
}

template <typename T>
__device__ Interval<T> operator-(Interval<T> a, Interval<T> b) {
  return {AddDown(a.low, -b.high), AddUp(a.high, -b.low)};
}

template <typename T>
__device__ Interval<T> operator*(Interval<T> a, Interval<T> b) {
  const T low = fmin(fmin(MulDown(a.low, b.low), MulDown(a.low, b.high)),
                     fmin(MulDown(a.high, b.low), MulDown(a.high, b.high)));
  const T high = fmax(fmax(MulUp(a.low, b.low), MulUp(a.low, b.high)),
                      fmax(MulUp(a.high, b.low), MulUp(a.high, b.high)));
  return {low, high};
}

template <typename T>
__device__ Interval<T> operator/(Interval<T> a, Interval<T> b) {
  if (b.low <= 0 && b.high >= 0) {
    return {-__builtin_huge_val(), __builtin_huge_val()};
  }
  return a * Interval<T>{DivDown(T(1), b.high), DivUp(T(1), b.low)};
}

template <typename T>
__device__ Interval<T> Root(Interval<T> a) {
  return {RootDown(fmax(a.low, T(0))), RootUp(a.high)};
}

}  // namespace

template <typename T>
__global__ void NewtonRoots(const Interval<T>* starts, Interval<T>* out,
                            int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Interval<T> x = starts[i];
  for (int s = 0; s < steps && x.high - x.low > T(1e-6); ++s) {
    const T m = T(0.5) * (x.low + x.high);
    const Interval<T> middle = {m, m};
    const Interval<T> f = middle * middle * middle - Interval<T>{T(2), T(2)};
    const Interval<T> slope = Interval<T>{T(3), T(3)} * x * x;
    const Interval<T> next = middle - f / slope;
    x = {fmax(x.low, next.low), fmin(x.high, next.high)};
    if (x.low > x.high) {
      x = {T(0), T(0)};
    }
  }
  out[i] = x + Root(x);
}

template __global__ void NewtonRoots<float>(const Interval<float>*,
                                            Interval<float>*, int);
template __global__ void NewtonRoots<double>(const Interval<double>*,
                                             Interval<double>*, int);

__global__ void Roundings(const float* a, const double* b, float* f, double* d,
                          int* n) {
  const int i = threadIdx.x;
  const float x = a[i];
  const float y = a[i + 1];
  f[i] = __fmaf_rd(x, y, 1.0f) - __fmaf_ru(x, y, 1.0f) + __fmaf_rz(x, y, 2.0f);
  f[i + 32] = __frcp_rd(x) + __frcp_ru(y) + __fsub_rz(x, y) + __fadd_rz(x, y);
  f[i + 64] = __double2float_rd(b[i]) - __double2float_ru(b[i]) +
              __double2float_rz(b[i]) + __int2float_rz(n[i]) +
              __uint2float_ru(n[i]);
  d[i] = __fma_rd(b[i], b[i + 1], 1.0) - __fma_ru(b[i], b[i + 1], 1.0) +
         __fma_rz(b[i], b[i + 1], 2.0) + __drcp_rd(b[i]);
  n[i] = __float2int_rd(x) + __float2int_ru(x) + __float2uint_rz(x) +
         __double2int_ru(b[i]) + __double2uint_rd(b[i]);
  d[i + 32] = __dsub_rz(b[i], b[i + 1]) * __dadd_rz(b[i], 3.0);
}

// Sums of doubles as exact pairs: Neumaier's method.
__global__ void ExactSum(const double* in, int count, double* out) {
  double sum = 0.0;
  double lost = 0.0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const double v = in[i];
    const double t = __dadd_rn(sum, v);
    lost =
        __dadd_rn(lost, fabs(sum) >= fabs(v) ? __dadd_rn(__dsub_rn(sum, t), v)
                                             : __dadd_rn(__dsub_rn(v, t), sum));
    sum = t;
  }
  out[threadIdx.x] = __dadd_rn(sum, lost);
}

// Complex arithmetic with all that the standard asks of it.

#include <cuda/std/complex>

using Complex = cuda::std::complex<double>;

// Durand and Kerner's iteration.
__global__ void Roots(const Complex* coefficients, Complex* out, int rounds) {
  constexpr int kDegree = 6;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Complex roots[kDegree], p[kDegree + 1];
  for (int k = 0; k <= kDegree; ++k) p[k] = coefficients[i * (kDegree + 1) + k];
  for (int k = 0; k < kDegree; ++k) roots[k] = Complex(0.4, 0.9 + k * 0.1);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < kDegree; ++k) {
      Complex value = p[kDegree], divisor = p[kDegree];
      for (int j = kDegree - 1; j >= 0; --j) value = value * roots[k] + p[j];
      for (int j = 0; j < kDegree; ++j) {
        if (j != k) divisor *= roots[k] - roots[j];
      }
      roots[k] -= value / divisor;
    }
  }
  for (int k = 0; k < kDegree; ++k) out[i * kDegree + k] = roots[k];
}

__global__ void Product(const Complex* a, const Complex* b, Complex* out) {
  const int i = threadIdx.x;
  Complex x[9], y[9];
  for (int k = 0; k < 9; ++k) {
    x[k] = a[i * 9 + k];
    y[k] = b[i * 9 + k];
  }
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      Complex sum(0, 0);
      for (int k = 0; k < 3; ++k) sum += x[row * 3 + k] * cuda::std::conj(y[column * 3 + k]);
      out[i * 9 + row * 3 + column] = cuda::std::exp(sum);
    }
  }
}

// Factors many 10x10 matrices, one to a thread: the worked example of docs/tutorial.md.
//
// All 55 entries of the lower triangle are held in registers.
constexpr int kN = 10;

extern "C" __global__ void Cholesky(const float* in, float* out, int count, int* failed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float a[kN][kN];
#pragma unroll
  for (int r = 0; r < kN; ++r) {
#pragma unroll
    for (int c = 0; c <= r; ++c) {
      a[r][c] = in[(r * kN + c) * count + i];
    }
  }
#pragma unroll
  for (int k = 0; k < kN; ++k) {
    if (!(a[k][k] > 0)) {
      *failed = i + 1;
      return;
    }
    const float root = sqrtf(a[k][k]);
    const float inverse = 1 / root;
    a[k][k] = root;
#pragma unroll
    for (int r = k + 1; r < kN; ++r) {
      a[r][k] *= inverse;
    }
#pragma unroll
    for (int c = k + 1; c < kN; ++c) {
#pragma unroll
      for (int r = c; r < kN; ++r) {
        a[r][c] -= a[r][k] * a[c][k];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kN; ++r) {
#pragma unroll
    for (int c = 0; c <= r; ++c) {
      out[(r * kN + c) * count + i] = a[r][c];
    }
  }
}

// Many small dense problems: Cholesky and LU in registers with pivots, QR by
// Householder, Jacobi eigenvalues, an SVD of 3x3, and tridiagonal systems.
#include <cuda_runtime.h>

template <typename T, int kN>
__global__ void Cholesky(const T* in, T* out, int count, int* failed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  T a[kN][kN];
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
      atomicExch(failed, i + 1);
      return;
    }
    const T root = sqrt(a[k][k]);
    const T inverse = T(1) / root;
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

template __global__ void Cholesky<float, 4>(const float*, float*, int, int*);
template __global__ void Cholesky<double, 6>(const double*, double*, int, int*);
template __global__ void Cholesky<float, 10>(const float*, float*, int, int*);

// A warp factors a 32x32 matrix, a row to a lane, with partial pivots.
__global__ void LuWarp(double* matrices, int* pivots) {
  constexpr int kN = 32;
  double row[kN];
  double* mine = matrices + blockIdx.x * kN * kN + threadIdx.x * kN;
#pragma unroll
  for (int c = 0; c < kN; ++c) {
    row[c] = mine[c];
  }
  bool used = false;
#pragma unroll
  for (int k = 0; k < kN; ++k) {
    double top = used ? -1.0 : fabs(row[k]);
    int lane = threadIdx.x;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const double other = __shfl_xor_sync(0xffffffffu, top, step);
      const int other_lane = __shfl_xor_sync(0xffffffffu, lane, step);
      if (other > top || (other == top && other_lane < lane)) {
        top = other;
        lane = other_lane;
      }
    }
    const bool pivot = lane == static_cast<int>(threadIdx.x);
    if (pivot) {
      pivots[blockIdx.x * kN + k] = lane;
      used = true;
    }
    const double divisor = __shfl_sync(0xffffffffu, row[k], lane);
    if (!used) {
      row[k] /= divisor;
    }
    const double factor = used ? 0.0 : row[k];
#pragma unroll
    for (int c = k + 1; c < kN; ++c) {
      row[c] -= factor * __shfl_sync(0xffffffffu, row[c], lane);
    }
  }
#pragma unroll
  for (int c = 0; c < kN; ++c) {
    mine[c] = row[c];
  }
}

// Dynamic sizes keep this one's matrix in local memory.
__global__ void Householder(const float* in, float* r_out, int rows,
                            int columns) {
  float a[12 * 8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rows * columns; ++k) {
    a[k] = in[i * rows * columns + k];
  }
  for (int k = 0; k < columns; ++k) {
    float norm = 0.0f;
    for (int r = k; r < rows; ++r) {
      norm += a[r * columns + k] * a[r * columns + k];
    }
    norm = copysignf(sqrtf(norm), -a[k * columns + k]);
    const float head = a[k * columns + k] - norm;
    const float beta = -1.0f / (norm * head);
    for (int c = k + 1; c < columns; ++c) {
      float dot = head * a[k * columns + c];
      for (int r = k + 1; r < rows; ++r) {
        dot += a[r * columns + k] * a[r * columns + c];
      }
      dot *= beta;
      a[k * columns + c] -= dot * head;
      for (int r = k + 1; r < rows; ++r) {
        a[r * columns + c] -= dot * a[r * columns + k];
      }
    }
    a[k * columns + k] = norm;
  }
  for (int r = 0; r < columns; ++r) {
    for (int c = r; c < columns; ++c) {
      r_out[(i * columns + r) * columns + c] = a[r * columns + c];
    }
  }
}

template <int kN>
__global__ void JacobiEigen(const double* in, double* values, double* vectors,
                            int sweeps) {
  double a[kN][kN];
  double v[kN][kN];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int r = 0; r < kN; ++r) {
#pragma unroll
    for (int c = 0; c < kN; ++c) {
      a[r][c] = in[(i * kN + r) * kN + c];
      v[r][c] = r == c ? 1.0 : 0.0;
    }
  }
#pragma unroll 1
  for (int sweep = 0; sweep < sweeps; ++sweep) {
#pragma unroll
    for (int p = 0; p < kN; ++p) {
#pragma unroll
      for (int q = p + 1; q < kN; ++q) {
        if (fabs(a[p][q]) < 1e-15) {
          continue;
        }
        const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
        const double t =
            copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
        const double c = rsqrt(t * t + 1.0);
        const double s = t * c;
#pragma unroll
        for (int k = 0; k < kN; ++k) {
          const double kp = a[k][p];
          const double kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
#pragma unroll
        for (int k = 0; k < kN; ++k) {
          const double pk = a[p][k];
          const double qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
          const double vp = v[k][p];
          const double vq = v[k][q];
          v[k][p] = c * vp - s * vq;
          v[k][q] = s * vp + c * vq;
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kN; ++r) {
    values[i * kN + r] = a[r][r];
#pragma unroll
    for (int c = 0; c < kN; ++c) {
      vectors[(i * kN + r) * kN + c] = v[r][c];
    }
  }
}

template __global__ void JacobiEigen<3>(const double*, double*, double*, int);
template __global__ void JacobiEigen<5>(const double*, double*, double*, int);

// Cyclic reduction of tridiagonal systems in shared memory.
__global__ void Tridiagonal(const float* low, const float* middle,
                            const float* high, const float* right, float* out) {
  __shared__ float4 rows[256];
  const int t = threadIdx.x;
  const int n = blockDim.x;
  const int at = blockIdx.x * n + t;
  float4 mine = make_float4(low[at], middle[at], high[at], right[at]);
  for (int step = 1; step < n; step *= 2) {
    rows[t] = mine;
    __syncthreads();
    if (t >= step) {
      const float4 up = rows[t - step];
      const float f = mine.x / up.y;
      mine.x = -f * up.x;
      mine.y -= f * up.z;
      mine.w -= f * up.w;
    }
    if (t + step < n) {
      const float4 down = rows[t + step];
      const float f = mine.z / down.y;
      mine.z = -f * down.z;
      mine.y -= f * down.x;
      mine.w -= f * down.w;
    }
    __syncthreads();
  }
  out[at] = mine.w / mine.y;
}

// Sparse matrices times vectors: CSR by a thread, by a warp and by merge path,
// sliced ELLPACK, COO with atomics and a block-sparse form; a sparse transpose.
#include <cuda_runtime.h>

template <typename T>
__global__ void CsrScalar(int rows, const int* starts, const int* columns,
                          const T* values, const T* x, T* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    T sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) {
      sum += values[i] * __ldg(x + columns[i]);
    }
    y[row] = sum;
  }
}

template <typename T>
__global__ void CsrVector(int rows, const int* starts, const int* columns,
                          const T* values, const T* x, T alpha, T beta, T* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) {
    return;
  }
  T sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) {
    sum += values[i] * __ldg(x + columns[i]);
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  }
  if (lane == 0) {
    y[row] = alpha * sum + beta * y[row];
  }
}

template __global__ void CsrScalar<float>(int, const int*, const int*,
                                          const float*, const float*, float*);
template __global__ void CsrScalar<double>(int, const int*, const int*,
                                           const double*, const double*,
                                           double*);
template __global__ void CsrVector<float>(int, const int*, const int*,
                                          const float*, const float*, float,
                                          float, float*);
template __global__ void CsrVector<double>(int, const int*, const int*,
                                           const double*, const double*, double,
                                           double, double*);

__global__ void SlicedEll(int rows, const long long* slices, const int* columns,
                          const float* values, const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) {
    return;
  }
  const int slice = row / 32;
  float sum = 0.0f;
#pragma unroll 4
  for (long long i = slices[slice] + row % 32; i < slices[slice + 1]; i += 32) {
    const int column = columns[i];
    if (column >= 0) {
      sum = fmaf(values[i], x[column], sum);
    }
  }
  y[row] = sum;
}

// Each thread walks an equal share of rows and values together.
__global__ void MergePath(int rows, int count, const int* __restrict__ ends,
                          const int* __restrict__ columns,
                          const float* __restrict__ values,
                          const float* __restrict__ x, float* __restrict__ y,
                          int share) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = rows + count;
  const int diagonal = min(thread * share, total);
  const int stop = min(diagonal + share, total);
  int low = max(diagonal - count, 0);
  int high = min(diagonal, rows);
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (ends[middle] <= diagonal - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int row = low;
  int at = diagonal - low;
  float sum = 0.0f;
  for (int step = diagonal; step < stop; ++step) {
    if (row < rows && at >= ends[row]) {
      atomicAdd(&y[row], sum);
      sum = 0.0f;
      ++row;
    } else {
      sum += values[at] * x[columns[at]];
      ++at;
    }
  }
  if (row < rows && sum != 0.0f) {
    atomicAdd(&y[row], sum);
  }
}

__global__ void CooSegments(int count, const int2* places, const double* values,
                            const double* x, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  int row = -1;
  double sum = 0.0;
  if (i < count) {
    const int2 place = places[i];
    row = place.x;
    sum = values[i] * x[place.y];
  }
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other_row = __shfl_up_sync(0xffffffffu, row, step);
    const double other = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step && other_row == row) {
      sum += other;
    }
  }
  const int next = __shfl_down_sync(0xffffffffu, row, 1);
  if (row >= 0 && (lane == 31 || next != row)) {
    atomicAdd(&y[row], sum);
  }
}

__global__ void Block4x4(const int* starts, const int* columns,
                         const float4* values, const float4* x, float* y) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const int within = threadIdx.x;
  float sum = 0.0f;
  for (int b = starts[row]; b < starts[row + 1]; ++b) {
    const float4 v = values[b * 4 + within];
    const float4 u = x[columns[b]];
    sum += v.x * u.x + v.y * u.y + v.z * u.z + v.w * u.w;
  }
  y[row * 4 + within] = sum;
}

__global__ void TransposeCsr(int rows, const int* starts, const int* columns,
                             const float* values, int* cursors, int* out_rows,
                             float* out_values) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) {
    return;
  }
  for (int i = starts[row]; i < starts[row + 1]; ++i) {
    const int to = atomicAdd(&cursors[columns[i]], 1);
    out_rows[to] = row;
    out_values[to] = values[i];
  }
}

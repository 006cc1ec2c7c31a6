// Sums, minima and dot products: warp shuffles, shared-memory trees, redux,
// a template over types and operators, and a last-block-done final pass.
#include <cuda_runtime.h>

namespace {

struct Sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Least {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

template <typename T, typename Op>
__device__ T WarpReduce(T value, Op op) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    value =
        op(value, static_cast<T>(__shfl_down_sync(0xffffffffu, value, step)));
  }
  return value;
}

template <typename T, typename Op>
__device__ T BlockReduce(T value, T neutral, Op op) {
  __shared__ T parts[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = WarpReduce(value, op);
  if (lane == 0) {
    parts[warp] = value;
  }
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? parts[lane] : neutral;
  if (warp == 0) {
    value = WarpReduce(value, op);
  }
  return value;
}

__device__ unsigned int blocks_done = 0;

}  // namespace

template <typename T, typename Op>
__global__ void ReduceGrid(const T* in, size_t count, T neutral, T* out) {
  T value = neutral;
  const size_t stride = static_cast<size_t>(blockDim.x) * gridDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += stride) {
    value = Op()(value, in[i]);
  }
  value = BlockReduce(value, neutral, Op());
  if (threadIdx.x == 0) {
    out[blockIdx.x] = value;
  }
}

template __global__ void ReduceGrid<float, Sum>(const float*, size_t, float,
                                                float*);
template __global__ void ReduceGrid<double, Sum>(const double*, size_t, double,
                                                 double*);
template __global__ void ReduceGrid<int, Least>(const int*, size_t, int, int*);
template __global__ void ReduceGrid<long long, Least>(const long long*, size_t,
                                                      long long, long long*);
template __global__ void ReduceGrid<unsigned short, Sum>(const unsigned short*,
                                                         size_t, unsigned short,
                                                         unsigned short*);

// One kernel launch: the last block to finish adds up what the others left.
__global__ void DotProduct(const float4* a, const float4* b, int count,
                           float* partial, float* result) {
  __shared__ bool is_last;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const float4 x = a[i];
    const float4 y = b[i];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  sum = BlockReduce(sum, 0.0f, Sum());
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) {
    return;
  }
  sum = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    sum += static_cast<volatile float*>(partial)[i];
  }
  sum = BlockReduce(sum, 0.0f, Sum());
  if (threadIdx.x == 0) {
    *result = sum;
    blocks_done = 0;
  }
}

// Index of the largest value: a pair carried through the shuffles.
__global__ void ArgMax(const float* in, int count, int* where) {
  float best = -__builtin_huge_valf();
  int index = -1;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    if (in[i] > best) {
      best = in[i];
      index = i;
    }
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, best, step);
    const int other_index = __shfl_xor_sync(0xffffffffu, index, step);
    if (other > best || (other == best && other_index < index)) {
      best = other;
      index = other_index;
    }
  }
  if (threadIdx.x == 0) {
    *where = index;
  }
}

// Integer reductions done by the hardware.
__global__ void ReduxAll(const unsigned* in, unsigned* out) {
  const unsigned value = in[threadIdx.x];
  out[0] = __nvvm_redux_sync_add(value, 0xffffffffu);
  out[1] = __nvvm_redux_sync_umin(value, 0xffffffffu);
  out[2] = __nvvm_redux_sync_max(static_cast<int>(value), 0xffffffffu);
  out[3] = __nvvm_redux_sync_or(value, __activemask());
  if (threadIdx.x < 16) {
    out[4] = __nvvm_redux_sync_xor(value, 0xffffu);
  }
}

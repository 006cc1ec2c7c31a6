// SPDX-License-Identifier: Apache-2.0

// CUDA for older versions of clang, without headers of CUDA.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct Box {
  float low[3];
  float high[3];
  int* hits;
};

__constant__ float table[4];
__device__ int counter;
extern __shared__ float dynamic[];

__device__ __attribute__((noinline)) Box Grow(Box box, float by) {
  for (int i = 0; i < 3; ++i) {
    box.low[i] -= by;
    box.high[i] += by;
  }
  return box;
}

__global__ void __launch_bounds__(256, 2) Hit(Box box, const float* __restrict__ points, int n) {
  const int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i >= n) return;
  const Box grown = Grow(box, table[i & 3]);
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    const float x = __nvvm_ldg_f(points + 3 * i + axis);
    inside = inside && x >= grown.low[axis] && x <= grown.high[axis];
  }
  if (inside) __nvvm_atom_add_gen_i(grown.hits, 1);
}

__global__ void Sum(const float* in, float* out) {
  const int thread = __nvvm_read_ptx_sreg_tid_x();
  dynamic[thread] = in[thread];
  __syncthreads();
  for (int width = 64; width > 0; width >>= 1) {
    if (thread < width) dynamic[thread] += dynamic[thread + width];
    __syncthreads();
  }
  if (thread == 0) *out = __nvvm_fabs_f(dynamic[0]) + __nvvm_ex2_approx_f(dynamic[1]);
  if (__nvvm_bar0_or(thread == 3)) counter = __builtin_popcount(counter);
}

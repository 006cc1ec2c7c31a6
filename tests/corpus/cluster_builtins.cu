// sm_90 by the compiler's built-ins: cluster registers, barriers, mapped shared
// addresses, and a reduction over the blocks of a cluster.
#include <cuda_runtime.h>

extern "C" __global__ void __cluster_dims__(2, 2, 1) Registers(int* out) {
  const int i =
      (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  out[i] = __nvvm_read_ptx_sreg_cluster_ctaid_x() +
           __nvvm_read_ptx_sreg_cluster_ctaid_y() * 2 +
           __nvvm_read_ptx_sreg_cluster_nctaid_x() * 3 +
           __nvvm_read_ptx_sreg_clusterid_y() * 5 +
           __nvvm_read_ptx_sreg_nclusterid_x() * 7 +
           __nvvm_read_ptx_sreg_cluster_ctarank() * 11 +
           __nvvm_read_ptx_sreg_cluster_nctarank() * 13;
  if (__nvvm_is_explicit_cluster()) {
    out[i] += 1000;
  }
}

extern "C" __global__ void __cluster_dims__(8) __launch_bounds__(128)
    ClusterSum(const float* in, float* out, int count) {
  __shared__ float partial;
  float sum = 0.0f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < count;
       i += gridDim.x * 128) {
    sum += in[i];
  }
  if (threadIdx.x == 0) {
    partial = 0.0f;
  }
  __syncthreads();
  atomicAdd(&partial, sum);
  __nvvm_barrier_cluster_arrive();
  __nvvm_barrier_cluster_wait();
  if (__nvvm_read_ptx_sreg_cluster_ctarank() == 0 && threadIdx.x < 8) {
    const auto* there =
        static_cast<const float*>(__nvvm_mapa(&partial, threadIdx.x));
    float total = *there;
#pragma unroll
    for (int step = 4; step > 0; step /= 2) {
      total += __shfl_down_sync(0xffu, total, step, 8);
    }
    if (threadIdx.x == 0) {
      atomicAdd(out, total);
    }
  }
  __nvvm_barrier_cluster_arrive_relaxed();
  __nvvm_barrier_cluster_wait();
}

extern "C" __global__ void __cluster_dims__(2) Exchange(int* out) {
  __shared__ int cells[64];
  cells[threadIdx.x] = static_cast<int>(blockIdx.x * 100 + threadIdx.x);
  __nvvm_fence_sc_cluster();
  __nvvm_barrier_cluster_arrive();
  __nvvm_barrier_cluster_wait();
  const unsigned rank = __nvvm_read_ptx_sreg_cluster_ctarank();
  auto* shared =
      (__attribute__((address_space(3))) void*)&cells[63 - threadIdx.x];
  auto* remote = __nvvm_mapa_shared_cluster(shared, rank ^ 1);
  const int v = *(__attribute__((address_space(7))) const int*)remote;
  out[blockIdx.x * 64 + threadIdx.x] = v + __nvvm_getctarank(&cells[0]) +
                                       __nvvm_getctarank_shared_cluster(shared);
  __nvvm_barrier_cluster_arrive();
  __nvvm_barrier_cluster_wait();
}

// Asynchronous copies from global to shared memory: the pipeline primitives,
// the compiler's built-ins for every width, groups in flight and mbarriers.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

template <int kStages>
__global__ void __launch_bounds__(128)
    Stream(const float4* __restrict__ in, float4* __restrict__ out, int tiles,
           float gain) {
  __shared__ float4 stages[kStages][128];
  const int t = threadIdx.x;
  int fetched = 0;
  for (int stage = 0; stage < kStages - 1; ++stage) {
    if (fetched < tiles) {
      __pipeline_memcpy_async(&stages[fetched][t], in + fetched * 128 + t, 16);
      ++fetched;
    }
    __pipeline_commit();
  }
  for (int tile = 0; tile < tiles; ++tile) {
    if (fetched < tiles) {
      __pipeline_memcpy_async(&stages[fetched % kStages][t],
                              in + fetched * 128 + t, 16);
      ++fetched;
    }
    __pipeline_commit();
    __pipeline_wait_prior(kStages - 1);
    __syncthreads();
    const float4 a = stages[tile % kStages][t];
    const float4 b = stages[tile % kStages][t ^ 1];
    out[tile * 128 + t] = make_float4(gain * (a.x + b.x), gain * (a.y + b.y),
                                      gain * (a.z + b.z), gain * (a.w + b.w));
    __syncthreads();
  }
}

template __global__ void Stream<2>(const float4*, float4*, int, float);
template __global__ void Stream<4>(const float4*, float4*, int, float);

// Short rows are filled with zeros by the copy itself.
__global__ void Ragged(const int* in, const int* lengths, int* out, int width) {
  extern __shared__ int row[];
  const int length = lengths[blockIdx.x];
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    __pipeline_memcpy_async(&row[i], in + blockIdx.x * width + i, 4,
                            i < length ? 0 : 4);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    sum += row[width - 1 - i];
  }
  atomicAdd(&out[blockIdx.x], sum);
}

typedef __attribute__((address_space(1))) void GlobalVoid;
typedef __attribute__((address_space(3))) void SharedVoid;
typedef __attribute__((address_space(3))) long SharedLong;

__global__ void Builtins(const char* in, int4* out) {
  __shared__ __align__(16) char cells[128 * 44];
  const int t = threadIdx.x;
  auto* to = (SharedVoid*)(cells + t * 16);
  auto* to8 = (SharedVoid*)(cells + 128 * 16 + t * 8);
  auto* to4 = (SharedVoid*)(cells + 128 * 24 + t * 4);
  auto* later = (SharedVoid*)(cells + 128 * 28 + t * 16);
  __nvvm_cp_async_cg_shared_global_16(to, (GlobalVoid*)(in + t * 16));
  __nvvm_cp_async_ca_shared_global_8(to8, (GlobalVoid*)(in + t * 8));
  __nvvm_cp_async_ca_shared_global_4(to4, (GlobalVoid*)(in + t * 4));
  __nvvm_cp_async_commit_group();
  __nvvm_cp_async_ca_shared_global_16(later, (GlobalVoid*)(in + t * 16 + 2048));
  __nvvm_cp_async_commit_group();
  __nvvm_cp_async_wait_group(1);
  __syncthreads();
  int4 v = *reinterpret_cast<int4*>(cells + (t ^ 1) * 16);
  v.x += *reinterpret_cast<int*>(cells + 128 * 24 + t * 4);
  v.y += static_cast<int>(*reinterpret_cast<long*>(cells + 128 * 16 + t * 8));
  __nvvm_cp_async_wait_all();
  v.z += *reinterpret_cast<int*>(cells + 128 * 28 + t * 16);
  out[t] = v;
}

__global__ void Mbarrier(const int4* in, int4* out, int rounds) {
  __shared__ __align__(8) long barrier;
  __shared__ int4 cells[64];
  auto* shared_barrier = (SharedLong*)(&barrier);
  const int t = threadIdx.x;
  if (t == 0) {
    // Each thread arrives twice in a round: itself, and by its copy.
    __nvvm_mbarrier_init_shared(shared_barrier, 2 * blockDim.x);
  }
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    __nvvm_cp_async_cg_shared_global_16((SharedVoid*)&cells[t],
                                        (GlobalVoid*)(in + r * 64 + t));
    __nvvm_cp_async_mbarrier_arrive_noinc_shared(shared_barrier);
    const long token = __nvvm_mbarrier_arrive_shared(shared_barrier);
    while (!__nvvm_mbarrier_test_wait_shared(shared_barrier, token)) {
    }
    out[r * 64 + t] = cells[63 - t];
    __syncthreads();
  }
  if (t == 0) {
    const long token = __nvvm_mbarrier_arrive_shared(shared_barrier);
    out[0].x += __nvvm_mbarrier_pending_count(token);
    __nvvm_mbarrier_inval_shared(shared_barrier);
  }
}

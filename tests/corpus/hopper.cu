// sm_90a: bulk copies with mbarriers, tensor-map loads, warp-group products,
// register counts moved between roles, and thread-block clusters.
#include <cuda_fp16.h>

namespace {

__device__ unsigned SharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void BarrierInit(unsigned long long* barrier, int count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SharedAddress(barrier)),
      "r"(count)
      : "memory");
}

__device__ void BarrierExpect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   SharedAddress(barrier)),
               "r"(bytes)
               : "memory");
}

__device__ void BarrierArrive(unsigned long long* barrier) {
  asm volatile(
      "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SharedAddress(barrier))
      : "memory");
}

__device__ void BarrierWait(unsigned long long* barrier, int phase) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "WAIT_%=:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra WAIT_%=;\n\t"
      "}" ::"r"(SharedAddress(barrier)),
      "r"(phase)
      : "memory");
}

__device__ void LoadTile(void* to, const void* map, int x, int y,
                         unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(SharedAddress(to)),
      "l"(map), "r"(x), "r"(y), "r"(SharedAddress(barrier))
      : "memory");
}

__device__ unsigned long long Descriptor(const void* tile) {
  unsigned long long d = (SharedAddress(tile) & 0x3ffffu) >> 4;
  d |= 1ull << 16;
  d |= 64ull << 32;
  d |= 1ull << 62;
  return d;
}

struct alignas(64) TensorMap {
  char bytes[128];
};

constexpr int kStages = 4;

}  // namespace

// A producer warp group feeds a consumer warp group: 64x64x64 products.
extern "C" __global__ void __launch_bounds__(256)
    WarpGroupGemm(const __grid_constant__ TensorMap a_map,
                  const __grid_constant__ TensorMap b_map, float* c, int n,
                  int steps) {
  extern __shared__ __align__(1024) __half tiles[];
  __shared__ unsigned long long full[kStages];
  __shared__ unsigned long long empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      BarrierInit(&full[i], 1);
      BarrierInit(&empty[i], 128);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int s = 0; s < steps; ++s) {
        const int stage = s % kStages;
        BarrierWait(&empty[stage], ((s / kStages) & 1) ^ 1);
        BarrierExpect(&full[stage], 2 * 64 * 64 * 2);
        LoadTile(tiles + stage * 8192, &a_map, s * 64, blockIdx.y * 64,
                 &full[stage]);
        LoadTile(tiles + stage * 8192 + 4096, &b_map, s * 64, blockIdx.x * 64,
                 &full[stage]);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32] = {};
  for (int s = 0; s < steps; ++s) {
    const int stage = s % kStages;
    BarrierWait(&full[stage], (s / kStages) & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned long long a = Descriptor(tiles + stage * 8192 + k * 16);
      const unsigned long long b =
          Descriptor(tiles + stage * 8192 + 4096 + k * 16);
      asm volatile(
          "{\n\t"
          ".reg .pred p;\n\t"
          "setp.ne.b32 p, %34, 0;\n\t"
          "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
          "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
          "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
          "%28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n\t"
          "}"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
            "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
            "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),
            "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
            "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
            "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
            "+f"(d[30]), "+f"(d[31])
          : "l"(a), "l"(b), "r"(1));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    BarrierArrive(&empty[stage]);
  }
  const int t = threadIdx.x - 128;
  const int row = blockIdx.y * 64 + t / 32 * 16 + t % 32 / 4;
  const int column = blockIdx.x * 64 + t % 4 * 2;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    *reinterpret_cast<float2*>(&c[row * n + column + j * 8]) =
        make_float2(d[4 * j], d[4 * j + 1]);
    *reinterpret_cast<float2*>(&c[(row + 8) * n + column + j * 8]) =
        make_float2(d[4 * j + 2], d[4 * j + 3]);
  }
}

// A histogram spread over the shared memories of a cluster of four blocks.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
    ClusterHistogram(const unsigned char* data, int count, unsigned* bins) {
  __shared__ unsigned mine[64];
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x < 64) {
    mine[threadIdx.x] = 0;
  }
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count;
       i += gridDim.x * 256) {
    const unsigned v = data[i];
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote)
                 : "r"(SharedAddress(&mine[v & 63])), "r"(v >> 6));
    asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(remote)
                 : "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (threadIdx.x < 64) {
    atomicAdd(&bins[rank * 64 + threadIdx.x], mine[threadIdx.x]);
  }
}

// One bulk copy in, a transformation, one bulk copy out.
extern "C" __global__ void __launch_bounds__(128)
    BulkScale(const float4* in, float4* out, float gain) {
  __shared__ __align__(128) float4 tile[512];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    BarrierInit(&barrier, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    BarrierExpect(&barrier, sizeof(tile));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(SharedAddress(tile)),
        "l"(__cvta_generic_to_global(in + blockIdx.x * 512)),
        "r"(static_cast<int>(sizeof(tile))), "r"(SharedAddress(&barrier))
        : "memory");
  }
  __syncthreads();
  BarrierWait(&barrier, 0);
#pragma unroll
  for (int i = threadIdx.x; i < 512; i += 128) {
    float4 v = tile[i];
    tile[i] = make_float4(v.x * gain, v.y * gain, v.z * gain, v.w * gain);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
            __cvta_generic_to_global(out + blockIdx.x * 512)),
        "r"(SharedAddress(tile)), "r"(static_cast<int>(sizeof(tile)))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

extern "C" __global__ void ElectAndDepend(int* out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  unsigned elected;
  asm volatile(
      "{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}"
      : "=r"(elected));
  if (elected) {
    out[blockIdx.x] = 1;
  }
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

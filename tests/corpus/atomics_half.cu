// Atomic additions of halves, bfloat16 values and pairs of them, the vectors of
// sm_90, 128-bit exchanges and compare-and-swap, and reductions by assembly.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void AddHalves(__half* h, __half2* h2, __nv_bfloat16* b,
                          __nv_bfloat162* b2) {
  const int i = threadIdx.x;
  h[i + 32] = atomicAdd(h, __float2half(0.5f));
  h2[i + 32] = atomicAdd(h2, __floats2half2_rn(1.0f, i));
  b[i + 32] = atomicAdd(b, __float2bfloat16(0.25f));
  b2[i + 32] = atomicAdd(b2, __floats2bfloat162_rn(i, 1.0f));
}

// The compiler's own read-modify-write operations.
__global__ void Native(_Float16* h, __bf16* b, float* f, double* d) {
  const int i = threadIdx.x;
  h[i + 32] =
      __atomic_fetch_add(h, static_cast<_Float16>(0.5), __ATOMIC_RELAXED);
  b[i + 32] =
      __atomic_fetch_add(b, static_cast<__bf16>(1.5f), __ATOMIC_RELAXED);
  f[i + 32] = __atomic_fetch_sub(f, 1.0f, __ATOMIC_RELAXED);
  f[i + 64] =
      __atomic_fetch_max(f + 1, static_cast<float>(i), __ATOMIC_RELAXED);
  d[i + 32] = __atomic_fetch_min(d, static_cast<double>(i), __ATOMIC_RELAXED);
}

__global__ void Vectors(float4* sums, const float4* in, __half2* pairs,
                        int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const float4 v = in[i];
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(
                     __cvta_generic_to_global(sums + (i & 7))),
                 "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
    const __half2 p = __floats2half2_rn(v.x, v.y);
    asm volatile("red.global.gpu.add.noftz.f16x2 [%0], %1;" ::"l"(
                     __cvta_generic_to_global(pairs + (i & 31))),
                 "r"(*reinterpret_cast<const unsigned*>(&p))
                 : "memory");
  }
}

__global__ void Wide(ulonglong2* cells, unsigned long long tag) {
  const int i = threadIdx.x;
  unsigned long long low;
  unsigned long long high;
  asm volatile(
      "{\n\t"
      ".reg .b128 want, fresh, old;\n\t"
      "mov.b128 want, {%2, %3};\n\t"
      "mov.b128 fresh, {%4, %5};\n\t"
      "atom.global.acq_rel.gpu.cas.b128 old, [%6], want, fresh;\n\t"
      "mov.b128 {%0, %1}, old;\n\t"
      "}"
      : "=l"(low), "=l"(high)
      : "l"(tag), "l"(0ull), "l"(tag + 1), "l"(cells[i].x),
        "l"(__cvta_generic_to_global(cells))
      : "memory");
  cells[i + 32].x = low;
  cells[i + 32].y = high;
}

__global__ void Segments(const int* bins, const float* values, float* sums,
                         int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int bin = i < count ? bins[i] : -1;
  float v = i < count ? values[i] : 0.0f;
  unsigned peers = __match_any_sync(0xffffffffu, bin);
  const int lane = threadIdx.x % 32;
  const unsigned leader = __ffs(peers) - 1;
  float sum = 0.0f;
  while (peers != 0) {
    const int from = __ffs(peers) - 1;
    sum += __shfl_sync(__activemask(), v, from);
    peers &= peers - 1;
  }
  if (lane == static_cast<int>(leader) && bin >= 0) {
    atomicAdd(&sums[bin], sum);
  }
}

// Atomic operations of every scope, width and kind, and compare-and-swap loops
// that build the ones the hardware lacks.
#include <cuda_runtime.h>

__global__ void Integers(int* a, unsigned* b, unsigned long long* c,
                         long long* d) {
  const int i = threadIdx.x;
  atomicAdd(a + 0, i);
  atomicSub(a + 1, i);
  atomicMin(a + 2, i);
  atomicMax(a + 3, i);
  atomicAnd(a + 4, i);
  atomicOr(a + 5, i);
  atomicXor(a + 6, i);
  a[i + 64] = atomicExch(a + 7, i);
  a[i + 96] = atomicCAS(a + 8, i, i + 1);
  b[i + 64] = atomicInc(b, 17u);
  b[i + 96] = atomicDec(b + 1, 17u);
  atomicMin(b + 2, static_cast<unsigned>(i));
  atomicMax(b + 3, static_cast<unsigned>(i));
  atomicAdd(c + 0, 1ull << i);
  atomicMin(c + 1, c[2]);
  atomicAnd(c + 3, ~(1ull << i));
  c[i + 64] = atomicExch(c + 4, 5ull);
  c[i + 96] = atomicCAS(c + 5, 5ull, 6ull);
  atomicMax(d, static_cast<long long>(-i));
}

__global__ void Floats(float* a, double* b) {
  const int i = threadIdx.x;
  a[i + 32] = atomicAdd(a, i * 0.5f);
  b[i + 32] = atomicAdd(b, i * 0.5);
  atomicAdd(b + 1, -2.0);
  atomicExch(a + 1, 3.0f);
}

__global__ void Scopes(int* a, unsigned long long* b, float* f) {
  const int i = threadIdx.x;
  atomicAdd_block(a, i);
  atomicAdd_system(a + 1, i);
  atomicMax_block(a + 2, i);
  atomicMin_system(a + 3, i);
  a[i + 32] = atomicCAS_block(a + 4, i, 0);
  a[i + 64] = atomicCAS_system(a + 5, i, 0);
  atomicExch_system(b, 1ull);
  atomicXor_block(a + 6, i);
  atomicAdd_block(f, 1.0f);
  atomicAdd_system(f + 1, 1.0f);
}

__device__ float AtomicMaxFloat(float* at, float value) {
  int* bits = reinterpret_cast<int*>(at);
  int old = *bits;
  while (value > __int_as_float(old)) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) {
      break;
    }
  }
  return __int_as_float(old);
}

__device__ double AtomicMultiply(double* at, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(at);
  unsigned long long old = *bits;
  unsigned long long assumed;
  do {
    assumed = old;
    old =
        atomicCAS(bits, assumed,
                  __double_as_longlong(value * __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__global__ void Loops(float* a, double* b, unsigned short* c) {
  const int i = threadIdx.x;
  a[i + 32] = AtomicMaxFloat(a, a[i + 64]);
  b[i + 32] = AtomicMultiply(b, 1.0 + i);
  c[i + 32] = atomicCAS(c, static_cast<unsigned short>(i),
                        static_cast<unsigned short>(i + 1));
}

__global__ void InShared(int* out) {
  __shared__ int counts[32];
  __shared__ unsigned long long best;
  __shared__ float total;
  const int i = threadIdx.x;
  if (i < 32) {
    counts[i] = 0;
  }
  if (i == 0) {
    best = 0;
    total = 0.0f;
  }
  __syncthreads();
  atomicAdd(&counts[i * 7 % 32], 1);
  atomicMax(&best, static_cast<unsigned long long>(i) << 32 | i);
  atomicAdd(&total, static_cast<float>(i));
  __syncthreads();
  out[i] = counts[i % 32] + static_cast<int>(best) + static_cast<int>(total);
}

// The language's own atomics: orderings as well as scopes.
__global__ void Orderings(int* flag, int* data, unsigned char* bytes,
                          unsigned short* halves, long long* wide) {
  const int i = threadIdx.x;
  __atomic_store_n(data, i, __ATOMIC_RELAXED);
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(flag + 1, __ATOMIC_ACQUIRE) == 0) {
  }
  data[i] = __atomic_load_n(data + 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(wide, 3, __ATOMIC_ACQ_REL);
  __atomic_fetch_or(flag + 2, 4, __ATOMIC_RELEASE);
  __atomic_fetch_add(bytes, 3, __ATOMIC_RELAXED);
  __atomic_fetch_max(flag + 3, i, __ATOMIC_ACQUIRE);
  __atomic_fetch_nand(flag + 4, i, __ATOMIC_RELAXED);
  unsigned short expected = 4;
  __atomic_compare_exchange_n(halves, &expected, 9, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  halves[1] = expected;
  __scoped_atomic_fetch_add(flag + 5, 1, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_WRKGRP);
  __scoped_atomic_fetch_add(flag + 6, 1, __ATOMIC_RELEASE,
                            __MEMORY_SCOPE_DEVICE);
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  data[i] +=
      __scoped_atomic_load_n(flag + 7, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
}

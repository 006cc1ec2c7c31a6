// Barriers: named ones with counts, arrive without wait, reductions at a
// barrier, warp barriers, and the fences of every scope; producers and
// consumers.
#include <cuda_runtime.h>

// Warps 0 and 1 fill a buffer that warps 2 and 3 empty.
__global__ void __launch_bounds__(128)
    ProduceConsume(const float* in, float* out, int tiles) {
  __shared__ float buffers[2][64];
  const int warp = threadIdx.x / 32;
  const int t = threadIdx.x % 64;
  if (warp < 2) {
    for (int i = 0; i < tiles; ++i) {
      if (i >= 2) {
        asm volatile("bar.sync %0, 128;" ::"r"(3 + (i & 1)) : "memory");
      }
      buffers[i & 1][t] = in[i * 64 + t] * 2.0f;
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + (i & 1)) : "memory");
    }
  } else {
    for (int i = 0; i < tiles; ++i) {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + (i & 1)) : "memory");
      out[i * 64 + t] = buffers[i & 1][63 - t];
      if (i + 2 < tiles) {
        asm volatile("bar.arrive %0, 128;" ::"r"(3 + (i & 1)) : "memory");
      }
    }
  }
}

__global__ void Reductions(const int* in, int* out) {
  const int i = threadIdx.x;
  const int v = in[i];
  out[i] = __syncthreads_count(v > 3);
  out[i] += __syncthreads_and(v != 0);
  out[i] += __syncthreads_or(v == 7);
}

// Sums over growing groups of threads, each step in cells of its own.
__global__ void Builtins(int* cells, int which) {
  const int i = threadIdx.x;
  cells[i] = i;
  __nvvm_barrier_sync(1);
  cells[i + 64] = cells[i] + cells[i ^ 1];
  __nvvm_barrier_sync_cnt(2, 64);
  cells[i + 128] = cells[i + 64] + cells[(i ^ 2) + 64];
  __nvvm_barrier_sync(which & 15);
  cells[i + 192] = cells[i + 128] + cells[(i ^ 4) + 128];
  __nvvm_barrier_sync_cnt(which & 15, (which & 3) * 32 + 32);
  cells[i + 256] = cells[i + 192] + cells[(i ^ 8) + 192];
  __nvvm_bar_sync(3);
  if ((i & 16) == 0) {
    __nvvm_bar_warp_sync(0xffffu);
  }
  __syncwarp();
  cells[i + 320] = cells[i + 256] + cells[(i ^ 16) + 256];
}

__global__ void Fences(volatile int* data, volatile int* flags, int* out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    data[i] = i * 3;
    __threadfence();
    flags[i] = 1;
    data[i + 32] = i;
    __threadfence_block();
    flags[i + 32] = 1;
    data[i + 64] = i;
    __threadfence_system();
    flags[i + 64] = 1;
  } else {
    while (flags[i] == 0) {
    }
    __threadfence();
    out[i] = data[i];
  }
}

// A tree with no barrier but the warp's own.
__global__ void WarpTree(float* values) {
  __shared__ volatile float cells[4][64];
  volatile float* mine = cells[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  mine[lane] = values[threadIdx.x];
  mine[lane + 32] = 0.0f;
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    const float v = mine[lane] + mine[lane + step];
    __syncwarp();
    mine[lane] = v;
    __syncwarp();
  }
  values[threadIdx.x] = mine[0];
}

// A branch on the lane around a barrier with fewer threads.
__global__ void HalfBlock(int* cells) {
  if (threadIdx.x < 64) {
    cells[threadIdx.x] += 1;
    asm volatile("barrier.sync 5, 64;" ::: "memory");
    cells[threadIdx.x ^ 63] += 2;
  } else {
    unsigned long long start = clock64();
    while (clock64() - start < 100) {
    }
  }
}

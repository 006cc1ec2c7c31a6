// The limits a kernel declares: threads and blocks, registers by attribute, a
// cluster's shape, parameters kept in place, and large parameter blocks.
#include <cuda_runtime.h>

struct Options {
  float table[64];
  int counts[16];
  const float* sources[8];
};

__global__ void __launch_bounds__(64) OnlyThreads(float* a) {
  a[threadIdx.x] *= 2.0f;
}

__global__ void __launch_bounds__(256, 4) ThreadsAndBlocks(float* a) {
  a[threadIdx.x] = sinf(a[threadIdx.x]);
}

__global__ void __launch_bounds__(128, 2, 4) WithCluster(float* a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}

template <int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks) Bounded(double* a) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  a[i] = exp(a[i]);
}

template __global__ void Bounded<32, 16>(double*);
template __global__ void Bounded<512, 1>(double*);

__global__ void __maxnreg__(40) FewRegisters(float* a, int n) {
  float v[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    v[i] = a[i * 32 + threadIdx.x];
  }
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      v[i] = v[i] * v[(i + 5) % 16] + v[(i + 11) % 16];
    }
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    a[i * 32 + threadIdx.x] = v[i];
  }
}

__global__ void BigParameters(const __grid_constant__ Options options,
                              float* out, int which) {
  const int i = threadIdx.x;
  out[i] = options.table[i % 64] * options.counts[which] +
           options.sources[which & 7][i];
}

__device__ __noinline__ float Sum(const Options* options) {
  float s = 0.0f;
  for (int i = 0; i < 64; ++i) {
    s += options->table[i];
  }
  return s;
}

// The address of a parameter escapes to a called function.
__global__ void EscapingParameter(Options options, float* out) {
  options.table[threadIdx.x % 64] = 1.0f;
  out[threadIdx.x] = Sum(&options);
}

__global__ void EscapingInPlace(const __grid_constant__ Options options,
                                float* out) {
  out[threadIdx.x] = Sum(&options);
}

__global__ void ManyParameters(char a, short b, int c, long long d, float e,
                               double f, bool g, uchar4 h, short2 i, int3 j,
                               float4 k, double2 l, unsigned char m, void* to) {
  static_cast<double*>(to)[threadIdx.x] =
      a + b + c + d + e + f + g + h.x + i.y + j.z + k.w + l.y + m;
}

__global__ void NoParameters() { __nanosleep(10); }

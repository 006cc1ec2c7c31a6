// Shared memory: dynamic with several arrays carved from one, static of many
// types and alignments, pointers that lose their space, and transposes.
#include <cuda_runtime.h>

extern __shared__ __align__(16) unsigned char dynamic_bytes[];

template <typename T>
__global__ void Transpose(const T* __restrict__ in, T* __restrict__ out,
                          int width, int height) {
  __shared__ T tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8) {
    if (x < width && y + j < height) {
      tile[threadIdx.y + j][threadIdx.x] =
          in[static_cast<size_t>(y + j) * width + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8) {
    if (x < height && y + j < width) {
      out[static_cast<size_t>(y + j) * height + x] =
          tile[threadIdx.x][threadIdx.y + j];
    }
  }
}

template __global__ void Transpose<float>(const float*, float*, int, int);
template __global__ void Transpose<unsigned char>(const unsigned char*,
                                                  unsigned char*, int, int);
template __global__ void Transpose<double2>(const double2*, double2*, int, int);
template __global__ void Transpose<uchar3>(const uchar3*, uchar3*, int, int);

// Swizzled instead of padded; sixteen bytes at a time.
__global__ void TransposeSwizzled(const float4* in, float4* out, int width4) {
  __shared__ float tile[64 * 64];
  const int tx = threadIdx.x % 16;
  const int ty = threadIdx.x / 16;
  for (int row = ty; row < 64; row += 16) {
    const float4 v =
        in[(blockIdx.y * 64 + row) * width4 + blockIdx.x * 16 + tx];
    const float parts[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int column = tx * 4 + j;
      tile[column * 64 + (row ^ (column & 60))] = parts[j];
    }
  }
  __syncthreads();
  for (int row = ty; row < 64; row += 16) {
    out[(blockIdx.x * 64 + row) * width4 + blockIdx.y * 16 + tx] =
        *reinterpret_cast<float4*>(&tile[row * 64 + ((tx * 4) ^ (row & 60))]);
  }
}

__global__ void Carved(const double* in, int count, double* out) {
  double* doubles = reinterpret_cast<double*>(dynamic_bytes);
  int* ints = reinterpret_cast<int*>(doubles + count);
  short* shorts = reinterpret_cast<short*>(ints + count);
  const int i = threadIdx.x;
  doubles[i] = in[i];
  ints[i] = __double2int_rn(in[i]);
  shorts[i] = static_cast<short>(ints[i]);
  __syncthreads();
  const int j = count - 1 - i;
  out[i] = doubles[j] + ints[j] + shorts[j];
}

__device__ __noinline__ float Sum(const float* values, int count) {
  float s = 0.0f;
  for (int i = 0; i < count; ++i) {
    s += values[i];
  }
  return s;
}

__global__ void LosesItsSpace(const float* global, float* out, int choose) {
  __shared__ float cells[64];
  float locals[8];
  cells[threadIdx.x] = global[threadIdx.x];
  for (int i = 0; i < 8; ++i) {
    locals[i] = global[i] * i;
  }
  __syncthreads();
  const float* from = choose == 0 ? cells : choose == 1 ? locals : global;
  out[threadIdx.x] = Sum(from, 8) + from[threadIdx.x & 7];
  out[threadIdx.x + 64] =
      __isShared(from) + __isGlobal(from) * 2.0f + __isLocal(from) * 4.0f;
}

struct Cell {
  float4 position;
  char kind;
  short links[3];
};

__global__ void Structs(const Cell* in, Cell* out) {
  __shared__ Cell cells[32];
  __shared__ long long total;
  __shared__ bool any;
  cells[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) {
    total = 0;
    any = false;
  }
  __syncthreads();
  if (cells[threadIdx.x].kind == 3) {
    any = true;
    atomicAdd(reinterpret_cast<unsigned long long*>(&total), 1ull);
  }
  __syncthreads();
  Cell mine = cells[cells[threadIdx.x].links[any ? 1 : 2] & 31];
  mine.position.w = static_cast<float>(total);
  out[threadIdx.x] = mine;
}

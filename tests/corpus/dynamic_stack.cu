// Stack space sized at run time: alloca, arrays of variable length, and copies
// of structs whose size needs loops of loads and stores.
#include <cuda_runtime.h>

struct Block {
  int words[40];
  char tail[7];
};

__device__ __noinline__ int Reverse(const int* in, int count) {
  int* copy = static_cast<int*>(__builtin_alloca(count * sizeof(int)));
  for (int i = 0; i < count; ++i) {
    copy[count - 1 - i] = in[i];
  }
  int hash = 0;
  for (int i = 0; i < count; ++i) {
    hash = hash * 31 + copy[i];
  }
  return hash;
}

__global__ void Alloca(const int* in, int count, int* out) {
  out[threadIdx.x] = Reverse(in + threadIdx.x, count);
}

__global__ void Aligned(const double2* in, int count, double2* out) {
  auto* cells = static_cast<double2*>(
      __builtin_alloca_with_align(count * sizeof(double2), 128));
  for (int i = 0; i < count; ++i) {
    cells[i] = in[i * blockDim.x + threadIdx.x];
  }
  for (int i = count - 1; i > 0; --i) {
    const int j = static_cast<int>(cells[i].x) % (i + 1);
    const double2 t = cells[i];
    cells[i] = cells[j];
    cells[j] = t;
  }
  out[threadIdx.x] = cells[0];
}

__device__ __noinline__ Block Mix(Block a, const Block& b) {
  for (int i = 0; i < 40; ++i) {
    a.words[i] ^= b.words[39 - i];
  }
  a.tail[a.words[0] & 3] = b.tail[2];
  return a;
}

__global__ void Copies(const Block* in, Block* out, int at) {
  Block mine = in[threadIdx.x];
  mine.words[at] = 7;
  const Block mixed = Mix(mine, in[threadIdx.x + 1]);
  out[threadIdx.x] = mixed;
  __builtin_memset(&out[threadIdx.x + 32], 0, sizeof(Block));
  __builtin_memcpy(&out[threadIdx.x + 64], &in[threadIdx.x], at);
  __builtin_memmove(&out[1], &out[0], 64);
}

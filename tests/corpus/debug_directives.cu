// Line directives only (-gline-directives-only): each instruction keeps its
// line and nothing else; string searching and run-length coding.
#include <cuda_runtime.h>

// Boyer-Moore-Horspool with the skip table in shared memory.
__global__ void Search(const char* text, int length, const char* pattern,
                       int pattern_length, int* found) {
  __shared__ int skips[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    skips[i] = pattern_length;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i + 1 < pattern_length; ++i) {
      skips[static_cast<unsigned char>(pattern[i])] = pattern_length - 1 - i;
    }
  }
  __syncthreads();
  const int share =
      (length + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
  int at = (blockIdx.x * blockDim.x + threadIdx.x) * share;
  const int stop = min(at + share, length - pattern_length + 1);
  while (at < stop) {
    int i = pattern_length - 1;
    while (i >= 0 && text[at + i] == pattern[i]) {
      --i;
    }
    if (i < 0) {
      atomicAdd(found, 1);
    }
    at += skips[static_cast<unsigned char>(text[at + pattern_length - 1])];
  }
}

__global__ void RunLength(const unsigned char* in, int count, uchar2* out,
                          int* out_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || (i > 0 && in[i - 1] == in[i])) {
    return;
  }
  int run = 1;
  while (i + run < count && in[i + run] == in[i] && run < 255) {
    ++run;
  }
  out[atomicAdd(out_count, 1)] =
      make_uchar2(in[i], static_cast<unsigned char>(run));
}

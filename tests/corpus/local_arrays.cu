// Arrays in local memory: indices known only at run time, pointers to locals
// passed on, local structs, and a frame with several alignments.
#include <cuda_runtime.h>

namespace {

struct Node {
  short left;
  short right;
  float key;
};

__device__ __noinline__ void SortLocal(int* values, int count) {
  for (int i = 1; i < count; ++i) {
    const int value = values[i];
    int j = i - 1;
    while (j >= 0 && values[j] > value) {
      values[j + 1] = values[j];
      --j;
    }
    values[j + 1] = value;
  }
}

}  // namespace

__global__ void Medians(const int* in, int* out, int width, int radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int window[33];
  const int count = 2 * radius + 1;
  for (int k = 0; k < count; ++k) {
    window[k] = in[min(max(i + k - radius, 0), width - 1)];
  }
  SortLocal(window, count);
  out[i] = window[radius];
}

// A binary search tree for each thread, then a walk with an explicit stack.
__global__ void TreeOrder(const float* keys, float* out, int count) {
  Node nodes[64];
  unsigned char stack[64];
  const float* mine = keys + (blockIdx.x * blockDim.x + threadIdx.x) * count;
  nodes[0] = {-1, -1, mine[0]};
  for (int i = 1; i < count; ++i) {
    nodes[i] = {-1, -1, mine[i]};
    short at = 0;
    while (true) {
      short& next = mine[i] < nodes[at].key ? nodes[at].left : nodes[at].right;
      if (next < 0) {
        next = static_cast<short>(i);
        break;
      }
      at = next;
    }
  }
  int depth = 0;
  short at = 0;
  float* to = out + (blockIdx.x * blockDim.x + threadIdx.x) * count;
  while (at >= 0 || depth > 0) {
    while (at >= 0) {
      stack[depth++] = static_cast<unsigned char>(at);
      at = nodes[at].left;
    }
    const Node& node = nodes[stack[--depth]];
    *to++ = node.key;
    at = node.right;
  }
}

// The low bits of bytes choose which of several locals is touched.
__global__ void Mixed(const unsigned char* in, double* out) {
  double sums[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  alignas(16) float4 quads[4];
  unsigned char bytes[13];
  long long longs[5] = {};
  const int i = threadIdx.x;
  for (int k = 0; k < 13; ++k) {
    bytes[k] = in[i * 13 + k];
  }
  for (int k = 0; k < 4; ++k) {
    quads[k] = make_float4(bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]);
  }
  for (int k = 0; k < 13; ++k) {
    const int b = bytes[k];
    sums[b & 7] += quads[(b >> 3) & 3].y;
    longs[b % 5] ^= bytes[(k * b) % 13];
  }
  double total = 0;
  for (int k = 0; k < 8; ++k) {
    total += sums[(k + i) & 7] + longs[k % 5];
  }
  out[i] = total;
}

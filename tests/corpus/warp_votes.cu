// Warp operations: shuffles of every kind and width, votes, match, redux,
// activemask, elections, and 64-bit and struct values moved between lanes.
#include <cuda_runtime.h>

struct Particle {
  double energy;
  int id;
  short charge;
};

namespace {

template <typename T>
__device__ T Move(T value, int lane) {
  union {
    T value;
    int words[(sizeof(T) + 3) / 4];
  } u{value};
#pragma unroll
  for (int& word : u.words) {
    word = __shfl_sync(0xffffffffu, word, lane);
  }
  return u.value;
}

}  // namespace

__global__ void Shuffles(int* ints, float* floats, double* doubles,
                         long long* longs, unsigned char* bytes) {
  const int i = threadIdx.x;
  ints[i] = __shfl_sync(0xffffffffu, ints[i], i * 7, 32);
  ints[i] += __shfl_up_sync(0xffffffffu, ints[i], 3, 16);
  ints[i] += __shfl_down_sync(0xffffffffu, ints[i], 1, 8);
  ints[i] += __shfl_xor_sync(0xffffffffu, ints[i], 9);
  if (i < 16) {
    floats[i] = __shfl_down_sync(0x0000ffffu, floats[i], 4, 16);
  }
  doubles[i] = __shfl_sync(0xffffffffu, doubles[i], 0);
  longs[i] = __shfl_xor_sync(0xffffffffu, longs[i], 31);
  bytes[i] = static_cast<unsigned char>(
      __shfl_sync(0xffffffffu, static_cast<unsigned>(bytes[i]), bytes[i]));
}

__global__ void Structs(Particle* particles) {
  const int i = threadIdx.x;
  particles[i] = Move(particles[i], 31 - i);
}

__global__ void Votes(const int* in, unsigned* out) {
  const int i = threadIdx.x;
  const bool odd = in[i] & 1;
  unsigned result = __ballot_sync(0xffffffffu, odd);
  result += __all_sync(0xffffffffu, in[i] > 0);
  result += __any_sync(0xffffffffu, in[i] > 100) << 1;
  if (odd) {
    result ^= __activemask();
    result += __popc(__ballot_sync(__activemask(), in[i] > 5));
  }
  result += __nvvm_vote_uni_sync(0xffffffffu, odd);
  out[i] = result;
}

__global__ void Matches(const int* in, const unsigned long long* wide,
                        unsigned* out) {
  const int i = threadIdx.x;
  int all = 0;
  out[i] = __match_any_sync(0xffffffffu, in[i]);
  out[i + 32] = __match_all_sync(0xffffffffu, in[i], &all);
  out[i + 64] = __match_any_sync(0xffffffffu, wide[i]) + all;
  if (i < 8) {
    out[i + 96] = __match_all_sync(0xffu, wide[i], &all) + all;
  }
}

__global__ void Redux(const int* in, int* out) {
  const unsigned mask = __activemask();
  const int v = in[threadIdx.x];
  out[0] = __nvvm_redux_sync_add(v, mask);
  out[1] = __nvvm_redux_sync_min(v, mask);
  out[2] = __nvvm_redux_sync_and(v, mask);
  if (threadIdx.x < 8) {
    out[3] = __nvvm_redux_sync_umax(v, 0xffu);
  }
}

// One lane does the work for its warp, chosen three ways.
__global__ void Elect(int* counters, int* places) {
  const int lane = threadIdx.x % 32;
  const unsigned active = __activemask();
  int base = 0;
  if (lane == __ffs(active) - 1) {
    base = atomicAdd(counters, __popc(active));
  }
  base = __shfl_sync(active, base, __ffs(active) - 1);
  places[threadIdx.x] = base + __popc(active << (31 - lane) << 1);
  if (lane == 31 - __clz(active)) {
    atomicMax(counters + 1, base);
  }
}

// The shuffle's own predicate tells whether a source lane was in range.
__global__ void InRange(const float* in, float* out) {
  float v = in[threadIdx.x];
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    asm volatile(
        "{\n\t.reg .f32 other;\n\t.reg .pred p;\n\t"
        "shfl.sync.up.b32 other|p, %0, %1, 0x0, 0xffffffff;\n\t"
        "@p add.f32 %0, %0, other;\n\t}"
        : "+f"(v)
        : "r"(step));
  }
  out[threadIdx.x] = v;
}

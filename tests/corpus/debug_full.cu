// Full debug information (-g -O1): variables, types, templates, enumerations,
// unions, lambdas and inlined calls, for a queue simulation and a parser.
#include <cuda_runtime.h>

namespace queues {

enum class State : unsigned char { kIdle, kBusy, kBlocked };

union Word {
  unsigned bits;
  float value;
};

template <typename T, int kSize>
class Ring {
 public:
  __device__ bool Push(T value) {
    if (count_ == kSize) {
      return false;
    }
    cells_[(first_ + count_++) % kSize] = value;
    return true;
  }
  __device__ T Pop() {
    const T value = cells_[first_];
    first_ = (first_ + 1) % kSize;
    --count_;
    return value;
  }
  __device__ int count() const { return count_; }

 private:
  T cells_[kSize];
  int first_ = 0;
  int count_ = 0;
};

struct Totals {
  double waited;
  int served;
  int lost;
};

__device__ unsigned Random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

}  // namespace queues

__device__ int generations = 0;

__global__ void Simulate(queues::Totals* out, int steps, unsigned seed) {
  using queues::State;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned random = seed + i;
  queues::Ring<short, 16> ring;
  queues::Totals totals = {0.0, 0, 0};
  State state = State::kIdle;
  int left = 0;
  for (int step = 0; step < steps; ++step) {
    if (queues::Random(&random) % 4 == 0 &&
        !ring.Push(static_cast<short>(step))) {
      ++totals.lost;
      state = State::kBlocked;
    }
    if (left > 0) {
      --left;
    } else if (ring.count() > 0) {
      const short arrived = ring.Pop();
      totals.waited += step - arrived;
      ++totals.served;
      left = queues::Random(&random) % 6;
      state = State::kBusy;
    } else {
      state = State::kIdle;
    }
  }
  if (state == State::kBlocked) {
    totals.lost += 1000;
  }
  out[i] = totals;
  if (i == 0) {
    ++generations;
  }
}

__global__ void Reinterpret(const float* in, unsigned* out, int count) {
  __shared__ unsigned cells[64];
  auto key = [](float v) {
    queues::Word word;
    word.value = v;
    return word.bits & 0x80000000u ? ~word.bits : word.bits | 0x80000000u;
  };
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    cells[threadIdx.x % 64] = key(in[i]);
    __syncthreads();
    out[i] = cells[(threadIdx.x + 1) % 64];
    __syncthreads();
  }
}

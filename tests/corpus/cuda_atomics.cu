// Atomics and fences of the CUDA C++ library: every order and scope, a
// semaphore, a ticket lock, a ring buffer between blocks and a spin barrier.
#include <cuda/atomic>
#include <cuda/std/atomic>

using DeviceInt = cuda::atomic<int, cuda::thread_scope_device>;
using BlockInt = cuda::atomic<unsigned, cuda::thread_scope_block>;
using SystemLong = cuda::atomic<unsigned long long, cuda::thread_scope_system>;

__global__ void Orders(DeviceInt* a, BlockInt* b, SystemLong* c, int* out) {
  const int i = threadIdx.x;
  out[i] = a->load(cuda::memory_order_acquire);
  a->store(i, cuda::memory_order_release);
  out[i] += a->fetch_add(3, cuda::memory_order_relaxed);
  out[i] += a->fetch_sub(1, cuda::memory_order_acq_rel);
  out[i] += a->exchange(9, cuda::memory_order_acquire);
  int expected = 4;
  out[i] += a->compare_exchange_strong(expected, 5, cuda::memory_order_acq_rel,
                                       cuda::memory_order_acquire);
  out[i] += expected;
  b->fetch_or(1u << i, cuda::memory_order_release);
  b->fetch_and(~2u, cuda::memory_order_seq_cst);
  out[i] += b->fetch_xor(7u, cuda::memory_order_relaxed);
  c->fetch_max(i, cuda::memory_order_relaxed);
  c->store(1, cuda::memory_order_seq_cst);
  out[i] += static_cast<int>(c->load(cuda::memory_order_seq_cst));
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst,
                            cuda::thread_scope_device);
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel,
                            cuda::thread_scope_block);
}

__global__ void References(double* sums, float* floats, unsigned short* small,
                           const double* in) {
  const int i = threadIdx.x;
  cuda::atomic_ref<double, cuda::thread_scope_device> sum(sums[i & 3]);
  sum.fetch_add(in[i], cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_system> top(floats[0]);
  float seen = top.load(cuda::memory_order_relaxed);
  while (seen < in[i] &&
         !top.compare_exchange_weak(seen, static_cast<float>(in[i]),
                                    cuda::memory_order_relaxed)) {
  }
  cuda::atomic_ref<unsigned short, cuda::thread_scope_device> count(small[0]);
  count.fetch_add(1, cuda::memory_order_relaxed);
}

namespace {

class TicketLock {
 public:
  __device__ void Lock() {
    const unsigned mine = next_.fetch_add(1, cuda::memory_order_relaxed);
    while (serving_.load(cuda::memory_order_acquire) != mine) {
      __nanosleep(20);
    }
  }
  __device__ void Unlock() {
    serving_.fetch_add(1, cuda::memory_order_release);
  }

 private:
  cuda::atomic<unsigned, cuda::thread_scope_device> next_;
  cuda::atomic<unsigned, cuda::thread_scope_device> serving_;
};

}  // namespace

__global__ void Locked(TicketLock* lock, int* shared_list, int* length) {
  if (threadIdx.x == 0) {
    lock->Lock();
    shared_list[(*length)++] = blockIdx.x;
    lock->Unlock();
  }
}

struct Slot {
  cuda::atomic<unsigned, cuda::thread_scope_device> turn;
  float4 payload;
};

__global__ void Ring(Slot* slots, unsigned size, unsigned rounds, float4* out) {
  const bool makes = blockIdx.x % 2 == 0;
  const unsigned pair = blockIdx.x / 2;
  Slot* mine = slots + pair * size;
  if (threadIdx.x != 0) {
    return;
  }
  for (unsigned n = 0; n < rounds; ++n) {
    Slot& slot = mine[n % size];
    const unsigned turn = n / size * 2 + (makes ? 0 : 1);
    while (slot.turn.load(cuda::memory_order_acquire) != turn) {
    }
    if (makes) {
      slot.payload = make_float4(n, pair, 0.0f, 1.0f);
    } else {
      out[pair * rounds + n] = slot.payload;
    }
    slot.turn.store(turn + 1, cuda::memory_order_release);
  }
}

__global__ void SpinBarrier(DeviceInt* arrived, DeviceInt* phase, float* cells,
                            int rounds, int width) {
  for (int r = 0; r < rounds; ++r) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float left = i > 0 ? cells[(r & 1) * width + i - 1] : 0.0f;
    const float right = i + 1 < width ? cells[(r & 1) * width + i + 1] : 0.0f;
    if (i < width) {
      cells[(~r & 1) * width + i] = 0.5f * (left + right);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      const int now = phase->load(cuda::memory_order_relaxed);
      if (arrived->fetch_add(1, cuda::memory_order_acq_rel) ==
          static_cast<int>(gridDim.x) - 1) {
        arrived->store(0, cuda::memory_order_relaxed);
        phase->store(now + 1, cuda::memory_order_release);
      } else {
        while (phase->load(cuda::memory_order_acquire) == now) {
        }
      }
    }
    __syncthreads();
  }
}

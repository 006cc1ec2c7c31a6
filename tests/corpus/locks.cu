// Locks and grid-wide waits built by hand: test and set, a reader-writer lock,
// a queue lock, a sense-reversing barrier, and a work queue.
#include <cuda_runtime.h>

namespace {

struct Grid {
  unsigned arrived;
  volatile unsigned sense;
};

__device__ void SyncGrid(Grid* grid) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned old = grid->sense;
    __threadfence();
    if (atomicAdd(&grid->arrived, 1) == gridDim.x - 1) {
      grid->arrived = 0;
      __threadfence();
      grid->sense = old + 1;
    } else {
      while (grid->sense == old) {
        __nanosleep(32);
      }
    }
    __threadfence();
  }
  __syncthreads();
}

struct Waiter {
  Waiter* next;
  volatile int locked;
};

}  // namespace

__global__ void RedBlack(float* cells, int width, int height, int sweeps,
                         float over, Grid* grid) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int sweep = 0; sweep < 2 * sweeps; ++sweep) {
    if (x > 0 && x < width - 1) {
      for (int y = 1 + ((x ^ sweep) & 1); y < height - 1; y += 2) {
        float* c = cells + y * width + x;
        const float mean = 0.25f * (__ldcg(c - 1) + __ldcg(c + 1) +
                                    __ldcg(c - width) + __ldcg(c + width));
        __stwt(c, __ldcg(c) + over * (mean - __ldcg(c)));
      }
    }
    SyncGrid(grid);
  }
}

__global__ void SpinLock(int* lock, long long* account, const int* amounts) {
  bool done = false;
  while (!done) {
    if (atomicExch(lock, 1) == 0) {
      __threadfence();
      *static_cast<volatile long long*>(account) += amounts[threadIdx.x];
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void ReadersWriters(int* state, volatile int* table, int* out) {
  const bool writes = blockIdx.x % 8 == 0;
  if (threadIdx.x == 0) {
    if (writes) {
      while (atomicCAS(state, 0, -1) != 0) {
        __nanosleep(64);
      }
      for (int i = 0; i < 8; ++i) {
        table[i] = table[i] + 1;
      }
      __threadfence();
      atomicExch(state, 0);
    } else {
      while (true) {
        const int seen = *static_cast<volatile int*>(state);
        if (seen >= 0 && atomicCAS(state, seen, seen + 1) == seen) {
          break;
        }
      }
      int sum = 0;
      for (int i = 0; i < 8; ++i) {
        sum += table[i];
      }
      out[blockIdx.x] = sum;
      __threadfence();
      atomicSub(state, 1);
    }
  }
}

__global__ void QueueLock(Waiter** tail, Waiter* waiters, int* value) {
  if (threadIdx.x != 0) {
    return;
  }
  Waiter* mine = waiters + blockIdx.x;
  mine->next = nullptr;
  mine->locked = 1;
  auto* word = reinterpret_cast<unsigned long long*>(tail);
  auto* before = reinterpret_cast<Waiter*>(
      atomicExch(word, reinterpret_cast<unsigned long long>(mine)));
  if (before != nullptr) {
    *reinterpret_cast<Waiter* volatile*>(&before->next) = mine;
    while (mine->locked) {
    }
  }
  __threadfence();
  ++*value;
  __threadfence();
  if (*reinterpret_cast<Waiter* volatile*>(&mine->next) == nullptr) {
    if (atomicCAS(word, reinterpret_cast<unsigned long long>(mine), 0ull) ==
        reinterpret_cast<unsigned long long>(mine)) {
      return;
    }
    while (*reinterpret_cast<Waiter* volatile*>(&mine->next) == nullptr) {
    }
  }
  mine->next->locked = 0;
}

__global__ void WorkQueue(int2* tasks, int* head, int* tail, int* pending,
                          int* leaves) {
  while (*static_cast<volatile int*>(pending) > 0) {
    const int at = *static_cast<volatile int*>(head);
    if (at >= *static_cast<volatile int*>(tail) ||
        atomicCAS(head, at, at + 1) != at) {
      continue;
    }
    // The tail moves before the tasks are there; no task ends at zero.
    const volatile int2* place = tasks + at;
    int2 task;
    do {
      task.y = place->y;
    } while (task.y == 0);
    __threadfence();
    task.x = place->x;
    if (task.y - task.x <= 4) {
      atomicAdd(leaves, task.y - task.x);
      atomicSub(pending, 1);
    } else {
      const int middle = (task.x + task.y) / 2;
      atomicAdd(pending, 1);
      const int to = atomicAdd(tail, 2);
      volatile int2* children = tasks + to;
      children[0].x = task.x;
      children[1].x = middle;
      __threadfence();
      children[0].y = middle;
      children[1].y = task.y;
    }
  }
}

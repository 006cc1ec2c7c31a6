// printf with every kind of argument, assert, traps, timers, breakpoints and
// allocation on the device's heap.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

struct Person {
  const char* name;
  int age;
};

__device__ const Person people[] = {{"Ada", 36}, {"Alan", 41}, {"Grace", 85}};

__global__ void Report(const float* values, int count, char tag) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    printf("%c %d: %f %e %lld %u %s\n", tag, i, values[i],
           static_cast<double>(values[i]) * 1e10, 1ll << i, i * 3u,
           i & 1 ? "odd" : "even");
  }
  if (i == 0) {
    printf("done\n");
    printf("%p %5.2f%%\n", values, 100.0f * count);
  }
}

__global__ void Roll() {
  const Person& person = people[threadIdx.x % 3];
  const int printed = printf("%s is %d\n", person.name, person.age);
  if (printed < 0) {
    printf("%d\n", printed);
  }
}

__global__ void Checked(const int* in, int* out, int limit) {
  const int i = threadIdx.x;
  assert(in != nullptr && "no input");
  assert(in[i] < limit);
  if (in[i] < 0) {
    __trap();
  }
  if (in[i] == 12345) {
    __brkpt();
  }
  out[i] = in[i] / limit;
}

// A list of pieces on the device's heap, walked and freed.
__global__ void Heap(int* out, int pieces) {
  struct Piece {
    Piece* next;
    int value;
  };
  Piece* head = nullptr;
  for (int i = 0; i < pieces; ++i) {
    auto* piece = static_cast<Piece*>(malloc(sizeof(Piece)));
    if (piece == nullptr) {
      break;
    }
    piece->next = head;
    piece->value = i * threadIdx.x;
    head = piece;
  }
  int sum = 0;
  while (head != nullptr) {
    Piece* next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  out[threadIdx.x] = sum;
}

__global__ void Timers(long long* out) {
  const long long start = clock64();
  const unsigned ticks = clock();
  __nanosleep(100);
  out[threadIdx.x] = clock64() - start + ticks;
}

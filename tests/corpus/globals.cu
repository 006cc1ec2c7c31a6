// Module variables: scalars, structs, strings, pointers to other globals and
// into them, function pointers, weak, static, packed and aligned.
#include <cuda_fp16.h>

struct Link {
  const char* name;
  const Link* next;
  int* counter;
  float weights[3];
  short tag;
};

struct Packed {
  char a;
  long long b;
  unsigned char c[5];
  double d;
} __attribute__((packed));

using Step = int (*)(int);

__device__ int Twice(int x) { return 2 * x; }
__device__ int Next(int x) { return x + 1; }

__device__ int counters[4] = {1, 2, 3, 4};
__device__ int zeroed[1024];
__device__ double ratio = 0.1;
__device__ float special[4] = {-0.0f, __builtin_huge_valf(), __builtin_nanf(""),
                               1e-42f};
__device__ const Link last = {"last", nullptr, counters + 3, {1, 2, 3}, -1};
__device__ const Link first = {"first", &last, &counters[1], {4, 5, 6}, 7};
__device__ const Link* volatile entry = &first;
__device__ Packed packed = {1, -2, {3, 4, 5, 6, 7}, 0.5};
__device__ Step steps[3] = {Twice, Next, Twice};
__device__ char text[] = "tab\tquote\"nul";
__device__ unsigned long long wide = 0x123456789abcdef0ull;
__device__ __align__(128) float4 aligned[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ bool flags[3] = {true, false, true};
__device__ short shorts[3] = {-1, 2, -3};
__device__ __int128 very_wide = static_cast<__int128>(0x1122334455667788) << 64;
__device__ const int* into_zeroed[2] = {zeroed + 10, zeroed + 20};
__device__ _Float16 half_value = 1.5;
__device__ __attribute__((weak)) int weak_value = 11;
static __device__ int hidden = 3;
__constant__ float coefficients[8] = {1, 0.5f, 0.25f};
__constant__ const char* names[3] = {"red", "green", "blue"};
__constant__ struct {
  int a;
  const float* table;
} settings = {9, coefficients + 2};
__device__ __attribute__((used)) int never_read = 77;

namespace {
__device__ int anonymous[2] = {8, 9};
}

template <typename T>
__device__ T per_type = T(3);

__device__ __attribute__((weak)) int WeakFunction(int x) { return x - 1; }

__global__ void Touch(int* out, double* dout, float* fout) {
  const int i = threadIdx.x;
  atomicAdd(&counters[i & 3], 1);
  zeroed[i] = i + hidden;
  ++hidden;
  dout[i] = ratio + packed.b + packed.d + packed.c[i % 5];
  fout[i] = special[i & 3] + aligned[i & 1].z + coefficients[i & 7];
  fout[i + 32] = static_cast<float>(half_value) + settings.table[i & 3];
  out[i] = steps[i % 3](i) + weak_value + WeakFunction(i) + shorts[i % 3];
  out[i + 32] = text[i % 12] + names[i % 3][0] + flags[i % 3] + settings.a;
  out[i + 64] = static_cast<int>(very_wide >> 96) + static_cast<int>(wide >> 8);
  out[i + 96] = *into_zeroed[i & 1] + anonymous[i & 1];
  anonymous[i & 1] = i;
  half_value = half_value + static_cast<_Float16>(1);
  very_wide += i;
  text[0] = static_cast<char>(i);
  packed.b = i;
  wide += i;
}

__global__ void Follow(int* out, float* fout) {
  int steps_taken = 0;
  for (const Link* link = entry; link != nullptr; link = link->next) {
    ++*link->counter;
    fout[steps_taken] = link->weights[1] + link->name[0] + link->tag;
    ++steps_taken;
  }
  *out = steps_taken + per_type<int> + static_cast<int>(per_type<double>);
  per_type<int> = 5;
  per_type<double> = 6;
}

__global__ void StaticLocals(int* out) {
  static __device__ int calls = 0;
  static __constant__ int primes[5] = {2, 3, 5, 7, 11};
  __shared__ int before;
  if (threadIdx.x == 0) {
    before = atomicAdd(&calls, 1);
  }
  __syncthreads();
  out[threadIdx.x] = before + primes[threadIdx.x % 5];
}

// A relocatable unit (-fgpu-rdc): functions and variables of other units are
// declared and used, its own are visible, and statics are renamed.
#include <cuda_runtime.h>

struct Settings {
  float gain;
  int rounds;
};

extern __device__ float ElsewhereFloat(float x, int n);
extern __device__ Settings ElsewhereSettings(const char* name);
extern "C" __device__ void elsewhere_log(const void* data, size_t size);
extern __device__ int elsewhere_counter;
extern __device__ float elsewhere_table[];
extern __constant__ Settings elsewhere_settings;
extern __shared__ float scratch[];

static __device__ int own_static = 4;
__device__ int own_visible = 5;
__device__ float (*own_pointer)(float, int) = ElsewhereFloat;

__device__ float VisibleFunction(float x) {
  return ElsewhereFloat(x, own_static) * own_visible;
}

static __device__ __noinline__ int StaticFunction(int n) {
  own_static += n;
  return elsewhere_counter + own_static;
}

__global__ void UsesOthers(const float* in, float* out) {
  const int i = threadIdx.x;
  const Settings settings = ElsewhereSettings("default");
  scratch[i] = in[i] * settings.gain + elsewhere_table[i % 8];
  __syncthreads();
  float v = scratch[i ^ 1];
  for (int r = 0; r < settings.rounds + elsewhere_settings.rounds; ++r) {
    v = own_pointer(v, StaticFunction(r));
  }
  out[i] = VisibleFunction(v);
  elsewhere_log(out, sizeof(float));
}

// Random numbers: generators by distributions.

#include <curand_kernel.h>

template <typename State>
__global__ void Normal(State* states, double* out, int n) {
  State state = states[threadIdx.x];
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double2 pair = curand_normal2_double(&state);
    sum += exp(pair.x) * cos(pair.y);
  }
  out[threadIdx.x] = sum;
  states[threadIdx.x] = state;
}

template <typename State>
__global__ void Poisson(State* states, unsigned* out, double lambda, int n) {
  State state = states[threadIdx.x];
  for (int i = 0; i < n; ++i) out[i * 32 + threadIdx.x] = curand_poisson(&state, lambda);
  states[threadIdx.x] = state;
}

template __global__ void Normal(curandStateXORWOW_t*, double*, int);
template __global__ void Normal(curandStateMRG32k3a_t*, double*, int);
template __global__ void Normal(curandStatePhilox4_32_10_t*, double*, int);
template __global__ void Poisson(curandStateXORWOW_t*, unsigned*, double, int);
template __global__ void Poisson(curandStatePhilox4_32_10_t*, unsigned*, double, int);

__global__ void Seed(curandStateMRG32k3a_t* mrg, curandStateXORWOW_t* xorwow, curandStatePhilox4_32_10_t* philox,
                     unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, mrg + i);
  curand_init(seed, i, i * 7, xorwow + i);
  curand_init(seed, i, 3, philox + i);
}

__global__ void LogNormalSobol(curandStateScrambledSobol64_t* states, double* out, int n) {
  curandStateScrambledSobol64_t state = states[threadIdx.x];
  for (int i = 0; i < n; ++i) out[i * 32 + threadIdx.x] = curand_log_normal_double(&state, 0.5, 2.0);
  states[threadIdx.x] = state;
}

__global__ void FourAtOnce(curandStatePhilox4_32_10_t* states, float4* normal, uint4* poisson, int n) {
  curandStatePhilox4_32_10_t state = states[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    normal[i * 32 + threadIdx.x] = curand_normal4(&state);
    poisson[i * 32 + threadIdx.x] = curand_poisson4(&state, 50.0);
  }
  states[threadIdx.x] = state;
}

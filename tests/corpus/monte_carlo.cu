// Monte Carlo: Philox and xorshift streams, Black-Scholes in closed form and by
// paths, the Heston model, pi, the Ising model and Sobol points.
#include <cuda_runtime.h>

namespace {

struct Philox {
  uint4 counter;
  uint2 key;

  __device__ uint4 Next() {
    uint4 c = counter;
    uint2 k = key;
#pragma unroll
    for (int i = 0; i < 10; ++i) {
      const unsigned h0 = __umulhi(0xd2511f53u, c.x);
      const unsigned l0 = 0xd2511f53u * c.x;
      const unsigned h1 = __umulhi(0xcd9e8d57u, c.z);
      const unsigned l1 = 0xcd9e8d57u * c.z;
      c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
      k.x += 0x9e3779b9u;
      k.y += 0xbb67ae85u;
    }
    if (++counter.x == 0 && ++counter.y == 0) {
      ++counter.z;
    }
    return c;
  }
};

__device__ float Uniform(unsigned bits) {
  return bits * 2.3283064e-10f + 1.1641532e-10f;
}

__device__ float2 Normal(unsigned a, unsigned b) {
  const float radius = sqrtf(-2.0f * logf(Uniform(a)));
  float s;
  float c;
  sincospif(2.0f * Uniform(b), &s, &c);
  return make_float2(radius * c, radius * s);
}

__device__ double Cumulative(double x) {
  return 0.5 * erfc(-x * 0.7071067811865476);
}

}  // namespace

__global__ void BlackScholes(const double* spot, const double* strike,
                             const double* years, double rate,
                             double volatility, double* call, double* put,
                             int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const double root = volatility * sqrt(years[i]);
  const double d1 = (log(spot[i] / strike[i]) +
                     (rate + 0.5 * volatility * volatility) * years[i]) /
                    root;
  const double d2 = d1 - root;
  const double later = strike[i] * exp(-rate * years[i]);
  const double value = spot[i] * Cumulative(d1) - later * Cumulative(d2);
  call[i] = value;
  put[i] = value + later - spot[i];
}

__global__ void AsianPaths(float spot, float strike, float drift,
                           float step_vol, int steps, int paths, uint2 key,
                           float* sums) {
  Philox random = {make_uint4(0, 0, blockIdx.x, threadIdx.x), key};
  float total = 0.0f;
  float squares = 0.0f;
  for (int p = 0; p < paths; ++p) {
    float log_price = 0.0f;
    float mean = 0.0f;
    for (int s = 0; s < steps; s += 4) {
      const uint4 bits = random.Next();
      const float2 n0 = Normal(bits.x, bits.y);
      const float2 n1 = Normal(bits.z, bits.w);
      log_price += drift + step_vol * n0.x;
      mean += __expf(log_price);
      log_price += drift + step_vol * n0.y;
      mean += __expf(log_price);
      log_price += drift + step_vol * n1.x;
      mean += __expf(log_price);
      log_price += drift + step_vol * n1.y;
      mean += __expf(log_price);
    }
    const float gain = fmaxf(spot * mean / steps - strike, 0.0f);
    total += gain;
    squares = fmaf(gain, gain, squares);
  }
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[2 * i] = total;
  sums[2 * i + 1] = squares;
}

__global__ void Heston(float spot, float v0, float kappa, float theta, float xi,
                       float rho, float dt, int steps, uint2 key, float* out) {
  Philox random = {make_uint4(0, 1, blockIdx.x, threadIdx.x), key};
  const float root_dt = sqrtf(dt);
  const float other = sqrtf(1.0f - rho * rho);
  float x = logf(spot);
  float v = v0;
  for (int s = 0; s < steps; ++s) {
    const uint4 bits = random.Next();
    const float2 n = Normal(bits.x, bits.y);
    const float vp = fmaxf(v, 0.0f);
    const float root = sqrtf(vp) * root_dt;
    x += -0.5f * vp * dt + root * n.x;
    v += kappa * (theta - vp) * dt + xi * root * (rho * n.x + other * n.y);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = expf(x);
}

__global__ void Pi(unsigned long long seed, int rounds,
                   unsigned long long* inside) {
  unsigned long long s =
      seed ^ (blockIdx.x * 1024ull + threadIdx.x) * 0x9e3779b97f4a7c15ull;
  unsigned hits = 0;
  for (int i = 0; i < rounds; ++i) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    const float x = static_cast<unsigned>(s) * 2.3283064e-10f;
    const float y = static_cast<unsigned>(s >> 32) * 2.3283064e-10f;
    hits += x * x + y * y < 1.0f;
  }
  hits = __nvvm_redux_sync_add(hits, 0xffffffffu);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(inside, static_cast<unsigned long long>(hits));
  }
}

// A checkerboard sweep of the Ising model; the spins are bytes.
__global__ void Ising(signed char* spins, int size, int colour,
                      const float* accept, uint2 key, unsigned sweep) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (((x ^ y) & 1) != colour) {
    return;
  }
  const int mask = size - 1;
  const int around =
      spins[y * size + ((x + 1) & mask)] + spins[y * size + ((x - 1) & mask)] +
      spins[((y + 1) & mask) * size + x] + spins[((y - 1) & mask) * size + x];
  const int spin = spins[y * size + x];
  Philox random = {make_uint4(x, y, sweep, 0), key};
  if (Uniform(random.Next().x) < accept[(spin * around + 4) / 2]) {
    spins[y * size + x] = static_cast<signed char>(-spin);
  }
}

__global__ void Sobol(const unsigned* directions, unsigned first, float* out,
                      int count) {
  const unsigned* v = directions + blockIdx.y * 32;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const unsigned n = first + i;
    unsigned gray = n ^ n >> 1;
    unsigned x = 0;
    while (gray != 0) {
      const int bit = __ffs(gray) - 1;
      x ^= __ldg(v + bit);
      gray &= gray - 1;
    }
    out[blockIdx.y * count + i] = x * 2.3283064e-10f;
  }
}

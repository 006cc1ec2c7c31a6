// Fields on lattices and states of qubits: the Wilson operator with links of
// two rows, plaquettes of SU(3), a heat bath for the Potts model, and gates of
// one, two and three qubits.
#include <cuda_runtime.h>

namespace {

__device__ inline float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}

__device__ inline float2 operator*(float s, float2 a) {
  return make_float2(s * a.x, s * a.y);
}

__device__ inline float2 TimesI(float s, float2 a) {
  return make_float2(-s * a.y, s * a.x);
}

// Returns c + a * b, and c + conjugate(a) * b.
template <typename T>
__device__ inline T MultiplyAdd(T a, T b, T c) {
  c.x = fma(a.x, b.x, fma(-a.y, b.y, c.x));
  c.y = fma(a.x, b.y, fma(a.y, b.x, c.y));
  return c;
}

template <typename T>
__device__ inline T ConjugateMultiplyAdd(T a, T b, T c) {
  c.x = fma(a.x, b.x, fma(a.y, b.y, c.x));
  c.y = fma(a.x, b.y, fma(-a.y, b.x, c.y));
  return c;
}

struct Link {
  float2 e[3][3];
};

}  // namespace

struct Lattice {
  int size[4];
};

namespace {

// Returns the neighbor of a site of which one coordinate is `at`.
__device__ inline int Step(int site, int at, int size, int stride,
                           bool forward) {
  if (forward) {
    return at + 1 == size ? site - at * stride : site + stride;
  }
  return at == 0 ? site + (size - 1) * stride : site - stride;
}

// Loads two rows; the third is the conjugate of their cross product.
__device__ inline Link LoadTwoRows(const float2* __restrict__ links,
                                   int direction, int site, int volume) {
  Link u;
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    u.e[i / 3][i % 3] = links[(direction * 6 + i) * volume + site];
  }
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const float2 a = u.e[0][(i + 1) % 3];
    const float2 b = u.e[1][(i + 2) % 3];
    const float2 c = u.e[0][(i + 2) % 3];
    const float2 d = u.e[1][(i + 1) % 3];
    u.e[2][i] =
        make_float2(a.x * b.x - a.y * b.y - c.x * d.x + c.y * d.y,
                    -(a.x * b.y + a.y * b.x - c.x * d.y - c.y * d.x));
  }
  return u;
}

}  // namespace

// Applies 1 - kappa * sum of (1 - gamma) U shift + (1 + gamma) U* shift back
// to a spinor field, with gammas as DeGrand and Rossi have them.
__global__ void __launch_bounds__(128)
    WilsonDslash(const float2* __restrict__ links,
                 const float2* __restrict__ in, float2* __restrict__ out,
                 Lattice lattice, float kappa) {
  const int volume = lattice.size[0] * lattice.size[1] * lattice.size[2] *
                     lattice.size[3];
  const int site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= volume) {
    return;
  }
  float2 sum[4][3] = {};
  int stride = 1;
#pragma unroll 1
  for (int mu = 0; mu < 4; ++mu) {
    const int size = lattice.size[mu];
    const int at = site / stride % size;
#pragma unroll 1
    for (int back = 0; back < 2; ++back) {
      const int there = Step(site, at, size, stride, back == 0);
      const float s = back == 0 ? -1.0f : 1.0f;
      float2 half[2][3];
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        const float2 p0 = in[c * volume + there];
        const float2 p1 = in[(3 + c) * volume + there];
        const float2 p2 = in[(6 + c) * volume + there];
        const float2 p3 = in[(9 + c) * volume + there];
        switch (mu) {
          case 0:
            half[0][c] = p0 + TimesI(s, p3);
            half[1][c] = p1 + TimesI(s, p2);
            break;
          case 1:
            half[0][c] = p0 + -s * p3;
            half[1][c] = p1 + s * p2;
            break;
          case 2:
            half[0][c] = p0 + TimesI(s, p2);
            half[1][c] = p1 + TimesI(-s, p3);
            break;
          default:
            half[0][c] = p0 + s * p2;
            half[1][c] = p1 + s * p3;
            break;
        }
      }
      const Link u = LoadTwoRows(links, mu, back == 0 ? site : there, volume);
      float2 turned[2][3] = {};
#pragma unroll
      for (int h = 0; h < 2; ++h) {
#pragma unroll
        for (int i = 0; i < 3; ++i) {
#pragma unroll
          for (int j = 0; j < 3; ++j) {
            // The inverse is the conjugate transpose.
            const float2 e = back == 0
                                 ? u.e[i][j]
                                 : make_float2(u.e[j][i].x, -u.e[j][i].y);
            turned[h][i] = MultiplyAdd(e, half[h][j], turned[h][i]);
          }
        }
      }
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        const float2 h0 = turned[0][c];
        const float2 h1 = turned[1][c];
        sum[0][c] = sum[0][c] + h0;
        sum[1][c] = sum[1][c] + h1;
        switch (mu) {
          case 0:
            sum[2][c] = sum[2][c] + TimesI(-s, h1);
            sum[3][c] = sum[3][c] + TimesI(-s, h0);
            break;
          case 1:
            sum[2][c] = sum[2][c] + s * h1;
            sum[3][c] = sum[3][c] + -s * h0;
            break;
          case 2:
            sum[2][c] = sum[2][c] + TimesI(-s, h0);
            sum[3][c] = sum[3][c] + TimesI(s, h1);
            break;
          default:
            sum[2][c] = sum[2][c] + s * h0;
            sum[3][c] = sum[3][c] + s * h1;
            break;
        }
      }
    }
    stride *= size;
  }
#pragma unroll
  for (int i = 0; i < 12; ++i) {
    out[i * volume + site] = in[i * volume + site] + -kappa * sum[i / 3][i % 3];
  }
}

namespace {

__device__ inline Link LoadLink(const float2* __restrict__ links, int direction,
                                int site, int volume) {
  Link u;
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    u.e[i / 3][i % 3] = links[(direction * 9 + i) * volume + site];
  }
  return u;
}

__device__ inline Link Multiply(const Link& a, const Link& b) {
  Link product;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        sum = MultiplyAdd(a.e[i][k], b.e[k][j], sum);
      }
      product.e[i][j] = sum;
    }
  }
  return product;
}

}  // namespace

// Sums up the real traces of the plaquettes, in space and in time.
__global__ void Plaquettes(const float2* __restrict__ links, Lattice lattice,
                           double* totals) {
  __shared__ double partial[2][32];
  const int volume = lattice.size[0] * lattice.size[1] * lattice.size[2] *
                     lattice.size[3];
  double sums[2] = {0.0, 0.0};
  for (int site = blockIdx.x * blockDim.x + threadIdx.x; site < volume;
       site += gridDim.x * blockDim.x) {
    int mu_stride = 1;
    for (int mu = 0; mu < 3; ++mu) {
      const int mu_size = lattice.size[mu];
      const int ahead = Step(site, site / mu_stride % mu_size, mu_size,
                             mu_stride, true);
      int nu_stride = mu_stride * mu_size;
#pragma unroll 1
      for (int nu = mu + 1; nu < 4; ++nu) {
        const int nu_size = lattice.size[nu];
        const int above = Step(site, site / nu_stride % nu_size, nu_size,
                               nu_stride, true);
        const Link one = Multiply(LoadLink(links, mu, site, volume),
                                  LoadLink(links, nu, ahead, volume));
        const Link other = Multiply(LoadLink(links, nu, site, volume),
                                    LoadLink(links, mu, above, volume));
        float trace = 0.0f;
#pragma unroll
        for (int i = 0; i < 9; ++i) {
          const float2 a = one.e[i / 3][i % 3];
          const float2 b = other.e[i / 3][i % 3];
          trace = fmaf(a.x, b.x, fmaf(a.y, b.y, trace));
        }
        if (nu == 3) {
          sums[1] += trace;
        } else {
          sums[0] += trace;
        }
        nu_stride *= nu_size;
      }
      mu_stride *= mu_size;
    }
  }
#pragma unroll
  for (int kind = 0; kind < 2; ++kind) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      sums[kind] += __shfl_down_sync(0xffffffffu, sums[kind], step);
    }
    if (threadIdx.x % 32 == 0) {
      partial[kind][threadIdx.x / 32] = sums[kind];
    }
  }
  __syncthreads();
  if (threadIdx.x < 2) {
    double sum = 0.0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) {
      sum += partial[threadIdx.x][w];
    }
    atomicAdd(&totals[threadIdx.x], sum);
  }
}

// ---- The Potts model on a torus. A launch renews the sites of one colour of
// the checkerboard; random numbers come from Philox by site and sweep.

namespace {

__device__ inline uint4 Philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xd2511f53u, counter.x);
    const unsigned low0 = 0xd2511f53u * counter.x;
    const unsigned high1 = __umulhi(0xcd9e8d57u, counter.z);
    const unsigned low1 = 0xcd9e8d57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1,
                         high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

}  // namespace

struct Boltzmann {
  float weight[5];  // by the number of equal neighbors
};

template <int kStates>
__global__ void PottsHeatBath(signed char* spins, int width, int height,
                              int parity, unsigned sweep, uint2 seed,
                              Boltzmann table, int* histogram) {
  __shared__ int counts[kStates];
  if (threadIdx.x < kStates) {
    counts[threadIdx.x] = 0;
  }
  __syncthreads();
  const int x_pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  const int x = 2 * x_pair + ((y ^ parity) & 1);
  if (x < width) {
    const int left = spins[y * width + (x == 0 ? width - 1 : x - 1)];
    const int right = spins[y * width + (x + 1 == width ? 0 : x + 1)];
    const int up = spins[(y == 0 ? height - 1 : y - 1) * width + x];
    const int down = spins[(y + 1 == height ? 0 : y + 1) * width + x];
    float cumulative[kStates];
    float sum = 0.0f;
#pragma unroll
    for (int q = 0; q < kStates; ++q) {
      const int equal = (left == q) + (right == q) + (up == q) + (down == q);
      sum += table.weight[equal];
      cumulative[q] = sum;
    }
    const unsigned site = y * width + x;
    const uint4 random = Philox(make_uint4(site, sweep, parity, 0), seed);
    const float dart = (random.x >> 8) * 0x1p-24f * sum;
    int chosen = 0;
#pragma unroll
    for (int q = 0; q + 1 < kStates; ++q) {
      chosen += dart >= cumulative[q];
    }
    spins[site] = static_cast<signed char>(chosen);
    atomicAdd(&counts[chosen], 1);
  }
  __syncthreads();
  if (threadIdx.x < kStates) {
    atomicAdd(&histogram[threadIdx.x], counts[threadIdx.x]);
  }
}

template __global__ void PottsHeatBath<5>(signed char*, int, int, int, unsigned,
                                          uint2, Boltzmann, int*);

// ---- Gates on a state vector.

namespace {

// Opens a gap of one bit.
__device__ inline unsigned long long OpenBit(unsigned long long v, int bit) {
  const unsigned long long low = (1ull << bit) - 1;
  return (v & ~low) << 1 | (v & low);
}

}  // namespace

struct TwoQubitGate {
  float2 e[4][4];
};

// `low` is less than `high`; the gate acts where all bits of `controls` are 1.
__global__ void ApplyTwoQubits(float2* state, int qubits, int low, int high,
                               unsigned long long controls,
                               TwoQubitGate gate) {
  const unsigned long long count = 1ull << (qubits - 2);
  const unsigned long long stride =
      static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const unsigned long long base = OpenBit(OpenBit(i, low), high);
    if ((base & controls) != controls) {
      continue;
    }
    float2* place[4];
    float2 in[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      place[k] = state + (base | static_cast<unsigned long long>(k & 1) << low |
                          static_cast<unsigned long long>(k >> 1) << high);
      in[k] = *place[k];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sum = MultiplyAdd(gate.e[k][j], in[j], sum);
      }
      *place[k] = sum;
    }
  }
}

// A fused gate of three qubits in double; its matrix is in shared memory.
__global__ void ApplyThreeQubits(double2* __restrict__ state, int qubits,
                                 int3 targets,
                                 const double2* __restrict__ matrix) {
  __shared__ double2 rows[8][8];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    rows[i / 8][i % 8] = matrix[i];
  }
  __syncthreads();
  const unsigned count = 1u << (qubits - 3);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const unsigned base = static_cast<unsigned>(
      OpenBit(OpenBit(OpenBit(i, targets.x), targets.y), targets.z));
  double2 in[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    in[k] = state[base | (k & 1) << targets.x | (k >> 1 & 1) << targets.y |
                  (k >> 2) << targets.z];
  }
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    double2 sum = make_double2(0.0, 0.0);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      sum = MultiplyAdd(rows[k][j], in[j], sum);
    }
    state[base | (k & 1) << targets.x | (k >> 1 & 1) << targets.y |
          (k >> 2) << targets.z] = sum;
  }
}

// Gates of one qubit on each of the five lowest qubits: a warp exchanges
// amplitudes by shuffles. Each lane has four stretches of the state.
__global__ void ApplyLowQubits(float2* state, int stretches,
                               const float2* __restrict__ gates) {
  const int lane = threadIdx.x % 32;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float2 mine[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int stretch = warp * 4 + k;
    mine[k] = stretch < stretches ? state[stretch * 32 + lane]
                                  : make_float2(0.0f, 0.0f);
  }
#pragma unroll 1
  for (int qubit = 0; qubit < 5; ++qubit) {
    const int bit = lane >> qubit & 1;
    const float2 keep = gates[qubit * 4 + bit * 3];
    const float2 swap = gates[qubit * 4 + bit * 2 + 1 - bit];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float2 other;
      other.x = __shfl_xor_sync(0xffffffffu, mine[k].x, 1 << qubit);
      other.y = __shfl_xor_sync(0xffffffffu, mine[k].y, 1 << qubit);
      mine[k] = MultiplyAdd(keep, mine[k],
                            MultiplyAdd(swap, other, make_float2(0.0f, 0.0f)));
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int stretch = warp * 4 + k;
    if (stretch < stretches) {
      state[stretch * 32 + lane] = mine[k];
    }
  }
}

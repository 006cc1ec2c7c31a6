// Lattice Boltzmann, D3Q19: single and multiple relaxation times with all 19
// populations in registers (high pressure), bounce-back walls and a rest state.
#include <cuda_runtime.h>

namespace {

constexpr int kQ = 19;
constexpr int kX[kQ] = {0,  1, -1, 0, 0,  0, 0, 1, -1, 1,
                        -1, 1, -1, 1, -1, 0, 0, 0, 0};
constexpr int kY[kQ] = {0, 0, 0, 1, -1, 0, 0,  1, -1, -1,
                        1, 0, 0, 0, 0,  1, -1, 1, -1};
constexpr int kZ[kQ] = {0, 0, 0,  0,  0, 1, -1, 0,  0, 0,
                        0, 1, -1, -1, 1, 1, -1, -1, 1};
constexpr int kBack[kQ] = {0, 2,  1,  4,  3,  6,  5,  8,  7, 10,
                           9, 12, 11, 14, 13, 16, 15, 18, 17};

template <typename Real>
__device__ constexpr Real Weight(int q) {
  return q == 0 ? Real(1.0 / 3.0) : q < 7 ? Real(1.0 / 18.0) : Real(1.0 / 36.0);
}

}  // namespace

template <typename Real>
__global__ void __launch_bounds__(128)
    StreamCollide(const Real* __restrict__ in, Real* __restrict__ out,
                  const unsigned char* __restrict__ solid, int nx, int ny,
                  int nz, Real omega, Real force_x) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  const int z = blockIdx.z;
  if (x >= nx) {
    return;
  }
  const size_t cells = static_cast<size_t>(nx) * ny * nz;
  const size_t cell = (static_cast<size_t>(z) * ny + y) * nx + x;
  if (solid[cell]) {
    return;
  }
  Real f[kQ];
#pragma unroll
  for (int q = 0; q < kQ; ++q) {
    const int fx = (x - kX[q] + nx) % nx;
    const int fy = (y - kY[q] + ny) % ny;
    const int fz = (z - kZ[q] + nz) % nz;
    const size_t from = (static_cast<size_t>(fz) * ny + fy) * nx + fx;
    f[q] = solid[from] ? in[kBack[q] * cells + cell] : in[q * cells + from];
  }
  Real rho = 0;
  Real ux = 0;
  Real uy = 0;
  Real uz = 0;
#pragma unroll
  for (int q = 0; q < kQ; ++q) {
    rho += f[q];
    ux += kX[q] * f[q];
    uy += kY[q] * f[q];
    uz += kZ[q] * f[q];
  }
  const Real inverse = 1 / rho;
  ux = ux * inverse + force_x;
  uy *= inverse;
  uz *= inverse;
  const Real square = Real(1.5) * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int q = 0; q < kQ; ++q) {
    const Real along = kX[q] * ux + kY[q] * uy + kZ[q] * uz;
    const Real rest = Weight<Real>(q) * rho *
                      (1 + 3 * along + Real(4.5) * along * along - square);
    out[q * cells + cell] = f[q] + omega * (rest - f[q]);
  }
}

template __global__ void StreamCollide<float>(const float*, float*,
                                              const unsigned char*, int, int,
                                              int, float, float);
template __global__ void StreamCollide<double>(const double*, double*,
                                               const unsigned char*, int, int,
                                               int, double, double);

// Two relaxation times: even and odd parts of opposite populations, and the
// Smagorinsky eddy viscosity from the stress.
__global__ void __launch_bounds__(256, 2)
    TwoTimes(float* __restrict__ f0, size_t cells, float omega_even,
             float omega_odd, float smagorinsky, float4* __restrict__ moments) {
  const size_t cell =
      static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (cell >= cells) {
    return;
  }
  float f[kQ];
  float rest[kQ];
  float4 m = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int q = 0; q < kQ; ++q) {
    f[q] = f0[q * cells + cell];
    m.x += kX[q] * f[q];
    m.y += kY[q] * f[q];
    m.z += kZ[q] * f[q];
    m.w += f[q];
  }
  const float ux = m.x / m.w;
  const float uy = m.y / m.w;
  const float uz = m.z / m.w;
  const float square = 1.5f * (ux * ux + uy * uy + uz * uz);
  float stress[6] = {};
#pragma unroll
  for (int q = 0; q < kQ; ++q) {
    const float along = kX[q] * ux + kY[q] * uy + kZ[q] * uz;
    rest[q] = Weight<float>(q) * m.w *
              (1.0f + 3.0f * along + 4.5f * along * along - square);
    const float off = f[q] - rest[q];
    stress[0] += kX[q] * kX[q] * off;
    stress[1] += kY[q] * kY[q] * off;
    stress[2] += kZ[q] * kZ[q] * off;
    stress[3] += kX[q] * kY[q] * off;
    stress[4] += kY[q] * kZ[q] * off;
    stress[5] += kZ[q] * kX[q] * off;
  }
  const float size = sqrtf(
      stress[0] * stress[0] + stress[1] * stress[1] + stress[2] * stress[2] +
      2.0f * (stress[3] * stress[3] + stress[4] * stress[4] +
              stress[5] * stress[5]));
  const float tau = 1.0f / omega_even;
  const float eddy =
      0.5f * (sqrtf(tau * tau + 18.0f * smagorinsky * size / m.w) - tau);
  const float even = 1.0f / (tau + eddy);
#pragma unroll
  for (int q = 0; q < kQ; ++q) {
    const int b = kBack[q];
    const float fe = 0.5f * (f[q] + f[b]) - 0.5f * (rest[q] + rest[b]);
    const float fo = 0.5f * (f[q] - f[b]) - 0.5f * (rest[q] - rest[b]);
    f0[q * cells + cell] = f[q] - even * fe - omega_odd * fo;
  }
  moments[cell] = make_float4(ux, uy, uz, m.w);
}

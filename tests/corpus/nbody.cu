// Bodies and particles: all pairs with a tile in shared memory, in doubles, a
// cell-list Lennard-Jones force and a leapfrog step.
#include <cuda_runtime.h>

namespace {

__device__ float3 Pull(float4 a, float4 b, float3 sum, float soft2) {
  const float dx = b.x - a.x;
  const float dy = b.y - a.y;
  const float dz = b.z - a.z;
  const float d2 = dx * dx + dy * dy + dz * dz + soft2;
  const float inverse = rsqrtf(d2);
  const float s = b.w * inverse * inverse * inverse;
  return make_float3(sum.x + dx * s, sum.y + dy * s, sum.z + dz * s);
}

}  // namespace

__global__ void __launch_bounds__(256)
    AllPairs(const float4* __restrict__ bodies, float3* __restrict__ pulls,
             int count, float soft2) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 mine = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int base = 0; base < count; base += 256) {
    const int j = base + threadIdx.x;
    tile[threadIdx.x] = j < count ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 256; ++k) {
      sum = Pull(mine, tile[k], sum, soft2);
    }
    __syncthreads();
  }
  if (i < count) {
    pulls[i] = sum;
  }
}

__global__ void AllPairsDouble(const double* x, const double* y,
                               const double* z, const double* mass,
                               double3* pulls, int count) {
  extern __shared__ double cells[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double mx = x[i];
  const double my = y[i];
  const double mz = z[i];
  double3 sum = make_double3(0, 0, 0);
  double* tx = cells;
  double* ty = cells + blockDim.x;
  double* tz = cells + 2 * blockDim.x;
  double* tm = cells + 3 * blockDim.x;
  for (int base = 0; base < count; base += blockDim.x) {
    tx[threadIdx.x] = x[base + threadIdx.x];
    ty[threadIdx.x] = y[base + threadIdx.x];
    tz[threadIdx.x] = z[base + threadIdx.x];
    tm[threadIdx.x] = mass[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < static_cast<int>(blockDim.x); ++k) {
      const double dx = tx[k] - mx;
      const double dy = ty[k] - my;
      const double dz = tz[k] - mz;
      const double inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-12);
      const double s = tm[k] * inverse * inverse * inverse;
      sum.x += dx * s;
      sum.y += dy * s;
      sum.z += dz * s;
    }
    __syncthreads();
  }
  pulls[i] = sum;
}

__global__ void Leapfrog(float4* bodies, float3* speeds, const float3* pulls,
                         int count, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  float3 v = speeds[i];
  const float3 a = pulls[i];
  v = make_float3(v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z);
  float4 p = bodies[i];
  p.x += dt * v.x;
  p.y += dt * v.y;
  p.z += dt * v.z;
  speeds[i] = v;
  bodies[i] = p;
}

__global__ void LennardJones(const float4* atoms, const int* cell_starts,
                             const int* cell_of, float4* forces, int count,
                             int3 cells, float3 box, float cut2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float4 mine = atoms[i];
  const int cell = cell_of[i];
  const int cx = cell % cells.x;
  const int cy = cell / cells.x % cells.y;
  const int cz = cell / (cells.x * cells.y);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int n = 0; n < 27; ++n) {
    const int x = (cx + n % 3 - 1 + cells.x) % cells.x;
    const int y = (cy + n / 3 % 3 - 1 + cells.y) % cells.y;
    const int z = (cz + n / 9 - 1 + cells.z) % cells.z;
    const int other = (z * cells.y + y) * cells.x + x;
    for (int j = cell_starts[other]; j < cell_starts[other + 1]; ++j) {
      const float4 b = atoms[j];
      float dx = mine.x - b.x;
      float dy = mine.y - b.y;
      float dz = mine.z - b.z;
      dx -= box.x * rintf(dx / box.x);
      dy -= box.y * rintf(dy / box.y);
      dz -= box.z * rintf(dz / box.z);
      const float r2 = dx * dx + dy * dy + dz * dz;
      if (j != i && r2 < cut2) {
        const float i2 = 1.0f / r2;
        const float i6 = i2 * i2 * i2;
        const float f = 48.0f * i6 * (i6 - 0.5f) * i2;
        sum.x += f * dx;
        sum.y += f * dy;
        sum.z += f * dz;
        sum.w += 4.0f * i6 * (i6 - 1.0f);
      }
    }
  }
  forces[i] = sum;
}

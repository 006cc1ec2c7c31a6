// Electrostatics by particle and mesh: charges spread to a grid by splines of
// order four, forces gathered back with their derivatives, and the pairs at
// short range from lists of neighbors.
#include <cuda_runtime.h>

namespace {

constexpr int kOrder = 4;

// The weights of a spline at kOrder places, and with kSlopes their derivatives,
// for a charge a part of a cell after the first place.
template <bool kSlopes>
__device__ __forceinline__ void Spline(float part, float (&weights)[kOrder],
                                       float (&slopes)[kOrder]) {
  weights[kOrder - 1] = 0.0f;
  weights[1] = part;
  weights[0] = 1.0f - part;
#pragma unroll
  for (int k = 3; k <= kOrder; ++k) {
    if (kSlopes && k == kOrder) {
      slopes[0] = -weights[0];
#pragma unroll
      for (int i = 1; i < kOrder; ++i) {
        slopes[i] = weights[i - 1] - weights[i];
      }
    }
    const float scale = 1.0f / (k - 1);
    weights[k - 1] = scale * part * weights[k - 2];
#pragma unroll
    for (int i = 1; i < k - 1; ++i) {
      weights[k - i - 1] = scale * ((part + i) * weights[k - i - 2] +
                                    (k - i - part) * weights[k - i - 1]);
    }
    weights[0] = scale * (1.0f - part) * weights[0];
  }
}

// The cell of a coordinate, and in part the place in it.
__device__ __forceinline__ int Cell(float coordinate, float inverse, int cells,
                                    float& part) {
  float fraction = coordinate * inverse;
  fraction = (fraction - floorf(fraction)) * cells;
  const int cell = min(static_cast<int>(fraction), cells - 1);
  part = fraction - cell;
  return cell;
}

__device__ __forceinline__ int Wrap(int i, int cells) {
  return i >= cells ? i - cells : i;
}

}  // namespace

// Positions have charges as fourth numbers.
__global__ void SpreadCharges(const float4* __restrict__ atoms, int count,
                              float3 inverse_box, int3 cells,
                              float* __restrict__ grid) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float4 atom = atoms[i];
  if (atom.w == 0.0f) {
    return;
  }
  float wx[kOrder];
  float wy[kOrder];
  float wz[kOrder];
  float part;
  const int x0 = Cell(atom.x, inverse_box.x, cells.x, part);
  Spline<false>(part, wx, wx);
  const int y0 = Cell(atom.y, inverse_box.y, cells.y, part);
  Spline<false>(part, wy, wy);
  const int z0 = Cell(atom.z, inverse_box.z, cells.z, part);
  Spline<false>(part, wz, wz);
  int columns[kOrder];
#pragma unroll
  for (int z = 0; z < kOrder; ++z) {
    columns[z] = Wrap(z0 + z, cells.z);
    wz[z] *= atom.w;
  }
#pragma unroll
  for (int x = 0; x < kOrder; ++x) {
    const int plane = Wrap(x0 + x, cells.x) * cells.y;
#pragma unroll
    for (int y = 0; y < kOrder; ++y) {
      float* line = grid + (plane + Wrap(y0 + y, cells.y)) * cells.z;
      const float weight = wx[x] * wy[y];
#pragma unroll
      for (int z = 0; z < kOrder; ++z) {
        atomicAdd(line + columns[z], weight * wz[z]);
      }
    }
  }
}

__global__ void __launch_bounds__(128)
    GatherForces(const float4* __restrict__ atoms, int count,
                 float3 inverse_box, int3 cells,
                 const float* __restrict__ potential,
                 float4* __restrict__ forces) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float4 atom = atoms[i];
  float wx[kOrder];
  float wy[kOrder];
  float wz[kOrder];
  float sx[kOrder];
  float sy[kOrder];
  float sz[kOrder];
  float part;
  const int x0 = Cell(atom.x, inverse_box.x, cells.x, part);
  Spline<true>(part, wx, sx);
  const int y0 = Cell(atom.y, inverse_box.y, cells.y, part);
  Spline<true>(part, wy, sy);
  const int z0 = Cell(atom.z, inverse_box.z, cells.z, part);
  Spline<true>(part, wz, sz);
  float fx = 0.0f;
  float fy = 0.0f;
  float fz = 0.0f;
  float energy = 0.0f;
#pragma unroll
  for (int x = 0; x < kOrder; ++x) {
    const int plane = Wrap(x0 + x, cells.x) * cells.y;
#pragma unroll
    for (int y = 0; y < kOrder; ++y) {
      const float* line =
          potential + (plane + Wrap(y0 + y, cells.y)) * cells.z;
      float along = 0.0f;
      float across = 0.0f;
#pragma unroll
      for (int z = 0; z < kOrder; ++z) {
        const float v = __ldg(line + Wrap(z0 + z, cells.z));
        along += sz[z] * v;
        across += wz[z] * v;
      }
      fx += sx[x] * wy[y] * across;
      fy += wx[x] * sy[y] * across;
      fz += wx[x] * wy[y] * along;
      energy += wx[x] * wy[y] * across;
    }
  }
  forces[i] = make_float4(-atom.w * fx * cells.x * inverse_box.x,
                          -atom.w * fy * cells.y * inverse_box.y,
                          -atom.w * fz * cells.z * inverse_box.z,
                          0.5f * atom.w * energy);
}

// Lennard-Jones forces that a polynomial switches off between two distances,
// and the part of the electric forces at short range. A list has kWidth lanes.
template <int kWidth>
__global__ void PairForces(const float4* __restrict__ atoms,
                           const int* __restrict__ types, int count,
                           float3 box, float3 inverse_box,
                           const int* __restrict__ neighbors,
                           const int* __restrict__ counts, int most,
                           const float2* __restrict__ table, int type_count,
                           float switch_from, float cutoff, float ewald,
                           float4* __restrict__ forces) {
  extern __shared__ float2 pairs[];
  for (int i = threadIdx.x; i < type_count * type_count; i += blockDim.x) {
    pairs[i] = table[i];
  }
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int atom = min(thread / kWidth, count - 1);
  const int lane = thread % kWidth;
  const float4 here = atoms[atom];
  const float2* row = pairs + types[atom] * type_count;
  const int length = counts[atom];
  const float cutoff2 = cutoff * cutoff;
  const float width = 1.0f / (cutoff - switch_from);
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 2
  for (int n = lane; n < length; n += kWidth) {
    const int other = neighbors[atom * most + n];
    const float4 there = atoms[other];
    float dx = here.x - there.x;
    float dy = here.y - there.y;
    float dz = here.z - there.z;
    dx -= box.x * rintf(dx * inverse_box.x);
    dy -= box.y * rintf(dy * inverse_box.y);
    dz -= box.z * rintf(dz * inverse_box.z);
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 >= cutoff2) {
      continue;
    }
    const float2 pair = row[types[other]];
    const float inverse = rsqrtf(r2);
    const float r = r2 * inverse;
    const float inverse2 = inverse * inverse;
    const float s6 = inverse2 * inverse2 * inverse2;
    float energy = s6 * (pair.x * s6 - pair.y);
    float slope = -6.0f * s6 * (2.0f * pair.x * s6 - pair.y) * inverse;
    const float t = (r - switch_from) * width;
    if (t > 0.0f) {
      const float on = 1.0f + t * t * t * (-10.0f + t * (15.0f - 6.0f * t));
      const float on_slope =
          t * t * (-30.0f + t * (60.0f - 30.0f * t)) * width;
      slope = slope * on + energy * on_slope;
      energy *= on;
    }
    const float product = here.w * there.w;
    const float reach = ewald * r;
    const float screened = product * erfcf(reach) * inverse;
    slope -= (screened + product * ewald * 1.1283791671f *
                             __expf(-reach * reach)) *
             inverse;
    energy += screened;
    const float force = -slope * inverse;
    sum.x += force * dx;
    sum.y += force * dy;
    sum.z += force * dz;
    sum.w += 0.5f * energy;
  }
#pragma unroll
  for (int step = kWidth / 2; step > 0; step /= 2) {
    sum.x += __shfl_down_sync(0xffffffffu, sum.x, step, kWidth);
    sum.y += __shfl_down_sync(0xffffffffu, sum.y, step, kWidth);
    sum.z += __shfl_down_sync(0xffffffffu, sum.z, step, kWidth);
    sum.w += __shfl_down_sync(0xffffffffu, sum.w, step, kWidth);
  }
  if (lane == 0 && thread / kWidth < count) {
    forces[atom] = sum;
  }
}

template __global__ void PairForces<4>(const float4*, const int*, int, float3,
                                       float3, const int*, const int*, int,
                                       const float2*, int, float, float, float,
                                       float4*);

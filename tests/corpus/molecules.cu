// Molecular dynamics: bonds, angles and dihedrals with atomics, a search for
// neighbors in cells by warps with exclusions, and constraints by SETTLE and by
// SHAKE.
#include <cuda_runtime.h>

namespace {

constexpr unsigned kAll = 0xffffffffu;

struct Box {
  float3 size, inverse;
};

__device__ __forceinline__ float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

__device__ __forceinline__ float3 operator-(float3 a, float3 b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ __forceinline__ float3 operator*(float s, float3 a) {
  return make_float3(s * a.x, s * a.y, s * a.z);
}

__device__ __forceinline__ float Dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ __forceinline__ float3 Cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
                     a.x * b.y - a.y * b.x);
}

// The shortest a - b among periodic images.
__device__ __forceinline__ float3 Apart(float4 a, float4 b, const Box& box) {
  float3 d = make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
  d.x -= box.size.x * rintf(d.x * box.inverse.x);
  d.y -= box.size.y * rintf(d.y * box.inverse.y);
  d.z -= box.size.z * rintf(d.z * box.inverse.z);
  return d;
}

__device__ __forceinline__ void AddForce(float* forces, int atom, float3 f) {
  atomicAdd(forces + 3 * atom, f.x);
  atomicAdd(forces + 3 * atom + 1, f.y);
  atomicAdd(forces + 3 * atom + 2, f.z);
}

__device__ __forceinline__ void AddEnergy(float* energy, float mine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    mine += __shfl_xor_sync(kAll, mine, step);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(energy, mine);
  }
}

}  // namespace

// Harmonic bonds between two atoms, and angles around the second of three. The
// threads after those of the bonds have the angles.
__global__ void BondsAndAngles(const float4* __restrict__ positions, Box box,
                               const int2* __restrict__ bonds,
                               const float2* __restrict__ bond_types,
                               int bond_count, const int4* __restrict__ angles,
                               const float2* __restrict__ angle_types,
                               int angle_count, float* __restrict__ forces,
                               float* __restrict__ energy) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = 0.0f;
  if (i < bond_count) {
    const int2 pair = bonds[i];
    const float2 type = bond_types[i];
    const float3 d =
        Apart(positions[pair.x], positions[pair.y], box);
    const float inverse = rsqrtf(Dot(d, d));
    const float stretch = Dot(d, d) * inverse - type.x;
    mine = 0.5f * type.y * stretch * stretch;
    const float3 f = -type.y * stretch * inverse * d;
    AddForce(forces, pair.x, f);
    AddForce(forces, pair.y, -1.0f * f);
  } else if (i < bond_count + angle_count) {
    const int4 angle = angles[i - bond_count];
    const float2 type = angle_types[angle.w];
    const float4 middle = positions[angle.y];
    const float3 a = Apart(positions[angle.x], middle, box);
    const float3 b = Apart(positions[angle.z], middle, box);
    const float inverse_a = rsqrtf(Dot(a, a));
    const float inverse_b = rsqrtf(Dot(b, b));
    const float cosine =
        fminf(fmaxf(Dot(a, b) * inverse_a * inverse_b, -1.0f), 1.0f);
    const float sine = sqrtf(fmaxf(1.0f - cosine * cosine, 1e-12f));
    const float bend = acosf(cosine) - type.x;
    mine = 0.5f * type.y * bend * bend;
    const float slope = type.y * bend / sine;
    const float across = slope * inverse_a * inverse_b;
    const float along_a = slope * cosine * inverse_a * inverse_a;
    const float along_b = slope * cosine * inverse_b * inverse_b;
    const float3 fa = across * b - along_a * a;
    const float3 fb = across * a - along_b * b;
    AddForce(forces, angle.x, fa);
    AddForce(forces, angle.z, fb);
    AddForce(forces, angle.y, -1.0f * (fa + fb));
  }
  AddEnergy(energy, mine);
}

// Torsions k * (1 + cos(n * phi - phase)). A dihedral has up to kTerms terms in
// a row of the table; the first with a force of zero ends them.
template <int kTerms>
__global__ void Dihedrals(const float4* __restrict__ positions, Box box,
                          const int4* __restrict__ atoms,
                          const int* __restrict__ types,
                          const float4* __restrict__ terms, int count,
                          float* __restrict__ forces,
                          float* __restrict__ energy) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = 0.0f;
  if (i < count) {
    const int4 four = atoms[i];
    const float4 pj = positions[four.y];
    const float4 pk = positions[four.z];
    const float3 ij = Apart(positions[four.x], pj, box);
    const float3 kj = Apart(pk, pj, box);
    const float3 kl = Apart(pk, positions[four.w], box);
    const float3 m = Cross(ij, kj);
    const float3 n = Cross(kj, kl);
    const float middle2 = Dot(kj, kj);
    const float middle = sqrtf(middle2);
    const float phi = atan2f(middle * Dot(ij, n), Dot(m, n));
    float slope = 0.0f;
    for (int t = 0; t < kTerms; ++t) {
      const float4 term = terms[types[i] * kTerms + t];
      if (term.x == 0.0f) {
        break;
      }
      float sine;
      float cosine;
      sincosf(term.y * phi - term.z, &sine, &cosine);
      mine += term.x * (1.0f + cosine);
      slope -= term.x * term.y * sine;
    }
    const float3 fi = -slope * middle / fmaxf(Dot(m, m), 1e-12f) * m;
    const float3 fl = slope * middle / fmaxf(Dot(n, n), 1e-12f) * n;
    const float p = Dot(ij, kj) / middle2;
    const float q = Dot(kl, kj) / middle2;
    const float3 s = p * fi - q * fl;
    AddForce(forces, four.x, fi);
    AddForce(forces, four.y, s - fi);
    AddForce(forces, four.z, -1.0f * (fl + s));
    AddForce(forces, four.w, fl);
  }
  AddEnergy(energy, mine);
}

template __global__ void Dihedrals<3>(const float4*, Box, const int4*,
                                      const int*, const float4*, int, float*,
                                      float*);

// A warp finds the neighbors of an atom in the 27 cells around it. Atoms are
// sorted by cells; ids are their numbers before. Exclusions are sorted lists of
// ids. A cell is at least as wide as the cutoff, and there are three at least
// along each axis.
__global__ void FindNeighbors(const float4* __restrict__ sorted,
                              const int* __restrict__ ids, int count, Box box,
                              int3 cells, const int* __restrict__ cell_starts,
                              float cutoff2,
                              const int* __restrict__ exclusion_starts,
                              const int* __restrict__ exclusions, int most,
                              int* __restrict__ neighbors,
                              int* __restrict__ counts,
                              int* __restrict__ overflow) {
  const int atom = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (atom >= count) {
    return;
  }
  const float4 here = sorted[atom];
  const int id = ids[atom];
  const int first = exclusion_starts[id];
  const int last = exclusion_starts[id + 1];
  const int cx =
      min(static_cast<int>(here.x * box.inverse.x * cells.x), cells.x - 1);
  const int cy =
      min(static_cast<int>(here.y * box.inverse.y * cells.y), cells.y - 1);
  const int cz =
      min(static_cast<int>(here.z * box.inverse.z * cells.z), cells.z - 1);
  int found = 0;
  for (int dz = -1; dz <= 1; ++dz) {
    int z = cz + dz;
    z += z < 0 ? cells.z : z >= cells.z ? -cells.z : 0;
    for (int dy = -1; dy <= 1; ++dy) {
      int y = cy + dy;
      y += y < 0 ? cells.y : y >= cells.y ? -cells.y : 0;
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        int x = cx + dx;
        x += x < 0 ? cells.x : x >= cells.x ? -cells.x : 0;
        const int cell = (z * cells.y + y) * cells.x + x;
        const int end = cell_starts[cell + 1];
        for (int base = cell_starts[cell]; base < end; base += 32) {
          const int other = base + lane;
          bool near = other < end && other != atom;
          int other_id = 0;
          if (near) {
            const float3 d = Apart(here, sorted[other], box);
            near = Dot(d, d) < cutoff2;
          }
          if (near) {
            other_id = ids[other];
            int low = first;
            int high = last;
            while (low < high) {
              const int middle = (low + high) / 2;
              if (exclusions[middle] < other_id) {
                low = middle + 1;
              } else {
                high = middle;
              }
            }
            near = low == last || exclusions[low] != other_id;
          }
          const unsigned votes = __ballot_sync(kAll, near);
          const int at = found + __popc(votes & ((1u << lane) - 1));
          if (near && at < most) {
            neighbors[id * most + at] = other_id;
          }
          found += __popc(votes);
        }
      }
    }
  }
  if (lane == 0) {
    counts[id] = min(found, most);
    if (found > most) {
      atomicMax(overflow, found);
    }
  }
}

namespace {

struct Water {
  float heavy_part, light_part;  // of the mass, for one atom
  float ra, rb, rc;              // see Miyamoto and Kollman
};

__device__ __forceinline__ float3 Load3(const float* p, int i) {
  return make_float3(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
}

__device__ __forceinline__ void Add3(float* p, int i, float3 v) {
  p[3 * i] += v.x;
  p[3 * i + 1] += v.y;
  p[3 * i + 2] += v.z;
}

}  // namespace

// Puts rigid waters back to their shape, in one step. Molecules are whole.
__global__ void Settle(const float* __restrict__ before,
                       float* __restrict__ after, float* __restrict__ speeds,
                       const int* __restrict__ oxygens, int count, Water water,
                       float inverse_step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int o = oxygens[i];
  const float3 old_o = Load3(before, o);
  const float3 b0 = Load3(before, o + 1) - old_o;
  const float3 c0 = Load3(before, o + 2) - old_o;
  const float3 new_o = Load3(after, o);
  const float3 db = Load3(after, o + 1) - new_o;
  const float3 dc = Load3(after, o + 2) - new_o;
  const float3 a1 = -water.light_part * (db + dc);
  const float3 b1 = db + a1;
  const float3 c1 = dc + a1;
  float3 z_axis = Cross(b0, c0);
  float3 x_axis = Cross(a1, z_axis);
  float3 y_axis = Cross(z_axis, x_axis);
  x_axis = rsqrtf(Dot(x_axis, x_axis)) * x_axis;
  y_axis = rsqrtf(Dot(y_axis, y_axis)) * y_axis;
  z_axis = rsqrtf(Dot(z_axis, z_axis)) * z_axis;
  const float b0x = Dot(x_axis, b0);
  const float b0y = Dot(y_axis, b0);
  const float c0x = Dot(x_axis, c0);
  const float c0y = Dot(y_axis, c0);
  const float a1z = Dot(z_axis, a1);
  const float b1x = Dot(x_axis, b1);
  const float b1y = Dot(y_axis, b1);
  const float b1z = Dot(z_axis, b1);
  const float c1x = Dot(x_axis, c1);
  const float c1y = Dot(y_axis, c1);
  const float c1z = Dot(z_axis, c1);
  const float sin_phi = a1z / water.ra;
  const float cos_phi = sqrtf(1.0f - sin_phi * sin_phi);
  const float sin_psi = (b1z - c1z) / (2.0f * water.rc * cos_phi);
  const float cos_psi = sqrtf(1.0f - sin_psi * sin_psi);
  const float a2y = water.ra * cos_phi;
  const float b2x = -water.rc * cos_psi;
  const float t1 = -water.rb * cos_phi;
  const float t2 = water.rc * sin_psi * sin_phi;
  const float b2y = t1 - t2;
  const float c2y = t1 + t2;
  const float alpha = b2x * (b0x - c0x) + b0y * b2y + c0y * c2y;
  const float beta = b2x * (c0y - b0y) + b0x * b2y + c0x * c2y;
  const float gamma = b0x * b1y - b1x * b0y + c0x * c1y - c1x * c0y;
  const float sum = alpha * alpha + beta * beta;
  const float sin_theta =
      (alpha * gamma - beta * sqrtf(sum - gamma * gamma)) / sum;
  const float cos_theta = sqrtf(1.0f - sin_theta * sin_theta);
  const auto back = [&](float x, float y, float z) {
    return x * x_axis + y * y_axis + z * z_axis;
  };
  const float3 move_a = back(-a2y * sin_theta, a2y * cos_theta, a1z) - a1;
  const float3 move_b = back(b2x * cos_theta - b2y * sin_theta,
                             b2x * sin_theta + b2y * cos_theta, b1z) -
                        b1;
  const float3 move_c = back(-b2x * cos_theta - c2y * sin_theta,
                             -b2x * sin_theta + c2y * cos_theta, c1z) -
                        c1;
  Add3(after, o, move_a);
  Add3(after, o + 1, move_b);
  Add3(after, o + 2, move_c);
  if (speeds != nullptr) {
    Add3(speeds, o, inverse_step * move_a);
    Add3(speeds, o + 1, inverse_step * move_b);
    Add3(speeds, o + 2, inverse_step * move_c);
  }
}

// Repairs the bonds of a heavy atom with one to three light ones by repetition.
// A missing atom is -1.
__global__ void Shake(const float* __restrict__ before,
                      float* __restrict__ after,
                      const int4* __restrict__ clusters,
                      const float4* __restrict__ parameters, int count,
                      float tolerance, int most, int* __restrict__ rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int4 cluster = clusters[i];
  // The inverse masses of the heavy and of a light atom, the square of the
  // length of a bond.
  const float4 parameter = parameters[i];
  const int light[3] = {cluster.y, cluster.z, cluster.w};
  const float3 old = Load3(before, cluster.x);
  float3 heavy = Load3(after, cluster.x);
  float3 directions[3];
  float3 atoms[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    directions[k] = make_float3(0.0f, 0.0f, 0.0f);
    atoms[k] = directions[k];
    if (light[k] >= 0) {
      directions[k] = old - Load3(before, light[k]);
      atoms[k] = Load3(after, light[k]);
    }
  }
  const float inverse_sum = parameter.x + parameter.y;
  const float margin = tolerance * parameter.z;
  int round = 0;
  bool done = false;
  while (!done && round < most) {
    done = true;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if (light[k] < 0) {
        continue;
      }
      const float3 d = heavy - atoms[k];
      const float excess = parameter.z - Dot(d, d);
      if (fabsf(excess) > margin) {
        const float pull =
            excess / (2.0f * inverse_sum * Dot(directions[k], d));
        heavy = heavy + parameter.x * pull * directions[k];
        atoms[k] = atoms[k] - parameter.y * pull * directions[k];
        done = false;
      }
    }
    ++round;
  }
  after[3 * cluster.x] = heavy.x;
  after[3 * cluster.x + 1] = heavy.y;
  after[3 * cluster.x + 2] = heavy.z;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    if (light[k] >= 0) {
      after[3 * light[k]] = atoms[k].x;
      after[3 * light[k] + 1] = atoms[k].y;
      after[3 * light[k] + 2] = atoms[k].z;
    }
  }
  rounds[i] = done ? round : -1;
}

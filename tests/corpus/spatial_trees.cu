// Trees and geometry: Morton codes, a radix tree of them and its boxes,
// neighbors in a k-d tree, an isosurface by tetrahedra, points in polygons with
// exact signs, and an octree's multipoles.
#include <cuda_runtime.h>

namespace {

// Puts two zeros before each of the 21 low bits.
__device__ inline unsigned long long Spread(unsigned long long v) {
  v = (v | v << 32) & 0x001f00000000ffffull;
  v = (v | v << 16) & 0x001f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  return (v | v << 2) & 0x1249249249249249ull;
}

__device__ inline unsigned long long Grid(float v, float low, float scale) {
  const float cell = (v - low) * scale;
  return static_cast<unsigned long long>(
      fminf(fmaxf(cell, 0.0f), 2097151.0f));
}

}  // namespace

__global__ void MortonCodes(const float3* points, int count, float3 low,
                            float3 scale, unsigned long long* codes) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const float3 p = points[i];
    codes[i] = Spread(Grid(p.x, low.x, scale.x)) << 2 |
               Spread(Grid(p.y, low.y, scale.y)) << 1 |
               Spread(Grid(p.z, low.z, scale.z));
  }
}

// ---- Karras's tree: an inner node for each gap between sorted codes. A child
// that is a leaf is stored as its complement.

namespace {

__device__ inline int CommonBits(const unsigned long long* codes, int count,
                                 unsigned long long mine, int i, int j) {
  if (j < 0 || j >= count) {
    return -1;
  }
  const unsigned long long other = codes[j];
  return mine == other ? 64 + __clz(i ^ j) : __clzll(mine ^ other);
}

}  // namespace

__global__ void RadixTree(const unsigned long long* __restrict__ codes,
                          int count, int2* children, int* inner_parents,
                          int* leaf_parents) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count - 1) {
    return;
  }
  const unsigned long long mine = codes[i];
  const auto common = [&](int j) {
    return CommonBits(codes, count, mine, i, j);
  };
  const int direction = common(i + 1) > common(i - 1) ? 1 : -1;
  const int least = common(i - direction);
  int bound = 2;
  while (common(i + bound * direction) > least) {
    bound *= 2;
  }
  int length = 0;
  for (int step = bound / 2; step > 0; step /= 2) {
    if (common(i + (length + step) * direction) > least) {
      length += step;
    }
  }
  const int last = i + length * direction;
  const int shared = common(last);
  int split = 0;
  int step = length;
  do {
    step = (step + 1) / 2;
    if (split + step < length + (direction < 0) &&
        common(i + (split + step) * direction) > shared) {
      split += step;
    }
  } while (step > 1);
  const int gap = i + split * direction + min(direction, 0);
  const int left = min(i, last) == gap ? ~gap : gap;
  const int right = max(i, last) == gap + 1 ? ~(gap + 1) : gap + 1;
  children[i] = make_int2(left, right);
  (left < 0 ? &leaf_parents[~left] : &inner_parents[left])[0] = i;
  (right < 0 ? &leaf_parents[~right] : &inner_parents[right])[0] = i;
  if (i == 0) {
    inner_parents[0] = -1;
  }
}

struct Box {
  float4 low, high;
};

// Walks up from each leaf; the second child to come joins the boxes.
__global__ void FitBoxes(const int2* __restrict__ children,
                         const int* __restrict__ inner_parents,
                         const int* __restrict__ leaf_parents,
                         const Box* __restrict__ leaves, int count, Box* inner,
                         int* visits) {
  const int leaf = blockIdx.x * blockDim.x + threadIdx.x;
  if (leaf >= count) {
    return;
  }
  Box box = leaves[leaf];
  int from = ~leaf;
  int node = leaf_parents[leaf];
  while (node >= 0) {
    __threadfence();
    if (atomicAdd(&visits[node], 1) == 0) {
      return;
    }
    const int2 both = children[node];
    const int other = both.x == from ? both.y : both.x;
    float4 low;
    float4 high;
    if (other < 0) {
      low = leaves[~other].low;
      high = leaves[~other].high;
    } else {
      low = __ldcg(&inner[other].low);
      high = __ldcg(&inner[other].high);
    }
    box.low.x = fminf(box.low.x, low.x);
    box.low.y = fminf(box.low.y, low.y);
    box.low.z = fminf(box.low.z, low.z);
    box.low.w += low.w;
    box.high.x = fmaxf(box.high.x, high.x);
    box.high.y = fmaxf(box.high.y, high.y);
    box.high.z = fmaxf(box.high.z, high.z);
    box.high.w = fmaxf(box.high.w, high.w);
    inner[node].low = box.low;
    inner[node].high = box.high;
    from = node;
    node = inner_parents[node];
  }
}

// ---- A k-d tree in the order of a heap: x, y and z split by turns, and w is
// the number of the point.

template <int kNeighbors>
__global__ void KdNearest(const float4* __restrict__ tree, int nodes,
                          const float3* __restrict__ queries, int count,
                          float radius, int* neighbors, float* distances) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float3 q = queries[i];
  float best[kNeighbors];
  int who[kNeighbors];
#pragma unroll
  for (int k = 0; k < kNeighbors; ++k) {
    best[k] = radius * radius;
    who[k] = -1;
  }
  int waiting[28];
  float gaps[28];
  int top = 0;
  waiting[0] = 0;
  gaps[0] = 0.0f;
  while (top >= 0) {
    int node = waiting[top];
    const bool near_enough = gaps[top] < best[kNeighbors - 1];
    --top;
    while (near_enough && node < nodes) {
      const float4 p = tree[node];
      const float dx = q.x - p.x;
      const float dy = q.y - p.y;
      const float dz = q.z - p.z;
      float d = dx * dx + dy * dy + dz * dz;
      int id = __float_as_int(p.w);
#pragma unroll
      for (int k = 0; k < kNeighbors; ++k) {
        if (d < best[k]) {
          const float old = best[k];
          const int old_id = who[k];
          best[k] = d;
          who[k] = id;
          d = old;
          id = old_id;
        }
      }
      const int axis = (31 - __clz(node + 1)) % 3;
      const float gap = axis == 0 ? dx : axis == 1 ? dy : dz;
      const int far = 2 * node + 1 + (gap < 0.0f);
      if (far < nodes && gap * gap < best[kNeighbors - 1]) {
        ++top;
        waiting[top] = far;
        gaps[top] = gap * gap;
      }
      node = 2 * node + 1 + (gap >= 0.0f);
    }
  }
#pragma unroll
  for (int k = 0; k < kNeighbors; ++k) {
    neighbors[i * kNeighbors + k] = who[k];
    distances[i * kNeighbors + k] = sqrtf(best[k]);
  }
}

template __global__ void KdNearest<12>(const float4*, int, const float3*, int,
                                       float, int*, float*);

// ---- An isosurface. Six tetrahedra around a diagonal make a cell.

namespace {

__constant__ unsigned char tetrahedra[6][4] = {
    {0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
    {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
__constant__ unsigned char edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3},
                                              {1, 2}, {1, 3}, {2, 3}};
// By the set of vertices below: the edges of two triangles; 9 is none.
__constant__ unsigned char triangle_edges[16][6] = {
    {9, 9, 9, 9, 9, 9}, {0, 1, 2, 9, 9, 9}, {0, 4, 3, 9, 9, 9},
    {1, 2, 4, 1, 4, 3}, {1, 3, 5, 9, 9, 9}, {0, 3, 5, 0, 5, 2},
    {0, 4, 5, 0, 5, 1}, {2, 4, 5, 9, 9, 9}, {2, 5, 4, 9, 9, 9},
    {0, 5, 4, 0, 1, 5}, {0, 5, 3, 0, 2, 5}, {1, 5, 3, 9, 9, 9},
    {1, 4, 2, 1, 3, 4}, {0, 3, 4, 9, 9, 9}, {0, 2, 1, 9, 9, 9},
    {9, 9, 9, 9, 9, 9}};

}  // namespace

// A thread has a cell. A block makes room for its triangles by one atomic.
__global__ void Isosurface(const float* __restrict__ samples, int3 size,
                           float level, float3* vertices, int* sources,
                           int capacity, int* total) {
  __shared__ int warp_sums[32];
  __shared__ int block_base;
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  const int cells_x = size.x - 1;
  const int cells_y = size.y - 1;
  const bool inside = cell < cells_x * cells_y * (size.z - 1);
  const int x = cell % cells_x;
  const int y = cell / cells_x % cells_y;
  const int z = cell / (cells_x * cells_y);
  float corners[8];
  unsigned below = 0;
  if (inside) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      corners[k] = samples[((z + (k >> 2)) * size.y + y + (k >> 1 & 1)) *
                               size.x + x + (k & 1)];
      below |= static_cast<unsigned>(corners[k] < level) << k;
    }
  }
  const auto case_of = [&](int t) {
    return (below >> tetrahedra[t][0] & 1) |
           (below >> tetrahedra[t][1] & 1) << 1 |
           (below >> tetrahedra[t][2] & 1) << 2 |
           (below >> tetrahedra[t][3] & 1) << 3;
  };
  int mine = 0;
  if (below != 0 && below != 255) {
#pragma unroll 1
    for (int t = 0; t < 6; ++t) {
      const unsigned of_tetrahedron = case_of(t);
      mine += (triangle_edges[of_tetrahedron][0] != 9) +
              (triangle_edges[of_tetrahedron][3] != 9);
    }
  }
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int sum = mine;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, sum, step);
    sum += lane >= step ? other : 0;
  }
  if (lane == 31) {
    warp_sums[warp] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int all = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) {
      const int of_warp = warp_sums[w];
      warp_sums[w] = all;
      all += of_warp;
    }
    block_base = atomicAdd(total, all);
  }
  __syncthreads();
  if (mine == 0) {
    return;
  }
  int at = block_base + warp_sums[warp] + sum - mine;
#pragma unroll 1
  for (int t = 0; t < 6; ++t) {
    const unsigned char* edges = triangle_edges[case_of(t)];
#pragma unroll 1
    for (int e = 0; e < 6 && edges[e] != 9; e += 3) {
      if (at < capacity) {
        sources[at] = cell * 6 + t;
#pragma unroll
        for (int v = 0; v < 3; ++v) {
          const int a = tetrahedra[t][edge_ends[edges[e + v]][0]];
          const int b = tetrahedra[t][edge_ends[edges[e + v]][1]];
          const float part = (level - corners[a]) / (corners[b] - corners[a]);
          vertices[at * 3 + v] = make_float3(
              x + (a & 1) + part * ((b & 1) - (a & 1)),
              y + (a >> 1 & 1) + part * ((b >> 1 & 1) - (a >> 1 & 1)),
              z + (a >> 2) + part * ((b >> 2) - (a >> 2)));
        }
      }
      ++at;
    }
  }
}

// ---- Points in polygons.

namespace {

__device__ inline double2 TwoSum(double a, double b) {
  const double sum = __dadd_rn(a, b);
  const double v = __dsub_rn(sum, a);
  const double error = __dadd_rn(__dsub_rn(a, __dsub_rn(sum, v)),
                                 __dsub_rn(b, v));
  return make_double2(sum, error);
}

// Returns the sign of the area of the triangle a, b, c. The sum of six products
// is exact: an expansion of twelve parts.
__device__ int ExactOrientation(double2 a, double2 b, double2 c) {
  const double left[6] = {a.x, -a.x, -c.x, -a.y, a.y, c.y};
  const double right[6] = {b.y, c.y, b.y, b.x, c.x, b.x};
  double parts[12];
#pragma unroll 1
  for (int i = 0; i < 6; ++i) {
    const double product = __dmul_rn(left[i], right[i]);
    double carry[2] = {__fma_rn(left[i], right[i], -product), product};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
#pragma unroll 1
      for (int j = 0; j < 2 * i + k; ++j) {
        const double2 s = TwoSum(carry[k], parts[j]);
        parts[j] = s.y;
        carry[k] = s.x;
      }
      parts[2 * i + k] = carry[k];
    }
  }
  int sign = 0;
#pragma unroll
  for (int i = 0; i < 12; ++i) {
    sign = parts[i] > 0.0 ? 1 : parts[i] < 0.0 ? -1 : sign;
  }
  return sign;
}

__device__ inline int Orientation(double2 a, double2 b, double2 c) {
  const double left = (a.x - c.x) * (b.y - c.y);
  const double right = (a.y - c.y) * (b.x - c.x);
  const double area = left - right;
  const double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
  if (fabs(area) > bound) {
    return area > 0.0 ? 1 : -1;
  }
  return ExactOrientation(a, b, c);
}

}  // namespace

// Finds for each polygon (by y of the block) and point: 1 if it is inside by
// the winding number, 0 if it is on the border, -1 if it is outside.
template <int kTile>
__global__ void PointsInPolygons(const double2* __restrict__ corners,
                                 const int* __restrict__ starts,
                                 const double2* __restrict__ points, int count,
                                 signed char* results) {
  __shared__ double2 tile[kTile + 1];
  const int first = starts[blockIdx.y];
  const int sides = starts[blockIdx.y + 1] - first;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double2 p = i < count ? points[i] : make_double2(0.0, 0.0);
  int winding = 0;
  bool on_border = false;
  for (int base = 0; base < sides; base += kTile) {
    __syncthreads();
    for (int k = threadIdx.x; k <= min(kTile, sides - base); k += blockDim.x) {
      const int corner = base + k;
      tile[k] = corners[first + (corner == sides ? 0 : corner)];
    }
    __syncthreads();
    const int end = min(kTile, sides - base);
#pragma unroll 1
    for (int k = 0; k < end; ++k) {
      const double2 a = tile[k];
      const double2 b = tile[k + 1];
      if (fmin(a.y, b.y) > p.y || fmax(a.y, b.y) < p.y) {
        continue;
      }
      const int side = Orientation(a, b, p);
      on_border |= side == 0 && fmin(a.x, b.x) <= p.x && p.x <= fmax(a.x, b.x);
      if (a.y <= p.y) {
        winding += b.y > p.y && side > 0;
      } else {
        winding -= b.y <= p.y && side < 0;
      }
    }
  }
  if (i < count) {
    results[blockIdx.y * count + i] =
        static_cast<signed char>(on_border ? 0 : winding != 0 ? 1 : -1);
  }
}

template __global__ void PointsInPolygons<16>(const double2*, const int*,
                                              const double2*, int,
                                              signed char*);

// ---- An octree's multipoles. A node with quadrupole moments is used whole if
// it is small enough for its distance; else its children are, or its bodies.

struct OctreeNode {
  float4 center;  // w: mass
  float xx, xy, xz, yy, yz, zz;
  float size;
  int first;     // of its children, or of its bodies
  int children;  // 0: a leaf
  int bodies;
  int unused[2];
};

__global__ void __launch_bounds__(128)
    Multipoles(const OctreeNode* __restrict__ nodes,
               const float4* __restrict__ bodies,
               const float3* __restrict__ places, int count, float angle,
               float softening, float4* __restrict__ result) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float3 p = places[i];
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  int waiting[64];
  int top = 0;
  waiting[0] = 0;
  while (top >= 0) {
    const OctreeNode& node = nodes[waiting[top--]];
    const float4 center = node.center;
    const float dx = p.x - center.x;
    const float dy = p.y - center.y;
    const float dz = p.z - center.z;
    const float rr = dx * dx + dy * dy + dz * dz + softening;
    if (node.size * node.size < angle * angle * rr) {
      const float inverse = rsqrtf(rr);
      const float inverse2 = inverse * inverse;
      const float inverse3 = inverse * inverse2;
      const float inverse5 = inverse3 * inverse2;
      const float qx = node.xx * dx + node.xy * dy + node.xz * dz;
      const float qy = node.xy * dx + node.yy * dy + node.yz * dz;
      const float qz = node.xz * dx + node.yz * dy + node.zz * dz;
      const float rqr = qx * dx + qy * dy + qz * dz;
      const float along =
          -center.w * inverse3 - 2.5f * rqr * inverse5 * inverse2;
      sum.x += along * dx + qx * inverse5;
      sum.y += along * dy + qy * inverse5;
      sum.z += along * dz + qz * inverse5;
      sum.w -= center.w * inverse + 0.5f * rqr * inverse5;
    } else if (node.children > 0) {
      for (int k = 0; k < node.children; ++k) {
        if (top + 1 < 64) {
          waiting[++top] = node.first + k;
        }
      }
    } else {
      const float4* body = bodies + node.first;
#pragma unroll 2
      for (int k = 0; k < node.bodies; ++k) {
        const float4 b = body[k];
        const float bx = p.x - b.x;
        const float by = p.y - b.y;
        const float bz = p.z - b.z;
        const float inverse =
            rsqrtf(bx * bx + by * by + bz * bz + softening);
        const float pull = -b.w * inverse * inverse * inverse;
        sum.x += pull * bx;
        sum.y += pull * by;
        sum.z += pull * bz;
        sum.w -= b.w * inverse;
      }
    }
  }
  result[i] = sum;
}

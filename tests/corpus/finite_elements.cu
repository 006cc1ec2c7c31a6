// Finite elements and finite volumes: stiffness of hexahedra, an operator
// without a matrix, HLLC fluxes, WENO5 and tridiagonal systems.
#include <cuda_runtime.h>

namespace {

template <typename T>
struct Vector {
  T x, y, z;
};

template <typename T>
__device__ Vector<T> Minus(Vector<T> a, Vector<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <typename T>
__device__ T Dot(Vector<T> a, Vector<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <typename T>
__device__ Vector<T> Cross(Vector<T> a, Vector<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <typename T>
__device__ Vector<T> Scale(Vector<T> a, T s) {
  return {a.x * s, a.y * s, a.z * s};
}

template <typename T>
__device__ Vector<T> LoadPoint(const T* points, int i) {
  return {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
}

// The derivatives of node's trilinear function at a point of [-1, 1]^3.
__device__ Vector<float> Derivatives(int node, float x, float y, float z) {
  const float sx = node & 1 ? 0.5f : -0.5f;
  const float sy = node & 2 ? 0.5f : -0.5f;
  const float sz = node & 4 ? 0.5f : -0.5f;
  const float fx = 0.5f + sx * x;
  const float fy = 0.5f + sy * y;
  const float fz = 0.5f + sz * z;
  return {sx * fy * fz, fx * sy * fz, fx * fy * sz};
}

__device__ Vector<float> GaussPoint(int i) {
  constexpr float kPlace = 0.577350269f;
  return {i & 1 ? kPlace : -kPlace, i & 2 ? kPlace : -kPlace,
          i & 4 ? kPlace : -kPlace};
}

// The rows of a Jacobian's inverse, and its determinant.
struct Inverse {
  Vector<float> rows[3];
  float determinant;
};

__device__ Inverse Invert(Vector<float> a, Vector<float> b, Vector<float> c) {
  const Vector<float> bc = Cross(b, c);
  const float determinant = Dot(a, bc);
  const float scale = 1.0f / determinant;
  return {{Scale(bc, scale), Scale(Cross(c, a), scale),
           Scale(Cross(a, b), scale)},
          determinant};
}

}  // namespace

// Computes the elastic stiffness of hexahedra, a block of 64 threads for each.
// Eight threads do the points, and then each thread a pair of nodes.
__global__ void __launch_bounds__(64)
    HexahedronStiffness(const float* points, const int* elements, int count,
                        const float2* materials, float* stiffness) {
  __shared__ float corners[8][3];
  __shared__ Vector<float> gradients[8][8];
  __shared__ float weights[8];
  const int t = threadIdx.x;
  for (int e = blockIdx.x; e < count; e += gridDim.x) {
    __syncthreads();
    if (t < 24) {
      corners[t / 3][t % 3] = points[3 * elements[8 * e + t / 3] + t % 3];
    }
    __syncthreads();
    if (t < 8) {
      const Vector<float> at = GaussPoint(t);
      Vector<float> jx = {};
      Vector<float> jy = {};
      Vector<float> jz = {};
#pragma unroll 1
      for (int n = 0; n < 8; ++n) {
        const Vector<float> d = Derivatives(n, at.x, at.y, at.z);
        const Vector<float> p = {corners[n][0], corners[n][1], corners[n][2]};
        jx = {jx.x + d.x * p.x, jx.y + d.x * p.y, jx.z + d.x * p.z};
        jy = {jy.x + d.y * p.x, jy.y + d.y * p.y, jy.z + d.y * p.z};
        jz = {jz.x + d.z * p.x, jz.y + d.z * p.y, jz.z + d.z * p.z};
      }
      // The columns of the inverse belong to the local directions.
      const Inverse inverse = Invert(jx, jy, jz);
#pragma unroll 1
      for (int n = 0; n < 8; ++n) {
        const Vector<float> d = Derivatives(n, at.x, at.y, at.z);
        gradients[t][n] = {
            d.x * inverse.rows[0].x + d.y * inverse.rows[1].x +
                d.z * inverse.rows[2].x,
            d.x * inverse.rows[0].y + d.y * inverse.rows[1].y +
                d.z * inverse.rows[2].y,
            d.x * inverse.rows[0].z + d.y * inverse.rows[1].z +
                d.z * inverse.rows[2].z};
      }
      weights[t] = inverse.determinant;
    }
    __syncthreads();
    const int a = t >> 3;
    const int b = t & 7;
    const float lambda = materials[e].x;
    const float mu = materials[e].y;
    float block[3][3] = {};
#pragma unroll 1
    for (int q = 0; q < 8; ++q) {
      const Vector<float> ga = gradients[q][a];
      const Vector<float> gb = gradients[q][b];
      const float l = lambda * weights[q];
      const float m = mu * weights[q];
      const float as[3] = {ga.x, ga.y, ga.z};
      const float bs[3] = {gb.x, gb.y, gb.z};
      const float dot = m * Dot(ga, gb);
#pragma unroll
      for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = 0; j < 3; ++j) {
          block[i][j] += l * as[i] * bs[j] + m * as[j] * bs[i];
        }
        block[i][i] += dot;
      }
    }
    float* to = stiffness + 576 * static_cast<long long>(e) + 72 * a + 3 * b;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        to[24 * i + j] = block[i][j];
      }
    }
  }
}

// Adds the Laplace operator times u without a matrix. A thread has a
// hexahedron, whose corners and values stay in registers.
__global__ void __launch_bounds__(128)
    HexahedronLaplace(const float* points, const int* elements, int count,
                      const float* conductivity, const float* u,
                      float* result) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) {
    return;
  }
  Vector<float> corners[8];
  float values[8];
  float sums[8];
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const int node = elements[n * count + e];
    corners[n] = LoadPoint(points, node);
    values[n] = u[node];
    sums[n] = 0.0f;
  }
  const float k = conductivity[e];
#pragma unroll 1
  for (int q = 0; q < 8; ++q) {
    const Vector<float> at = GaussPoint(q);
    Vector<float> jx = {};
    Vector<float> jy = {};
    Vector<float> jz = {};
    Vector<float> local = {};
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const Vector<float> d = Derivatives(n, at.x, at.y, at.z);
      const Vector<float> p = corners[n];
      jx = {jx.x + d.x * p.x, jx.y + d.x * p.y, jx.z + d.x * p.z};
      jy = {jy.x + d.y * p.x, jy.y + d.y * p.y, jy.z + d.y * p.z};
      jz = {jz.x + d.z * p.x, jz.y + d.z * p.y, jz.z + d.z * p.z};
      local = {local.x + d.x * values[n], local.y + d.y * values[n],
               local.z + d.z * values[n]};
    }
    const Inverse inverse = Invert(jx, jy, jz);
    const Vector<float>(&r)[3] = inverse.rows;
    const Vector<float> gradient = {
        local.x * r[0].x + local.y * r[1].x + local.z * r[2].x,
        local.x * r[0].y + local.y * r[1].y + local.z * r[2].y,
        local.x * r[0].z + local.y * r[1].z + local.z * r[2].z};
    const float weight = k * inverse.determinant;
    const Vector<float> back = {weight * Dot(r[0], gradient),
                                weight * Dot(r[1], gradient),
                                weight * Dot(r[2], gradient)};
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      sums[n] += Dot(Derivatives(n, at.x, at.y, at.z), back);
    }
  }
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    atomicAdd(&result[elements[n * count + e]], sums[n]);
  }
}

namespace {

struct GasState {
  float density;
  Vector<float> velocity;
  float pressure;
  float energy;
};

__device__ GasState LoadGas(const float* cells, int count, int i,
                            float gamma) {
  GasState s;
  s.density = cells[i];
  const float inverse = 1.0f / s.density;
  s.velocity = {cells[count + i] * inverse, cells[2 * count + i] * inverse,
                cells[3 * count + i] * inverse};
  s.energy = cells[4 * count + i];
  s.pressure = (gamma - 1.0f) *
               (s.energy - 0.5f * s.density * Dot(s.velocity, s.velocity));
  s.pressure = fmaxf(s.pressure, 1e-6f);
  return s;
}

}  // namespace

// Computes HLLC fluxes of the Euler equations through faces. A face without a
// right cell is a wall.
__global__ void HllcFlux(const float* cells, int cell_count, const int2* sides,
                         const float4* faces, int face_count, float gamma,
                         float* fluxes, unsigned* fastest) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  float speed = 0.0f;
  if (f < face_count) {
    const int2 side = sides[f];
    const float4 face = faces[f];
    const Vector<float> normal = {face.x, face.y, face.z};
    const GasState l = LoadGas(cells, cell_count, side.x, gamma);
    GasState r = l;
    const float ul = Dot(l.velocity, normal);
    float ur = -ul;
    if (side.y >= 0) {
      r = LoadGas(cells, cell_count, side.y, gamma);
      ur = Dot(r.velocity, normal);
    } else {
      r.velocity = Minus(l.velocity, Scale(normal, 2.0f * ul));
    }
    const float cl = sqrtf(gamma * l.pressure / l.density);
    const float cr = sqrtf(gamma * r.pressure / r.density);
    // Roe's averages bound the speeds of the waves.
    const float wl = sqrtf(l.density);
    const float wr = sqrtf(r.density);
    const float total = 1.0f / (wl + wr);
    const float hl = (l.energy + l.pressure) / l.density;
    const float hr = (r.energy + r.pressure) / r.density;
    const Vector<float> v = {
        (wl * l.velocity.x + wr * r.velocity.x) * total,
        (wl * l.velocity.y + wr * r.velocity.y) * total,
        (wl * l.velocity.z + wr * r.velocity.z) * total};
    const float h = (wl * hl + wr * hr) * total;
    const float u = Dot(v, normal);
    const float c = sqrtf(fmaxf((gamma - 1.0f) * (h - 0.5f * Dot(v, v)), 0.0f));
    const float sl = fminf(ul - cl, u - c);
    const float sr = fmaxf(ur + cr, u + c);
    const float ml = l.density * (sl - ul);
    const float mr = r.density * (sr - ur);
    const float sm = (r.pressure - l.pressure + ml * ul - mr * ur) / (ml - mr);
    const bool from_left = sm >= 0.0f;
    const GasState s = from_left ? l : r;
    const float un = from_left ? ul : ur;
    const float wave = from_left ? sl : sr;
    const bool is_outside = from_left ? sl >= 0.0f : sr <= 0.0f;
    const Vector<float> momentum = Scale(s.velocity, s.density);
    float flux[5] = {s.density * un, momentum.x * un + s.pressure * normal.x,
                     momentum.y * un + s.pressure * normal.y,
                     momentum.z * un + s.pressure * normal.z,
                     (s.energy + s.pressure) * un};
    if (!is_outside) {
      const float ratio = s.density * (wave - un) / (wave - sm);
      const float lift = sm - un;
      const Vector<float> star = {s.velocity.x + lift * normal.x,
                                  s.velocity.y + lift * normal.y,
                                  s.velocity.z + lift * normal.z};
      const float energy =
          ratio * (s.energy / s.density +
                   lift * (sm + s.pressure / (s.density * (wave - un))));
      flux[0] += wave * (ratio - s.density);
      flux[1] += wave * (ratio * star.x - momentum.x);
      flux[2] += wave * (ratio * star.y - momentum.y);
      flux[3] += wave * (ratio * star.z - momentum.z);
      flux[4] += wave * (energy - s.energy);
    }
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      fluxes[i * face_count + f] = face.w * flux[i];
    }
    speed = fmaxf(fabsf(sl), fabsf(sr));
  }
  const unsigned most =
      __nvvm_redux_sync_umax(__float_as_uint(speed), 0xffffffffu);
  if (threadIdx.x % 32 == 0) {
    atomicMax(fastest, most);
  }
}

namespace {

// Reconstructs the value at the border between c and d, from c's side.
template <typename Real>
__device__ Real Weno5(Real a, Real b, Real c, Real d, Real e) {
  const Real p0 = (2 * a - 7 * b + 11 * c) / 6;
  const Real p1 = (-b + 5 * c + 2 * d) / 6;
  const Real p2 = (2 * c + 5 * d - e) / 6;
  constexpr Real kCurve = Real(13) / 12;
  const Real s0 = kCurve * (a - 2 * b + c) * (a - 2 * b + c) +
                  Real(0.25) * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
  const Real s1 = kCurve * (b - 2 * c + d) * (b - 2 * c + d) +
                  Real(0.25) * (b - d) * (b - d);
  const Real s2 = kCurve * (c - 2 * d + e) * (c - 2 * d + e) +
                  Real(0.25) * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
  constexpr Real kSmall = Real(1e-6);
  const Real w0 = Real(0.1) / ((kSmall + s0) * (kSmall + s0));
  const Real w1 = Real(0.6) / ((kSmall + s1) * (kSmall + s1));
  const Real w2 = Real(0.3) / ((kSmall + s2) * (kSmall + s2));
  return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2);
}

}  // namespace

// Advances advection along columns with WENO5 and upwind fluxes. A thread
// walks up its column and keeps six cells and a flux in registers.
template <typename Real>
__global__ void WenoAdvect(const Real* in, const Real* speeds, Real* out,
                           int width, int height, Real rate) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) {
    return;
  }
  Real cells[6];
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    // The column is periodic.
    cells[i] = in[(i + height - 3) % height * width + x];
  }
  Real before = 0;
#pragma unroll 1
  for (int y = 0; y <= height; ++y) {
    // The border between cells y - 1 and y.
    const Real speed = speeds[y % height * width + x];
    Real value;
    if (speed >= 0) {
      value = Weno5(cells[0], cells[1], cells[2], cells[3], cells[4]);
    } else {
      value = Weno5(cells[5], cells[4], cells[3], cells[2], cells[1]);
    }
    const Real flux = speed * value;
    if (y > 0) {
      out[(y - 1) * width + x] = cells[2] - rate * (flux - before);
    }
    before = flux;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      cells[i] = cells[i + 1];
    }
    cells[5] = in[(y + 3) % height * width + x];
  }
}

template __global__ void WenoAdvect<double>(const double*, const double*,
                                            double*, int, int, double);

// Solves tridiagonal systems by parallel cyclic reduction, a block for each.
__global__ void TridiagonalCyclic(const float* lower, const float* diagonal,
                                  const float* upper, const float* right,
                                  int n, float* solution) {
  extern __shared__ float rows[];
  float* a = rows;
  float* b = a + n;
  float* c = b + n;
  float* d = c + n;
  const int i = threadIdx.x;
  const long long at = static_cast<long long>(blockIdx.x) * n + i;
  if (i < n) {
    a[i] = i > 0 ? lower[at] : 0.0f;
    b[i] = diagonal[at];
    c[i] = i < n - 1 ? upper[at] : 0.0f;
    d[i] = right[at];
  }
  for (int step = 1; step < n; step *= 2) {
    __syncthreads();
    float na = 0.0f, nb = 1.0f, nc = 0.0f, nd = 0.0f;
    if (i < n) {
      nb = b[i];
      nd = d[i];
      if (i >= step) {
        const float k = a[i] / b[i - step];
        na = -a[i - step] * k;
        nb -= c[i - step] * k;
        nd -= d[i - step] * k;
      }
      if (i + step < n) {
        const float k = c[i] / b[i + step];
        nc = -c[i + step] * k;
        nb -= a[i + step] * k;
        nd -= d[i + step] * k;
      }
    }
    __syncthreads();
    if (i < n) {
      a[i] = na;
      b[i] = nb;
      c[i] = nc;
      d[i] = nd;
    }
  }
  if (i < n) {
    solution[at] = d[i] / b[i];
  }
}

// Solves tridiagonal systems of 3 x 3 blocks, a thread for each. An element of
// all systems' blocks is contiguous. `work` has n * 9 elements for each.
__global__ void BlockTridiagonal(const double* lower, const double* diagonal,
                                 const double* upper, const double* right,
                                 int n, int systems, double* work,
                                 double* solution) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) {
    return;
  }
  double c[3][3] = {};
  double d[3] = {};
#pragma unroll 1
  for (int row = 0; row < n; ++row) {
    double m[3][3];
    double r[3];
    const long long block = static_cast<long long>(row) * 9 * systems + s;
    const long long line = static_cast<long long>(row) * 3 * systems + s;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      r[i] = right[line + i * systems];
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        m[i][j] = diagonal[block + (3 * i + j) * systems];
      }
    }
    if (row > 0) {
#pragma unroll
      for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          const double a = lower[block + (3 * i + k) * systems];
          r[i] -= a * d[k];
#pragma unroll
          for (int j = 0; j < 3; ++j) {
            m[i][j] -= a * c[k][j];
          }
        }
      }
    }
    double inverse[3][3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const double* p = m[(i + 1) % 3];
      const double* q = m[(i + 2) % 3];
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3;
        const int l = (j + 2) % 3;
        inverse[j][i] = p[k] * q[l] - p[l] * q[k];
      }
    }
    const double scale = 1.0 / (m[0][0] * inverse[0][0] +
                                m[0][1] * inverse[1][0] +
                                m[0][2] * inverse[2][0]);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      d[i] = scale * (inverse[i][0] * r[0] + inverse[i][1] * r[1] +
                      inverse[i][2] * r[2]);
      solution[line + i * systems] = d[i];
    }
    if (row + 1 < n) {
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const double u0 = upper[block + j * systems];
        const double u1 = upper[block + (3 + j) * systems];
        const double u2 = upper[block + (6 + j) * systems];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
          c[i][j] = scale * (inverse[i][0] * u0 + inverse[i][1] * u1 +
                             inverse[i][2] * u2);
          work[block + (3 * i + j) * systems] = c[i][j];
        }
      }
    }
  }
#pragma unroll 1
  for (int row = n - 2; row >= 0; --row) {
    const long long block = static_cast<long long>(row) * 9 * systems + s;
    const long long line = static_cast<long long>(row) * 3 * systems + s;
    double next[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      next[i] = solution[line + i * systems];
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        next[i] -= work[block + (3 * i + j) * systems] * d[j];
      }
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      d[i] = next[i];
      solution[line + i * systems] = d[i];
    }
  }
}

// Ray tracing: spheres and triangles, a bounding-volume hierarchy walked with a
// stack in local memory, bounces with a random direction, and a signed
// distance.
#include <cuda_runtime.h>

namespace {

struct Vec {
  float x, y, z;
};

__device__ Vec operator+(Vec a, Vec b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ Vec operator-(Vec a, Vec b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ Vec operator*(Vec a, Vec b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
__device__ Vec operator*(Vec a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ float Dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ Vec Cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ Vec Unit(Vec a) { return a * rsqrtf(Dot(a, a)); }

struct Ray {
  Vec from, along;
};

struct Node {
  float low[3];
  int left;  // The first triangle where count is positive.
  float high[3];
  int count;
};

struct Triangle {
  Vec a, ab, ac;
  int material;
};

struct Material {
  Vec colour, glow;
  float gloss;
};

struct Found {
  float t, u, v;
  int triangle;
};

__device__ bool HitsBox(const Node& node, Vec from, Vec inverse, float limit) {
  const float x0 = (node.low[0] - from.x) * inverse.x;
  const float x1 = (node.high[0] - from.x) * inverse.x;
  const float y0 = (node.low[1] - from.y) * inverse.y;
  const float y1 = (node.high[1] - from.y) * inverse.y;
  const float z0 = (node.low[2] - from.z) * inverse.z;
  const float z1 = (node.high[2] - from.z) * inverse.z;
  const float near = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1));
  const float far = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
  return near <= far && far > 0.0f && near < limit;
}

__device__ __noinline__ Found Walk(const Node* nodes, const Triangle* triangles,
                                   Ray ray) {
  Found best = {1e30f, 0.0f, 0.0f, -1};
  const Vec inverse = {1.0f / ray.along.x, 1.0f / ray.along.y,
                       1.0f / ray.along.z};
  int stack[48];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node node = nodes[stack[--top]];
    if (!HitsBox(node, ray.from, inverse, best.t)) {
      continue;
    }
    if (node.count == 0) {
      stack[top++] = node.left;
      stack[top++] = node.left + 1;
      continue;
    }
    for (int i = node.left; i < node.left + node.count; ++i) {
      const Triangle tri = triangles[i];
      const Vec p = Cross(ray.along, tri.ac);
      const float det = Dot(tri.ab, p);
      if (fabsf(det) < 1e-9f) {
        continue;
      }
      const float inv = __frcp_rn(det);
      const Vec s = ray.from - tri.a;
      const float u = Dot(s, p) * inv;
      const Vec q = Cross(s, tri.ab);
      const float v = Dot(ray.along, q) * inv;
      const float t = Dot(tri.ac, q) * inv;
      if (u >= 0.0f && v >= 0.0f && u + v <= 1.0f && t > 1e-4f && t < best.t) {
        best = {t, u, v, i};
      }
    }
  }
  return best;
}

__device__ float Random(unsigned& state) {
  state = state * 747796405u + 2891336453u;
  unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  word = (word >> 22) ^ word;
  return (word >> 8) * (1.0f / 16777216.0f);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128)
    Trace(const Node* nodes, const Triangle* triangles,
          const Material* materials, float4* image, int width, int height,
          int samples, unsigned seed) {
  const int x = blockIdx.x * 16 + threadIdx.x % 16;
  const int y = blockIdx.y * 8 + threadIdx.x / 16;
  if (x >= width || y >= height) {
    return;
  }
  unsigned state = seed ^ (y * width + x) * 9781u;
  Vec sum = {0, 0, 0};
  for (int s = 0; s < samples; ++s) {
    Ray ray = {{0, 1, 3},
               Unit({(x + Random(state)) / width - 0.5f,
                     0.5f - (y + Random(state)) / height, -1.0f})};
    Vec weight = {1, 1, 1};
    for (int bounce = 0; bounce < 8; ++bounce) {
      const Found hit = Walk(nodes, triangles, ray);
      if (hit.triangle < 0) {
        const float t = 0.5f * (ray.along.y + 1.0f);
        sum = sum + weight * Vec{1.0f - 0.5f * t, 1.0f - 0.3f * t, 1.0f};
        break;
      }
      const Triangle& tri = triangles[hit.triangle];
      const Material& material = materials[tri.material];
      sum = sum + weight * material.glow;
      weight = weight * material.colour;
      const float keep = fmaxf(weight.x, fmaxf(weight.y, weight.z));
      if (bounce > 3) {
        if (Random(state) > keep) {
          break;
        }
        weight = weight * (1.0f / keep);
      }
      Vec normal = Unit(Cross(tri.ab, tri.ac));
      if (Dot(normal, ray.along) > 0.0f) {
        normal = normal * -1.0f;
      }
      ray.from = ray.from + ray.along * hit.t;
      if (Random(state) < material.gloss) {
        ray.along = ray.along - normal * (2.0f * Dot(ray.along, normal));
      } else {
        const float z = 1.0f - 2.0f * Random(state);
        const float r = sqrtf(fmaxf(0.0f, 1.0f - z * z));
        float sine;
        float cosine;
        __sincosf(6.2831853f * Random(state), &sine, &cosine);
        ray.along = Unit(normal + Vec{r * cosine, r * sine, z});
      }
    }
  }
  const float share = 1.0f / samples;
  image[y * width + x] = make_float4(sqrtf(sum.x * share), sqrtf(sum.y * share),
                                     sqrtf(sum.z * share), 1.0f);
}

extern "C" __global__ void Shadows(const float4* spheres, int count,
                                   const Ray* rays, unsigned* lit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Ray ray = rays[i];
  bool blocked = false;
  for (int s = 0; s < count && !blocked; ++s) {
    const float4 sphere = spheres[s];
    const Vec d = ray.from - Vec{sphere.x, sphere.y, sphere.z};
    const float b = Dot(d, ray.along);
    const float root = b * b - Dot(d, d) + sphere.w * sphere.w;
    blocked = root > 0.0f && -b + __fsqrt_rn(root) > 0.0f;
  }
  const unsigned votes = __ballot_sync(0xffffffffu, !blocked);
  if (threadIdx.x % 32 == 0) {
    lit[i / 32] = votes;
  }
}

extern "C" __global__ void SphereTrace(uchar4* image, int width, int height,
                                       float time) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const Vec along =
      Unit({(2.0f * x - width) / height, (2.0f * y - height) / height, 1.5f});
  auto distance = [&](Vec p) {
    const float twist = sinf(p.y * 2.0f + time);
    const float ball = sqrtf(Dot(p, p)) - 1.0f - 0.1f * twist;
    const float ring = sqrtf(p.x * p.x + p.z * p.z) - 1.6f;
    return fminf(ball, sqrtf(ring * ring + p.y * p.y) - 0.2f);
  };
  float t = 0.0f;
  int steps = 0;
  for (; steps < 96 && t < 20.0f; ++steps) {
    const float d = distance(Vec{0, 0, -4} + along * t);
    if (d < 1e-3f) {
      break;
    }
    t += d;
  }
  const unsigned char shade =
      static_cast<unsigned char>(__saturatef(1.0f - steps / 96.0f) * 255.0f);
  image[y * width + x] = make_uchar4(shade, shade / 2, 255 - shade, 255);
}

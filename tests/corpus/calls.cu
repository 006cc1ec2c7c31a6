// Device functions that are called: structs by value and returned, vectors,
// small integers, predicates, pointers to locals, recursion and many arguments.
#include <cuda_fp16.h>

struct Small {
  char tag;
  short size;
};

struct Ray {
  float3 origin;
  float3 direction;
  float t_min;
  float t_max;
};

struct Hit {
  double distance;
  int primitive;
  unsigned char flags;
  bool found;
};

struct alignas(16) Big {
  float4 rows[4];
  long long id;
};

struct Empty {};

__device__ __noinline__ Small MakeSmall(char tag, short size) {
  return {static_cast<char>(tag + 1), static_cast<short>(size * 3)};
}

__device__ __noinline__ Hit Intersect(Ray ray, float4 sphere) {
  const float3 d = make_float3(ray.origin.x - sphere.x, ray.origin.y - sphere.y,
                               ray.origin.z - sphere.z);
  const float b =
      d.x * ray.direction.x + d.y * ray.direction.y + d.z * ray.direction.z;
  const float c = d.x * d.x + d.y * d.y + d.z * d.z - sphere.w * sphere.w;
  const float root = b * b - c;
  Hit hit = {ray.t_max, -1, 0, false};
  if (root > 0.0f) {
    const float t = -b - sqrtf(root);
    if (t > ray.t_min && t < ray.t_max) {
      hit = {t, 7, 0x81, true};
    }
  }
  return hit;
}

__device__ __noinline__ Big Multiply(Big a, const Big* b, Empty) {
  Big c;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 r = a.rows[i];
    c.rows[i].x = r.x * b->rows[0].x + r.y * b->rows[1].x + r.z * b->rows[2].x +
                  r.w * b->rows[3].x;
    c.rows[i].y = r.x * b->rows[0].y + r.y * b->rows[1].y + r.z * b->rows[2].y +
                  r.w * b->rows[3].y;
    c.rows[i].z = r.x * b->rows[0].z + r.y * b->rows[1].z + r.z * b->rows[2].z +
                  r.w * b->rows[3].z;
    c.rows[i].w = r.x * b->rows[0].w + r.y * b->rows[1].w + r.z * b->rows[2].w +
                  r.w * b->rows[3].w;
  }
  c.id = a.id ^ b->id;
  return c;
}

__device__ __noinline__ bool IsPrime(unsigned n) {
  if (n < 2 || (n % 2 == 0 && n != 2)) {
    return false;
  }
  for (unsigned d = 3; d * d <= n; d += 2) {
    if (n % d == 0) {
      return false;
    }
  }
  return true;
}

__device__ __noinline__ signed char Clamp8(short value) {
  return value > 127 ? 127 : value < -128 ? -128 : value;
}

__device__ __noinline__ __half2 Blend(__half2 a, __half2 b, __half w) {
  return __hfma2(__half2half2(w), __hsub2(b, a), a);
}

__device__ __noinline__ void Halve(long long* in_and_out, int* parity) {
  *parity = static_cast<int>(*in_and_out & 1);
  *in_and_out /= 2;
}

__device__ __noinline__ unsigned long long Fibonacci(unsigned n) {
  return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
}

__device__ __noinline__ int Ackermann(int m, int n) {
  if (m == 0) {
    return n + 1;
  }
  return Ackermann(m - 1, n == 0 ? 1 : Ackermann(m, n - 1));
}

__device__ __noinline__ double Many(int a, long long b, float c, double d,
                                    short e, unsigned char f, bool g, float2 h,
                                    double2 i, int4 j, const void* k,
                                    __int128 l) {
  return a + b + c + d + e + f + g + h.x * h.y + i.x * i.y + j.x * j.y +
         j.z * j.w + reinterpret_cast<size_t>(k) +
         static_cast<double>(static_cast<long long>(l >> 64)) * 0x1p64 +
         static_cast<double>(static_cast<unsigned long long>(l));
}

__device__ __noinline__ __int128 Wide(long long a, long long b) {
  return static_cast<__int128>(a) * b;
}

__global__ void CallSmall(const char* tags, Small* out, bool* primes) {
  const int i = threadIdx.x;
  out[i] = MakeSmall(tags[i], static_cast<short>(i));
  primes[i] = IsPrime(out[i].size);
  out[i].tag = Clamp8(out[i].size);
}

__global__ void CallIntersect(const Ray* rays, const float4* spheres, int count,
                              Hit* hits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Hit best = {1e30, -1, 0, false};
  for (int s = 0; s < count; ++s) {
    const Hit hit = Intersect(rays[i], spheres[s]);
    if (hit.found && hit.distance < best.distance) {
      best = hit;
      best.primitive = s;
    }
  }
  hits[i] = best;
}

__global__ void CallMultiply(Big a, const Big* b, Big* c) {
  c[threadIdx.x] = Multiply(a, b + threadIdx.x, Empty());
}

__global__ void CallBlend(const __half2* a, const __half2* b, __half w,
                          __half2* out) {
  out[threadIdx.x] = Blend(a[threadIdx.x], b[threadIdx.x], w);
}

__global__ void CallPointers(long long* values, int* parities) {
  long long value = values[threadIdx.x];
  int parity = 0;
  int sum = 0;
  while (value > 1) {
    Halve(&value, &parity);
    sum += parity;
  }
  values[threadIdx.x] = value;
  parities[threadIdx.x] = sum;
}

__global__ void CallRecursive(unsigned long long* out, int* ackermann) {
  out[threadIdx.x] = Fibonacci(threadIdx.x % 16);
  ackermann[threadIdx.x] = Ackermann(2, threadIdx.x % 4);
}

__global__ void CallMany(double* out, const int4* in) {
  const int i = threadIdx.x;
  out[i] = Many(i, i * 3ll, i * 0.5f, i * 0.25, static_cast<short>(i - 7),
                static_cast<unsigned char>(i * 5), i > 3, make_float2(i, 2.0f),
                make_double2(1.5, i), in[i], in, Wide(i, -i));
}

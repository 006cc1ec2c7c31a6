// Indirect calls: function pointers from a table, from the host and from a
// struct, virtual functions, pointers to members and a functor by pointer.
#include <cuda_runtime.h>

#include <new>

using Unary = float (*)(float);
using Binary = double (*)(double, double, int);

namespace {

__device__ float Negate(float x) { return -x; }
__device__ float Square(float x) { return x * x; }
__device__ float Inverse(float x) { return 1.0f / x; }
__device__ float Root(float x) { return sqrtf(x); }

__device__ Unary unaries[4] = {Negate, Square, Inverse, Root};
__constant__ Unary constant_unaries[2] = {Square, Root};

__device__ double PowerSum(double a, double b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s = s * a + b;
  }
  return s;
}
__device__ double Mix(double a, double b, int n) { return a + (b - a) / n; }

struct Rule {
  const char* name;
  Binary apply;
  int rounds;
};

__device__ const Rule rules[] = {{"powers", PowerSum, 5}, {"mix", Mix, 2}};

}  // namespace

struct Quad {
  float4 a;
  int b;
};

class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual float Area() const = 0;
  __device__ virtual Quad Describe(float scale, short tag) const {
    return {make_float4(scale, 0, 0, 0), tag};
  }
};

class Disc : public Shape {
 public:
  __device__ explicit Disc(float r) : r_(r) {}
  __device__ float Area() const override { return 3.14159265f * r_ * r_; }
  __device__ Quad Describe(float scale, short tag) const override {
    return {make_float4(r_ * scale, r_, scale, 1), tag + 1};
  }

 private:
  float r_;
};

class Box : public Shape {
 public:
  __device__ Box(float w, float h) : w_(w), h_(h) {}
  __device__ float Area() const override { return w_ * h_; }

 private:
  float w_;
  float h_;
};

struct Filter {
  int cut;
  __device__ int Low(int v) const { return v < cut ? v : 0; }
  __device__ int High(int v) const { return v >= cut ? v : 0; }
};

__global__ void ByTable(const float* in, const int* which, float* out) {
  const int i = threadIdx.x;
  out[i] = unaries[which[i] & 3](in[i]) + constant_unaries[which[i] & 1](in[i]);
}

__global__ void ByArgument(Unary f, const float* in, float* out) {
  out[threadIdx.x] = f(in[threadIdx.x]);
}

__global__ void ByStruct(const double* in, double* out, char* names,
                         int count) {
  double x = in[threadIdx.x];
  for (int i = 0; i < count; ++i) {
    const Rule& rule = rules[i & 1];
    x = rule.apply(x, 2.0, rule.rounds);
    names[i] = rule.name[0];
  }
  out[threadIdx.x] = x;
}

__global__ void MakeShapes(Shape** shapes, int count) {
  const int i = threadIdx.x;
  if (i < count) {
    if (i & 1) {
      shapes[i] = new Disc(i * 0.5f);
    } else {
      shapes[i] = new Box(i, i + 1.0f);
    }
  }
}

__global__ void UseShapes(Shape* const* shapes, float* areas, Quad* quads) {
  const int i = threadIdx.x;
  areas[i] = shapes[i]->Area();
  quads[i] = shapes[i]->Describe(2.0f, static_cast<short>(i));
}

__global__ void FreeShapes(Shape** shapes, int count) {
  for (int i = 0; i < count; ++i) {
    delete shapes[i];
  }
}

__global__ void ByMember(const int* in, int* out, bool high, int cut) {
  int (Filter::*pick)(int) const = high ? &Filter::High : &Filter::Low;
  const Filter filter = {cut};
  out[threadIdx.x] = (filter.*pick)(in[threadIdx.x]);
}

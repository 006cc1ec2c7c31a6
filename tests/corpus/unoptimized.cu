// Compiled at -O0: every variable in local memory, every call made,
// temporaries, constructors, loops, a switch, recursion and lambdas left as
// written.
#include <cuda_runtime.h>

template <typename T>
struct Complex {
  T re, im;
  __device__ Complex(T r, T i) : re(r), im(i) {}
  __device__ Complex operator*(const Complex& o) const {
    return Complex(re * o.re - im * o.im, re * o.im + im * o.re);
  }
  __device__ Complex& operator+=(const Complex& o) {
    re += o.re;
    im += o.im;
    return *this;
  }
};

struct Base {
  int value;
  __device__ explicit Base(int v) : value(v) {}
  __device__ ~Base() { value = -1; }
};

struct Derived : Base {
  double extra;
  __device__ Derived(int v, double e) : Base(v), extra(e) {}
};

__device__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__device__ unsigned long long Factorial(unsigned n) {
  return n <= 1 ? 1 : n * Factorial(n - 1);
}

__device__ int Classify(int v) {
  switch (v) {
    case 0:
      return 5;
    case 1:
      return 7;
    case 2:
      return table[2];
    case 3:
      return -1;
    case 4:
      return 100;
    case 5:
      return v * v;
    default:
      return v > 100 ? 1 : 0;
  }
}

__device__ void Swap(int& a, int& b) {
  const int t = a;
  a = b;
  b = t;
}

__device__ int Partition(int* v, int low, int high) {
  const int pivot = v[high];
  int at = low - 1;
  for (int i = low; i < high; ++i) {
    if (v[i] <= pivot) {
      Swap(v[++at], v[i]);
    }
  }
  Swap(v[at + 1], v[high]);
  return at + 1;
}

__device__ void QuickSort(int* v, int low, int high) {
  if (low < high) {
    const int middle = Partition(v, low, high);
    QuickSort(v, low, middle - 1);
    QuickSort(v, middle + 1, high);
  }
}

__global__ void Everything(int* out, double* dout, const char* text,
                           bool flag) {
  __shared__ int cells[32];
  int local[8];
  for (int i = 0; i < 8; ++i) {
    local[i] = table[(i + threadIdx.x) % 8];
  }
  QuickSort(local, 0, 7);
  cells[threadIdx.x % 32] = local[3];
  __syncthreads();
  Complex<double> sum(0, 0);
  for (int i = 0; i < 4; ++i) {
    Complex<double> z(i, -i);
    sum += z * Complex<double>(0.5, 1.5);
  }
  Derived d(Classify(local[0]), sum.re);
  auto pick = [&](int k) { return flag && k > 2 ? cells[k] : d.value; };
  int length = 0;
  while (text[length] != '\0' && length < 100) {
    ++length;
  }
  do {
    --length;
  } while (length > 50);
  out[threadIdx.x] = pick(threadIdx.x % 8) + length + (flag ? 1 : 2);
  dout[threadIdx.x] = d.extra + sum.im + Factorial(threadIdx.x % 10);
  if (!flag || length == 7) {
    goto done;
  }
  out[threadIdx.x] ^= 0x55;
done:
  atomicAdd(&table[0], static_cast<int>(static_cast<short>(out[threadIdx.x])));
}

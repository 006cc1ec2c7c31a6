// Scans and reductions of doubles, of linear recurrences and by key, and a histogram.

#include <cub/cub.cuh>

struct Linear {
  float factor, offset;
};

struct Compose {
  __host__ __device__ Linear operator()(Linear first, Linear then) const {
    return {first.factor * then.factor, first.offset * then.factor + then.offset};
  }
};

void Scan(void* scratch, size_t& bytes, double* in, double* out, Linear* steps, Linear* composed, int n) {
  cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
  cub::DeviceScan::InclusiveScan(scratch, bytes, steps, composed, Compose{}, n);
}

void Reduce(void* scratch, size_t& bytes, double* in, double* out, int* keys, int* unique, int* num_runs, int n) {
  cub::DeviceReduce::Sum(scratch, bytes, in, out, n);
  cub::DeviceReduce::ReduceByKey(scratch, bytes, keys, unique, in, out, num_runs, cuda::std::plus<>{}, n);
}

void Count(void* scratch, size_t& bytes, float* samples, int* bins, int levels, int n) {
  cub::DeviceHistogram::HistogramEven(scratch, bytes, samples, bins, levels, 0.f, 1.f, n);
}

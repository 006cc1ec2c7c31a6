// Scans, runs and sorting by key, and a reduction over four arrays at once.

#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

struct Term {
  __host__ __device__ double operator()(thrust::tuple<double, double, float, int> t) const {
    return thrust::get<0>(t) * thrust::get<1>(t) + thrust::get<2>(t) / thrust::get<3>(t);
  }
};

void Sum(double* a, double* b, float* c, int* d, double* sum, int n) {
  const auto terms = thrust::make_zip_iterator(thrust::make_tuple(a, b, c, d));
  *sum = thrust::transform_reduce(thrust::device, terms, terms + n, Term{}, 0.0, thrust::plus<double>());
}

void ByKey(int* keys, double* values, double* sums, int n) {
  thrust::exclusive_scan_by_key(thrust::device, keys, keys + n, values, sums);
  thrust::unique_by_key(thrust::device, keys, keys + n, values);
  thrust::stable_sort_by_key(thrust::device, values, values + n, keys, thrust::greater<double>());
}

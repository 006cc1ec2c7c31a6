// Merging, and sets of sorted numbers.

#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>

void Sets(int* a, int* b, int* out, int n) {
  thrust::set_intersection(thrust::device, a, a + n, b, b + n, out);
  thrust::set_union(thrust::device, a, a + n, b, b + n, out);
  thrust::set_symmetric_difference(thrust::device, a, a + n, b, b + n, out);
}

void Merge(double* a, double* b, double* out, int n) { thrust::merge(thrust::device, a, a + n, b, b + n, out); }

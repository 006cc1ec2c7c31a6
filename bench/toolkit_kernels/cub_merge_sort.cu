// A merge sort by two fields.

#include <cub/cub.cuh>

struct Key {
  int major;
  float minor;
};

struct IsLess {
  __host__ __device__ bool operator()(Key a, Key b) const {
    return a.major < b.major || (a.major == b.major && a.minor < b.minor);
  }
};

void Sort(void* scratch, size_t& bytes, Key* keys, double* values, int n) {
  cub::DeviceMergeSort::SortPairs(scratch, bytes, keys, values, n, IsLess{});
}

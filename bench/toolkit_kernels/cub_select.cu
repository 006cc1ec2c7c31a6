// What is kept, what goes where, and runs of what is equal.

#include <cub/cub.cuh>

struct IsLarge {
  __host__ __device__ bool operator()(double x) const { return x > 0.5; }
};

void Select(void* scratch, size_t& bytes, double* in, double* out, int* num_selected, int n) {
  cub::DeviceSelect::If(scratch, bytes, in, out, num_selected, n, IsLarge{});
  cub::DevicePartition::If(scratch, bytes, in, out, num_selected, n, IsLarge{});
  cub::DeviceSelect::Unique(scratch, bytes, in, out, num_selected, n);
}

void EncodeRuns(void* scratch, size_t& bytes, int* in, int* out, int* counts, int* num_runs, int n) {
  cub::DeviceRunLengthEncode::Encode(scratch, bytes, in, out, counts, num_runs, n);
  cub::DeviceRunLengthEncode::NonTrivialRuns(scratch, bytes, in, out, counts, num_runs, n);
}

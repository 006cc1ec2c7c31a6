// SPDX-License-Identifier: Apache-2.0

// OpenCL: local memory, a barrier, atomics and a structure by value.

typedef struct {
  float scale;
  int count;
  float offsets[2];
} Parameters;

kernel void scale(global const float* restrict in, global float* restrict out, const Parameters parameters) {
  const size_t i = get_global_id(0);
  if (i < parameters.count) out[i] = in[i] * parameters.scale + parameters.offsets[i & 1];
}

__attribute__((reqd_work_group_size(128, 1, 1))) kernel void reduce(global const int* in, global int* out) {
  local int shared[128];
  const int thread = get_local_id(0);
  shared[thread] = in[get_global_id(0)];
  for (int width = 64; width > 0; width >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < width) shared[thread] += shared[thread + width];
  }
  if (thread == 0) atomic_add(out, shared[0]);
}

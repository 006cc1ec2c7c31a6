// SPDX-License-Identifier: Apache-2.0

// D for the GPU (ldc's dcompute).

@compute(CompileFor.deviceOnly) module saxpy;
import ldc.dcompute;

@kernel void saxpy(GlobalPointer!float out_, GlobalPointer!float x, float a, size_t n) {
  foreach (i; 0 .. n) out_[i] = a * x[i] + out_[i];
}

@kernel void shift(GlobalPointer!float data, SharedPointer!int counts, long by) {
  const int count = counts[0];
  if (count > 0) data[count + by] = data[count] * 0.5f;
  counts[1] = count >> 1;
}

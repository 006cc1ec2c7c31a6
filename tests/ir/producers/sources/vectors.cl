// SPDX-License-Identifier: Apache-2.0

// OpenCL: vectors, conversions, constant memory and a switch.

constant float4 kWeights[2] = {(float4)(1, 2, 3, 4), (float4)(4, 3, 2, 1)};

float4 mix_rows(float4 a, float4 b, int how) {
  switch (how) {
    case 0:
      return a + b;
    case 1:
      return a * b.wzyx;
    case 7:
      return fmax(a, b);
    default:
      return convert_float4(convert_int4(a) ^ as_int4(b));
  }
}

kernel void mix_all(global const float4* in, global float4* out, int how) {
  const int i = get_global_id(0);
  out[i] = mix_rows(in[i], kWeights[i & 1], how);
}

// SPDX-License-Identifier: Apache-2.0

// D for the GPU (ldc's dcompute): arithmetic of several widths, a switch and a loop with a bound.

@compute(CompileFor.deviceOnly) module bits;
import ldc.dcompute;

private uint mix(uint x, int how) {
  switch (how) {
  case 0: return x ^ (x >> 16);
  case 1: return x * 0x9E3779B9u;
  case 2: return (x << 5) | (x >> 27);
  case 9: return ~x;
  default: return x % 12345;
  }
}

@kernel void hash(GlobalPointer!uint data, ConstantPointer!ubyte how, ulong n) {
  for (ulong i = 0; i < n; ++i) {
    uint x = data[i];
    foreach (j; 0 .. 4) x = mix(x, how[j]);
    data[i] = x;
  }
}

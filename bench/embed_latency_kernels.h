// SPDX-License-Identifier: Apache-2.0

// The kernels that embed_latency.cc builds through the kernel builder.

#ifndef PTXMIR_BENCH_EMBED_LATENCY_KERNELS_H_
#define PTXMIR_BENCH_EMBED_LATENCY_KERNELS_H_

#include "ptxmir/kernel_builder.h"

namespace ptxmir {

// Builds y[i] = a * x[i] + y[i] for i < n.
void BuildSaxpy(builder::KernelModule& module);

// Builds c = a * b for row-major n x n matrices, in tiles of 16 x 16 in shared memory.
void BuildTiledGemm(builder::KernelModule& module);

}  // namespace ptxmir

#endif  // PTXMIR_BENCH_EMBED_LATENCY_KERNELS_H_

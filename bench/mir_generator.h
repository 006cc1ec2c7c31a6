// SPDX-License-Identifier: Apache-2.0

// Makes large MIR files for benchmarks: valid NVPTX machine code in SSA form as instruction selection leaves
// it, of any size, the same for the same arguments.
//
// A function is a sequence of segments. A loop segment is a single-block loop with an induction variable,
// a pointer and accumulators as PHIs, loads, arithmetic and a conditional branch, which is what most loops
// of real kernels look like; a diamond segment has two arms and PHIs at the join. Values of earlier segments
// are used later. The mix of opcodes follows what the kernels of tests/corpus use most.

#ifndef PTXMIR_BENCH_MIR_GENERATOR_H_
#define PTXMIR_BENCH_MIR_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ptxmir::bench {

struct GeneratorOptions {
  size_t instructions = 300000;  // about as many in the whole file
  size_t functions = 1;
  uint32_t seed = 1;
};

std::string GenerateMir(const GeneratorOptions& options);

}  // namespace ptxmir::bench

#endif  // PTXMIR_BENCH_MIR_GENERATOR_H_

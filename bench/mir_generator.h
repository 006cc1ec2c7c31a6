// SPDX-License-Identifier: Apache-2.0

// Generates large MIR files for benchmarks: valid NVPTX machine code in SSA form, as instruction selection
// produces it, of any size. The same arguments give the same file.
//
// A function is usually a sequence of segments. A loop segment is a single-block loop with an induction variable, a
// pointer and accumulators as PHIs, loads, arithmetic and a conditional branch, like most loops of real kernels. A
// diamond segment has two arms and PHIs at the join. Later segments use values of earlier ones. The mix of opcodes
// follows the kernels of tests/corpus. Other shapes are extremes, for measuring how time grows with size.

#ifndef PTXMIR_BENCH_MIR_GENERATOR_H_
#define PTXMIR_BENCH_MIR_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ptxmir::bench {

enum class GeneratorShape {
  kSegments,     // loops and diamonds, about 22 instructions a block
  kOneBlock,     // straight-line code
  kSmallBlocks,  // diamonds, about 8 instructions a block
  kLoopNest,     // loops inside of each other, 1,000 deep
};

struct GeneratorOptions {
  size_t instructions = 300000;  // the approximate number in the whole file
  size_t functions = 1;
  uint32_t seed = 1;
  GeneratorShape shape = GeneratorShape::kSegments;
};

std::string GenerateMir(const GeneratorOptions& options);

}  // namespace ptxmir::bench

#endif  // PTXMIR_BENCH_MIR_GENERATOR_H_

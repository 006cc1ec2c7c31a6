// SPDX-License-Identifier: Apache-2.0

// Writes a generated MIR file to standard output:
//
//     generate_mir <instructions> [functions] [seed] [segments|one-block|small-blocks|loop-nest]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "bench/mir_generator.h"

int main(int argc, char** argv) {
  ptxmir::bench::GeneratorOptions options;
  if (argc > 1) options.instructions = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) options.functions = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) options.seed = static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10));
  if (argc > 4) {
    constexpr std::string_view kShapes[] = {"segments", "one-block", "small-blocks", "loop-nest"};
    const auto shape = std::find(std::begin(kShapes), std::end(kShapes), argv[4]);
    if (shape == std::end(kShapes)) {
      std::fprintf(stderr, "generate_mir: unknown shape '%s'\n", argv[4]);
      return 2;
    }
    options.shape = static_cast<ptxmir::bench::GeneratorShape>(shape - std::begin(kShapes));
  }
  const std::string text = ptxmir::bench::GenerateMir(options);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0

// Writes a generated MIR file to standard output:
//
//     generate_mir <instructions> [functions] [seed]

#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/mir_generator.h"

int main(int argc, char** argv) {
  ptxmir::bench::GeneratorOptions options;
  if (argc > 1) options.instructions = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) options.functions = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) options.seed = static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10));
  const std::string text = ptxmir::bench::GenerateMir(options);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0

// Generated functions under libFuzzer: its bytes steer the generator and the choice of the pipeline
// (steered_input.h), and it keeps those that reach new code.
//
// Random inputs are the reference that it is compared with: with PTXMIR_RANDOM_INPUTS in the environment, the bytes are
// no more than a seed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/types/span.h"
#include "mir/text/mir_writer.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/generator/opcode_catalog.h"
#include "tools/fuzz/steered_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using ptxmir::fuzz::OpcodeCatalog;
  static const OpcodeCatalog& catalog = *new OpcodeCatalog(ptxmir::ptx::PtxTargetInfo());
  static const bool is_random = std::getenv("PTXMIR_RANDOM_INPUTS") != nullptr;
  uint16_t hash = 0;
  for (size_t i = 0; i < size; ++i) hash = static_cast<uint16_t>(hash * 31 + data[i]);
  const uint8_t seed[] = {static_cast<uint8_t>(hash >> 8), static_cast<uint8_t>(hash)};
  const ptxmir::fuzz::SteeredInput input(is_random ? absl::MakeConstSpan(seed) : absl::MakeConstSpan(data, size));
  const std::string wrong = input.Check(catalog);
  if (wrong.empty()) return 0;
  std::string text;
  ptxmir::WriteMir(*input.Generate(catalog), {}, text);
  std::fprintf(stderr, "finding: %s\n%s\n", wrong.c_str(), text.c_str());
  std::abort();
}

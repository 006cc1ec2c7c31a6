// SPDX-License-Identifier: Apache-2.0

// Inputs that bytes steer: which functions are generated, and which pipeline runs over them. For fuzzers that are
// guided by coverage. What the bytes do not decide is random.

#ifndef PTXMIR_TOOLS_FUZZ_STEERED_INPUT_H_
#define PTXMIR_TOOLS_FUZZ_STEERED_INPUT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "ir/module.h"
#include "tools/fuzz/generator/opcode_catalog.h"
#include "tools/fuzz/random_pipeline.h"

namespace ptxmir::fuzz {

class SteeredInput {
 public:
  // The bytes must outlive the input. The first two are the seed of what the others do not decide; then come those of
  // the pipeline, at most half; the rest is for the functions.
  explicit SteeredInput(absl::Span<const uint8_t> bytes);

  FuzzPipeline Pipeline() const;
  // Returns the same small module each time.
  std::unique_ptr<Module> Generate(const OpcodeCatalog& catalog) const;
  // Returns what is wrong with the module or with what the pipeline makes of it, or an empty string.
  std::string Check(const OpcodeCatalog& catalog) const;

 private:
  uint64_t seed_ = 0;
  absl::Span<const uint8_t> of_pipeline_;
  absl::Span<const uint8_t> of_functions_;
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_STEERED_INPUT_H_

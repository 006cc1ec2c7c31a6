// SPDX-License-Identifier: Apache-2.0

// Pipelines and knobs chosen at random, from the pass table, the table of orders and the knob table. A pass or a knob
// that is added there is chosen without an edit here.

#ifndef PTXMIR_TOOLS_FUZZ_RANDOM_PIPELINE_H_
#define PTXMIR_TOOLS_FUZZ_RANDOM_PIPELINE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "options/knobs.h"
#include "passes/pass_info.h"
#include "passes/pipeline/pipeline.h"
#include "tools/fuzz/generator/fuzz_random.h"

namespace ptxmir::fuzz {

// The name of the choice of a pipeline at random, for FunctionFuzzOptions::pipeline.
inline constexpr std::string_view kRandomPipeline = "random";

// A way to compile a module.
struct FuzzPipeline {
  Pipeline steps;
  Knobs knobs;
  int opt_level = 2;
  bool is_printed = false;  // whether the PTX writer takes the result

  // Returns the knobs, as on the command line, and the steps.
  std::string ToString() const;
};

// Returns the pipeline that a name stands for: "O0" to "O3", or passes with commas.
absl::StatusOr<FuzzPipeline> NamedPipeline(std::string_view name);

// Returns one of: passes in a random legal order; the pipeline of a random -O level; register allocation between the
// two passes of the register checker. The first two have random knobs.
FuzzPipeline RandomPipeline(FuzzRandom& random);

// Returns some implemented passes in a random order that the order table and their requirements allow. Requests
// analyses in between, to detect passes that wrongly claim to preserve one.
Pipeline RandomLegalPipeline(FuzzRandom& random);
// Returns register allocation with a random budget, proved by the register checker.
FuzzPipeline RandomAllocation(FuzzRandom& random);

// The two parts of a pipeline, cut at a random place.
struct CutPipeline {
  FuzzPipeline first;
  FuzzPipeline second;
};
CutPipeline RandomCutPipeline(FuzzRandom& random);

// Sets some knobs of passes to random values.
void SetRandomKnobs(FuzzRandom& random, Knobs& knobs);

// Returns true if a pass can run on the output of selection: SSA form with PHIs.
bool RunsOnSelectedCode(const PassInfo& pass);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_RANDOM_PIPELINE_H_

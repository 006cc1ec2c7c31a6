// SPDX-License-Identifier: Apache-2.0

// The checks of one generated module.

#ifndef PTXMIR_TOOLS_FUZZ_FUNCTION_CHECK_H_
#define PTXMIR_TOOLS_FUZZ_FUNCTION_CHECK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/pipeline_runner.h"
#include "tools/fuzz/fuzz_random.h"

namespace ptxmir::fuzz {

// How often a pass ran over a function, and how often it changed one; by position in the pass table.
struct PassCount {
  uint64_t runs = 0;
  uint64_t changes = 0;
};

class FunctionCheck {
 public:
  // `mir`: the module as text. `launches`: of each kernel.
  FunctionCheck(std::string mir, unsigned launches);

  // Each returns what is wrong, or an empty string.
  std::string CheckFixedPoint() const;
  std::string CheckExecution() const;
  std::string CheckPipeline(std::string_view pipeline, uint64_t seed);
  std::string CheckExternal(std::string_view llc, std::string_view ptxas) const;

  const std::vector<PassCount>& passes() const { return passes_; }

 private:
  static constexpr int kUsualOptLevel = 2;

  std::string CheckRandomPipelines(FuzzRandom& random);
  void SetRandomKnobs(FuzzRandom& random);
  // Register allocation with random budgets, proved by the register checker.
  std::string CheckAllocation(FuzzRandom& random);
  // Runs the passes over what `mir` says, for the GPU that its functions ask for; on success `mir` says what came of
  // it.
  std::string RunPasses(const Pipeline& pipeline, std::string& mir, int opt_level = kUsualOptLevel);
  std::string RunPassesOn(MachineFunction& function, const Pipeline& pipeline, const RunOptions& options);

  std::string mir_;
  unsigned launches_;
  Knobs knobs_;             // what passes are run with
  std::string knobs_text_;  // those that are set at random, as on the command line
  std::vector<PassCount> passes_;
  std::unique_ptr<ExecutionChecker> checker_;  // of the module as it was generated
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_FUNCTION_CHECK_H_

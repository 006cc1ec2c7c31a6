// SPDX-License-Identifier: Apache-2.0

// FunctionCheck: the checks of one generated module.

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
#include "passes/run/pipeline_runner.h"
#include "tools/fuzz/generator/fuzz_random.h"

namespace ptxmir::fuzz {

// How often a pass ran over a function, and how often it changed one. Indexed by position in the pass table.
struct PassCount {
  uint64_t runs = 0;
  uint64_t changes = 0;
};

class FunctionCheck {
 public:
  // `mir` is the module as text. Each kernel is launched `launches` times.
  FunctionCheck(std::string mir, unsigned launches);

  // Each returns a description of what is wrong, or an empty string.
  std::string CheckFixedPoint() const;
  std::string CheckExecution() const;
  std::string CheckPipeline(std::string_view pipeline, uint64_t seed);
  std::string CheckExternal(std::string_view llc, std::string_view ptxas) const;

  const std::vector<PassCount>& passes() const { return passes_; }

 private:
  static constexpr int kUsualOptLevel = 2;

  std::string CheckRandomPipelines(FuzzRandom& random);
  void SetRandomKnobs(FuzzRandom& random);
  // Checks register allocation with random budgets, proved by the register checker.
  std::string CheckAllocation(FuzzRandom& random);
  // Runs the passes over the module in `mir`, for the GPU that its functions request. On success, `mir` is
  // replaced by the result.
  std::string RunPasses(const Pipeline& pipeline, std::string& mir, int opt_level = kUsualOptLevel);
  std::string RunPassesOn(MachineFunction& function, const Pipeline& pipeline, const RunOptions& options);

  std::string mir_;
  unsigned launches_;
  Knobs knobs_;             // the knobs for the passes
  std::string knobs_text_;  // the knobs that are set at random, as on the command line
  std::vector<PassCount> passes_;
  std::unique_ptr<ExecutionChecker> checker_;  // the checker of the module as it was generated
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_FUNCTION_CHECK_H_

// SPDX-License-Identifier: Apache-2.0

// FunctionCheck: checks of one generated module that run the verifier and the interpreter after every pass, so that
// they name the pass that is wrong. Each pipeline starts from the module as text.

#ifndef PTXMIR_TOOLS_FUZZ_FUNCTION_CHECK_H_
#define PTXMIR_TOOLS_FUZZ_FUNCTION_CHECK_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "passes/equivalence/execution_check.h"
#include "tools/fuzz/generator/fuzz_random.h"
#include "tools/fuzz/pass_run.h"
#include "tools/fuzz/random_pipeline.h"

namespace ptxmir::fuzz {

class FunctionCheck {
 public:
  // `mir` is the module as text. Each kernel is launched `launches` times.
  FunctionCheck(std::string mir, unsigned launches);

  // Each returns a description of what is wrong, or an empty string.
  std::string CheckFixedPoint() const;
  std::string CheckExecution() const;
  std::string CheckPasses(const FuzzPipeline& pipeline);
  // Checks each pass that takes SSA form alone, passes in a random legal order, the pipeline of a random -O level, cut
  // at a random place and resumed from text, and register allocation.
  std::string CheckEachPass(FuzzRandom& random);
  std::string CheckExternal(std::string_view llc, std::string_view ptxas) const;

  const std::vector<PassCount>& passes() const { return passes_; }

 private:
  // Runs the passes over the module in `mir`, for the GPU that its functions request. On success, `mir` is
  // replaced by the result.
  std::string RunPasses(const FuzzPipeline& pipeline, std::string& mir);

  std::string mir_;
  unsigned launches_;
  std::vector<PassCount> passes_;
  std::unique_ptr<ExecutionChecker> checker_;  // the checker of the module as it was generated
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_FUNCTION_CHECK_H_

// SPDX-License-Identifier: Apache-2.0

// ResultCheck: whether a pipeline leaves what the kernels of a generated module compute.
//
// Only the end result is judged: the verifier accepts it, the PTX writer prints it, and its kernels compute what they
// compute as generated. Most inputs are right, and for them this costs a fraction of what checking after each pass
// does. When something is wrong, FunctionCheck::CheckPasses runs the same pipeline again and names the pass.

#ifndef PTXMIR_TOOLS_FUZZ_RESULT_CHECK_H_
#define PTXMIR_TOOLS_FUZZ_RESULT_CHECK_H_

#include <memory>
#include <string>
#include <vector>

#include "ir/module.h"
#include "tools/fuzz/pass_run.h"
#include "tools/fuzz/random_pipeline.h"

namespace ptxmir::fuzz {

class ResultCheck {
 public:
  // `original` and `changed` are the same module. Each kernel is launched `launches` times.
  ResultCheck(std::unique_ptr<Module> original, std::unique_ptr<Module> changed, unsigned launches);

  // Runs the pipeline over the second module. Returns a description of what is wrong, or an empty string. With
  // `verifies_each`, the verifier runs, and what passes claim is checked, after each pass.
  std::string CheckPasses(const FuzzPipeline& pipeline, bool verifies_each);
  // Compares what the kernels of both modules compute, and stops at the first difference.
  std::string CompareRuns();

  // Returns true if all kernels that were run as generated ended without a fault, so that what is wrong is not the
  // input.
  bool is_defined() const { return is_defined_; }
  const std::vector<PassCount>& passes() const { return passes_; }

 private:
  std::string CompareRun(const IrFunction& kernel, uint64_t seed);

  std::unique_ptr<Module> original_;
  std::unique_ptr<Module> changed_;
  unsigned launches_;
  bool is_defined_ = true;
  std::vector<PassCount> passes_;
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_RESULT_CHECK_H_

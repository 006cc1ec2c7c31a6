// SPDX-License-Identifier: Apache-2.0

// The dumps around passes: -print-before, -print-after and others.

#ifndef PTXMIR_PASSES_RUN_PASS_DUMPS_H_
#define PTXMIR_PASSES_RUN_PASS_DUMPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "mir/code/machine_function.h"
#include "passes/run/pipeline_observer.h"
#include "passes/run/run_options.h"

namespace ptxmir {

// Returns true if the options (-filter-print-funcs) let dumps of the function be written.
bool IsDumped(const MachineFunction& function, const PrintOptions& options);

// Returns true if `names`, which may have aliases, name the pass.
bool NamesPass(const std::vector<std::string>& names, const PassInfo& pass);

// Appends the heading, which is empty or ends in a newline, and the function as MIR. With
// -print-module-scope, that is a file which can be read again.
void DumpFunction(const MachineFunction& function, const PrintOptions& options, std::string_view heading,
                  std::string& log);

// Dumps a function before and after the passes that the options name, and at the pipeline's banners.
class PassDumps : public PipelineObserver {
 public:
  PassDumps(const MachineFunction& function, const PrintOptions& options, std::string& log)
      : function_(function), options_(options), log_(log) {}

  void BeforeStep(const PipelineStep& step) override;
  bool AfterPass(const PipelineStep& step, bool changed) override;

 private:
  void DumpAround(std::string_view when, const PassInfo& pass);

  const MachineFunction& function_;
  const PrintOptions& options_;
  std::string& log_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_PASS_DUMPS_H_

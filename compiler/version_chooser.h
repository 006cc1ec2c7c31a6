// SPDX-License-Identifier: Apache-2.0

// Compiles a kernel under several option sets and keeps the version for which the model of ptxas expects the fewest
// registers: -autotune=model, and -O3.
//
// A kernel is compiled under the default set first. Other sets are tried only where fewer registers are of use: where
// more warps would be resident, and where ptxas is not expected to spill, of which the model knows nothing. These
// versions are compiled without observers. If there are any (dumps, remarks, checks), the chosen version is compiled
// once more for them.

#ifndef PTXMIR_COMPILER_VERSION_CHOOSER_H_
#define PTXMIR_COMPILER_VERSION_CHOOSER_H_

#include <vector>

#include "compiler/option_sets.h"
#include "options/knobs.h"
#include "passes/ptxas_model/ptxas_features.h"
#include "passes/run/pipeline_runner.h"
#include "passes/run/run_options.h"

namespace ptxmir {

class VersionChooser {
 public:
  // The pipeline must outlive the chooser, and what the options refer to. The pipeline has no module passes that run.
  VersionChooser(const Pipeline& pipeline, const RunOptions& options);

  // Runs `runner`, which is that of the options, over the function. Several threads may call this at once.
  void Run(const PipelineRunner& runner, RunUnit& unit) const;

 private:
  struct Alternative {
    OptionSet set;
    Knobs knobs;
  };
  // A version of a kernel.
  struct Version {
    const Alternative* alternative = nullptr;  // null: the default
    RunUnit unit = {};
  };

  // Returns the best version under another set, or a version without one if none is better. `input` is the function
  // before the pipeline.
  Version Choose(const MachineFunction& input, const PtxasFeatures& default_features) const;
  // Compiles the function under a set.
  Version Try(const MachineFunction& input, const Alternative* alternative) const;

  const RunOptions trial_options_;
  const PipelineRunner trial_runner_;
  const bool has_observers_;
  const bool has_history_;
  std::vector<Alternative> alternatives_;
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_VERSION_CHOOSER_H_

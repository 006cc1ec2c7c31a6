// SPDX-License-Identifier: Apache-2.0

// -opt-bisect=ptxas and -opt-bisect=exec: find, for each kernel, the run of a pass after which ptxas needs more spills
// or registers than without any optional pass, or with which the kernel computes something else than the input does.
//
// The module is compiled with the first N runs of optional passes (passes/run/opt_bisect.h). N is found by halving
// between no runs, which is good, and all of them, which is bad. Where the figures rise and fall several times in
// between, the run that is found is one of those after which they are bad, and before which they are not.

#ifndef PTXMIR_TOOLS_BISECT_SEARCH_H_
#define PTXMIR_TOOLS_BISECT_SEARCH_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "ir/module.h"
#include "passes/pipeline/pipeline.h"
#include "tools/support/ptxas.h"

namespace ptxmir {

// Returns a limit in (good, bad] that is bad while the one below it is not. `good` is known not to be bad, and `bad` to
// be. Asks about at most log2(bad - good) + 1 limits, and passes on the first error.
absl::StatusOr<int> FindFirstBad(int good, int bad, absl::FunctionRef<absl::StatusOr<bool>(int limit)> is_bad);

class BisectSearch {
 public:
  // The options must outlive the search.
  BisectSearch(const DriverOptions& options, const Pipeline& pipeline);

  // Searches and returns the report, or an error. Errors of the compilation are in `diagnostics`.
  absl::StatusOr<std::string> Run(DiagnosticEngine& diagnostics);

 private:
  // The module compiled with the first runs.
  struct Trial {
    std::unique_ptr<Compilation> compilation;
    std::unique_ptr<PtxasReport> ptxas;  // null before it was asked
  };

  absl::StatusOr<Trial*> Compile(int limit);
  absl::StatusOr<PtxasFigures> FiguresOf(const std::string& ptx_name, int limit);
  // Returns how the kernel's results differ from those of the input; empty if they do not.
  absl::StatusOr<std::string> DifferenceOf(const std::string& kernel, int limit);
  absl::StatusOr<std::string> SearchPtxas(const MachineFunction& kernel, int last);
  absl::StatusOr<std::string> SearchExec(const MachineFunction& kernel, int last);
  // Returns two lines about the run that was found.
  std::string DescribeRun(int number, std::string_view effect);

  const DriverOptions& options_;
  const DriverOptions trial_options_;
  const CompilationPlan plan_;
  DiagnosticEngine* diagnostics_ = nullptr;
  std::shared_ptr<const SourceBuffer> input_;
  std::unique_ptr<Ptxas> ptxas_;
  std::map<int, Trial> trials_;  // keyed by limit
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_BISECT_SEARCH_H_

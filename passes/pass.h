// SPDX-License-Identifier: Apache-2.0

// What a machine pass is: a plain function over one MachineFunction and a context. It keeps no state of
// its own; everything that it shares with the rest of the compilation is in the context.

#ifndef PTXMIR_PASSES_PASS_H_
#define PTXMIR_PASSES_PASS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_manager.h"
#include "base/diagnostics.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Counters that passes add to, for -stats. Kept in order of first use, which is pipeline order.
class Statistics {
 public:
  struct Counter {
    std::string_view pass;
    std::string_view description;  // "copies inserted"
    uint64_t value = 0;
  };
  // Both texts must be string literals (they are kept).
  void Add(std::string_view pass, std::string_view description, uint64_t value);
  // Adds the counters of another function.
  void Append(const Statistics& other);
  const std::vector<Counter>& counters() const { return counters_; }
  // LLVM's -stats layout: value, pass, description, a line each.
  std::string ToString() const;

 private:
  std::vector<Counter> counters_;
};

class RegisterCheckerSnapshot;

struct PassContext {
  // Of the function at hand.
  AnalysisManager& analyses;
  const Knobs& knobs;  // of the function
  // For what the user must know. A pass that reports an error has failed the compilation.
  DiagnosticEngine& diagnostics;
  Statistics& statistics;
  // What passes print because they were asked to (print<live-intervals>, -nv-dump-remat-block): the tool shows it
  // on stderr. Lines that end in newlines.
  std::string& log;
  int opt_level = 2;
  // What register-checker compares with; see register_checker.h.
  std::shared_ptr<const RegisterCheckerSnapshot> register_snapshot = nullptr;
};

struct PassResult {
  // Whether anything in the function is different now. Checked builds compare.
  bool changed = false;
  // Which analyses still hold although something changed. Checked builds compute them anew and compare.
  PreservedAnalyses preserved = PreservedAnalyses::None();
};

using MachineFunctionPass = PassResult (*)(MachineFunction&, PassContext&);

// A context with all that it refers to, for running single passes outside of a pipeline.
struct StandalonePassContext {
  explicit StandalonePassContext(MachineFunction& function, const AnalysisInputs& inputs = {})
      : analyses(function, inputs), context{analyses, analyses.knobs(), diagnostics, statistics, log} {}

  AnalysisManager analyses;
  DiagnosticEngine diagnostics;
  Statistics statistics;
  std::string log;
  PassContext context;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PASS_H_

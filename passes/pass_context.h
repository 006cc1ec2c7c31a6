// SPDX-License-Identifier: Apache-2.0

// The interface of a machine pass: a plain function over one MachineFunction and a context. A pass keeps no state
// of its own; everything that it shares with the rest of the compilation is in the context.

#ifndef PTXMIR_PASSES_PASS_CONTEXT_H_
#define PTXMIR_PASSES_PASS_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_manager.h"
#include "base/diagnostics.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// The counters that passes add to, for -stats. They are kept in the order of first use, which is pipeline order.
class Statistics {
 public:
  struct Counter {
    std::string_view pass;
    std::string_view description;  // "copies inserted"
    uint64_t value = 0;
  };
  // Adds `value` to a counter, which is created on first use. The counter keeps references to both texts, so these
  // must outlive it: string literals, or names of the pipeline's passes. Passes use PassContext::AddStatistic.
  void Add(std::string_view pass, std::string_view description, uint64_t value);
  // Adds the counters of another function.
  void Append(const Statistics& other);
  const std::vector<Counter>& counters() const { return counters_; }
  // Returns the counters in LLVM's -stats layout: value, pass and description, one line per counter.
  std::string ToString() const;

 private:
  std::vector<Counter> counters_;
};

class RegisterCheckerSnapshot;
struct FunctionHistory;

struct PassContext {
  // The analyses of the current function.
  AnalysisManager& analyses;
  const Knobs& knobs;  // the knobs of the current function
  // Takes the messages that the user must see. A pass that reports an error has failed the compilation.
  DiagnosticEngine& diagnostics;
  Statistics& statistics;
  // The text that passes print on request (print<live-intervals>, -nv-dump-remat-block), as lines that end in
  // newlines. The tool shows it on stderr.
  std::string& log;
  int opt_level = 2;
  // The function before allocation, which register-checker compares with. See register_checker.h.
  std::shared_ptr<const RegisterCheckerSnapshot> register_snapshot = nullptr;
  // Takes what passes tell about their decisions. Null unless the history of the function is recorded.
  FunctionHistory* history = nullptr;
  // The name of the running pass in the pass table, for its remarks and messages. The runner sets it before each pass.
  std::string_view pass_name = "";

  // Adds `value` to a counter of the running pass, for -stats. `description` must be a string literal.
  void AddStatistic(std::string_view description, uint64_t value) { statistics.Add(pass_name, description, value); }
};

struct PassResult {
  // Whether the pass changed anything in the function. Checked builds verify this.
  bool changed = false;
  // The analyses that still hold although something changed. Checked builds recompute them and compare.
  PreservedAnalyses preserved = PreservedAnalyses::None();
};

using MachineFunctionPass = PassResult (*)(MachineFunction&, PassContext&);

// A context together with everything that it refers to, for running single passes outside a pipeline. All of them
// count and remark under the name "standalone".
struct StandalonePassContext {
  explicit StandalonePassContext(MachineFunction& function, const AnalysisInputs& inputs = {})
      : analyses(function, inputs), context{analyses, analyses.knobs(), diagnostics, statistics, log} {
    context.pass_name = "standalone";
  }

  AnalysisManager analyses;
  DiagnosticEngine diagnostics;
  Statistics statistics;
  std::string log;
  PassContext context;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PASS_CONTEXT_H_

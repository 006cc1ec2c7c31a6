// SPDX-License-Identifier: Apache-2.0

// Compiles the functions of MIR files at many register budgets, with and without forced spilling, and checks the
// output: no pass reports an error, the register checker proves the allocation, the verifier finds nothing, and in
// the interpreter kernels compute the same as the functions in the input (passes/equivalence/reference_run.h).
//
// Most budgets of a function give the same code as another budget. Each code is executed only once: functions are
// compared by their text, over all settings and budgets. The input is also executed only once for each kernel and
// launch. A compiled function is executed together with the other functions as they were read, in every kernel that
// uses it.

#ifndef PTXMIR_TESTS_BUDGETS_BUDGET_SWEEP_H_
#define PTXMIR_TESTS_BUDGETS_BUDGET_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxmir::testing {

struct SweepSetting {
  std::string_view name = {};
  // The passes, as in -run-pass. Empty: the pipeline of -O2, with the register checker around allocation.
  std::string_view passes = {};
  std::string_view flags = {};        // knobs, with their dashes
  std::string_view budget_knob = {};  // the knob for the budget; empty: the setting has no budgets
  // Use only every n-th budget, beginning with the first, for a setting that hardly depends on the budget.
  size_t every = 1;
};

// Returns all settings.
const std::vector<SweepSetting>& SweepSettings();

struct SweepOptions {
  std::vector<SweepSetting> settings = SweepSettings();
  std::vector<int> budgets = {};
  unsigned launches = 2;     // of each kernel, on different inputs; 0: nothing is executed
  bool verify_each = false;  // runs the verifier and fresh analyses after every pass
  // If two budgets give a function the same code, assume that all budgets between them do, and do not compile
  // those.
  bool bisects = false;
  int threads = 1;
  // Functions with more instructions are omitted.
  size_t max_instructions = std::numeric_limits<size_t>::max();
};

struct SweepFinding {
  std::string file = {};
  std::string function = {};
  std::string_view setting = {};
  int budget = 0;
  std::string what = {};

  std::string ToString() const;
};

struct SweepCounts {
  uint64_t functions = 0;
  uint64_t kernels = 0;
  // Functions of which at least one code was executed and compared.
  uint64_t executed_functions = 0;
  uint64_t compilations = 0;  // of single functions
  uint64_t codes = 0;         // different codes
  uint64_t runs = 0;          // runs of kernels with a code, compared with runs of the input
  uint64_t undecided = 0;     // runs without a verdict
  std::map<std::string, uint64_t> undecided_because;
  // The reloads by setting and budget.
  std::map<std::pair<std::string_view, int>, uint64_t> reloads;

  void Add(const SweepCounts& other);
};

struct SweepResult {
  SweepCounts counts;
  std::vector<SweepFinding> findings;  // in the order of the files
};

// Sweeps the budgets. `file_done` is called after each file, on one thread at a time.
SweepResult SweepBudgets(const std::vector<std::string>& paths, const SweepOptions& options,
                         const std::function<void(const std::string& path, const SweepResult&)>& file_done = nullptr);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_BUDGETS_BUDGET_SWEEP_H_

// SPDX-License-Identifier: Apache-2.0

// Compiles the functions of MIR files at many register budgets, with spilling forced and not, and judges what comes
// out: no pass reports an error, the register checker proves what allocation did, the verifier finds nothing, and
// kernels compute in the interpreter what they compute as read (passes/equivalence/reference_run.h).
//
// Most budgets of a function give code that another one has given already. Code is executed once: functions are
// compared by their text, over all settings and budgets. So is the input, once for each kernel and launch. A function
// is executed among the others as they were read, in every kernel that uses it.

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
  // As of -run-pass; empty: the pipeline of -O2, with the register checker around allocation.
  std::string_view passes = {};
  std::string_view flags = {};        // knobs, with their dashes
  std::string_view budget_knob = {};  // which gets the budget; empty: the setting has no budgets
  size_t every = 1;  // of the budgets, it takes the first and every so many after it: what hardly depends on them
};

// All that there are.
const std::vector<SweepSetting>& SweepSettings();

struct SweepOptions {
  std::vector<SweepSetting> settings = SweepSettings();
  std::vector<int> budgets = {};
  unsigned launches = 2;     // of each kernel, on different inputs; 0: nothing is executed
  bool verify_each = false;  // the verifier and fresh analyses after every pass
  // A budget between two that give a function the same code is taken to give it, too, and is not compiled.
  bool bisects = false;
  int threads = 1;
  // Larger functions are left out.
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
  // Functions of which at least one code was executed to a verdict.
  uint64_t executed_functions = 0;
  uint64_t compilations = 0;  // of single functions
  uint64_t codes = 0;         // different ones
  uint64_t runs = 0;          // of kernels with a code, compared with the input's
  uint64_t undecided = 0;     // runs that could not say
  std::map<std::string, uint64_t> undecided_because;
  // By setting and budget.
  std::map<std::pair<std::string_view, int>, uint64_t> reloads;

  void Add(const SweepCounts& other);
};

struct SweepResult {
  SweepCounts counts;
  std::vector<SweepFinding> findings;  // in the order of the files
};

// `file_done` is called after each file, on one thread at a time.
SweepResult SweepBudgets(const std::vector<std::string>& paths, const SweepOptions& options,
                         const std::function<void(const std::string& path, const SweepResult&)>& file_done = nullptr);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_BUDGETS_BUDGET_SWEEP_H_

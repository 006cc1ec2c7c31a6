// SPDX-License-Identifier: Apache-2.0

// -opt-bisect-limit: numbers the runs of passes that correct code can do without, and skips those outside of the given
// intervals, as LLVM's OptBisect does. A run is one pass on one function, or one pass on the whole module.
//
// The numbers follow the order in which functions are compiled. Whoever uses it compiles one function at a time, so
// that the numbers are the same every time.

#ifndef PTXMIR_PASSES_RUN_OPT_BISECT_H_
#define PTXMIR_PASSES_RUN_OPT_BISECT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/pass_info.h"

namespace ptxmir {

// The runs to execute: intervals in ascending order.
class BisectIntervals {
 public:
  // Returns the intervals of a limit: 0 runs nothing, -1 everything, N the first N.
  static BisectIntervals UpTo(int limit);
  // Parses the value of LLVM's -opt-bisect: "1-10,20-30,45", "0" or "-1".
  static absl::StatusOr<BisectIntervals> Parse(std::string_view text);

  bool Contains(int number) const;

 private:
  struct Interval {
    int first;
    int last;
  };
  std::vector<Interval> intervals_;
};

class OptBisect {
 public:
  struct Run {
    std::string_view pass;  // a name of the pass table
    std::string unit;       // "function (f)"
    // Returns "machine-cse on function (f)".
    std::string ToString() const;
  };

  // If `is_verbose`, every run is announced.
  OptBisect(BisectIntervals intervals, bool is_verbose) : intervals_(std::move(intervals)), is_verbose_(is_verbose) {}

  // Numbers the next run of a pass on `unit`, and appends to the log whether it is executed. Returns false if it is
  // skipped. Runs of passes that correct code needs have no number, and are always executed.
  bool ShouldRun(const PassInfo& pass, std::string unit, std::string& log);

  // Returns the runs so far; the first one has the number 1.
  const std::vector<Run>& runs() const { return runs_; }

 private:
  const BisectIntervals intervals_;
  const bool is_verbose_;
  std::vector<Run> runs_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_OPT_BISECT_H_

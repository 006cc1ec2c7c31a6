// SPDX-License-Identifier: Apache-2.0

// Sets of knobs that are tried against each other.

#ifndef PTXMIR_COMPILER_OPTION_SETS_H_
#define PTXMIR_COMPILER_OPTION_SETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "options/knobs.h"

namespace ptxmir {

struct OptionSet {
  std::string name;
  std::vector<std::string> flags;  // with their dashes

  // `base` with the flags set.
  Knobs Apply(const Knobs& base) const;
};

// "tight: -maxreg=40 -ra-spill=never". kInvalidArgument: there is no name, or a flag is no knob of single functions or
// has no valid value.
absl::StatusOr<OptionSet> ParseOptionSet(std::string_view text);

// What -autotune tries: first "default", which changes nothing, then "nothing", in which no pass does more than correct
// code needs, then what has been seen to win for some kernels (docs/performance.md).
std::vector<OptionSet> TuningOptionSets();

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_SETS_H_

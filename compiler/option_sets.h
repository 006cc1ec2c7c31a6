// SPDX-License-Identifier: Apache-2.0

// Sets of knobs that are compared with each other.

#ifndef PTXMIR_COMPILER_OPTION_SETS_H_
#define PTXMIR_COMPILER_OPTION_SETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "options/knobs.h"

namespace ptxmir {

struct OptionSet {
  std::string name;
  std::vector<std::string> flags;  // including their dashes

  // Returns `base` with the flags applied.
  Knobs Apply(const Knobs& base) const;
};

// Parses a text such as "tight: -maxreg=40 -ra-spill=never". Errors (kInvalidArgument): there is no name, or a
// flag is not a knob of single functions or has an invalid value.
absl::StatusOr<OptionSet> ParseOptionSet(std::string_view text);

// Returns the sets that -autotune tries. The first is "default", which changes nothing. The second is "nothing",
// in which passes do only what correct code needs. The others are known to be best for some kernels
// (docs/performance.md).
std::vector<OptionSet> TuningOptionSets();

// Returns those of them that -autotune=model tries, besides the default.
std::vector<OptionSet> ModelOptionSets();

// Returns the sets as ParseOptionSet reads them, a line each.
std::string OptionSetText(absl::Span<const OptionSet> sets);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_SETS_H_

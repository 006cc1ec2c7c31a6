// SPDX-License-Identifier: Apache-2.0

// -explore: a page that shows what happened to each function, and the same data as JSON.

#ifndef PTXMIR_TOOLS_EXPLORE_EXPLORER_H_
#define PTXMIR_TOOLS_EXPLORE_EXPLORER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "tools/explore/ptxas_rows.h"

namespace ptxmir {

struct ExploreTexts {
  std::string page;  // empty unless -explore asks for it
  std::string json;  // empty unless -explore-json asks for it
};

// Makes the page and the data of a compilation, which has recorded its history and kept its functions. `tuned` are the
// versions that -autotune has tried. Compiles a second time if -explore-with asks for it; what that compilation reports
// goes to `diagnostics`. Returns kInvalidArgument if the options of -explore-with are wrong, or if it fails.
absl::StatusOr<ExploreTexts> Explore(const DriverOptions& options, const Compilation& compilation,
                                     std::vector<PtxasRow> tuned, DiagnosticEngine& diagnostics);

// Returns the command line as a shell takes it.
std::string CommandText(absl::Span<const std::string_view> arguments);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_EXPLORE_EXPLORER_H_

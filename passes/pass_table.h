// The one table of machine passes, in pipeline order.
//
// It names every pass that LLVM's and cicc's machine pipelines have between instruction selection and
// printing, also those that do not exist here (yet): a position such as `-start-after=machine-cse` makes
// sense for them, running them does not, and asking for that is an error.

#ifndef PTXMIR_PASSES_PASS_TABLE_H_
#define PTXMIR_PASSES_PASS_TABLE_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "passes/pass.h"

namespace ptxmir {

struct PassInfo {
  std::string_view name;         // as -run-pass, -stop-after and the like spell it
  std::string_view description;  // LLVM's, where LLVM has the pass
  MachineFunctionPass run;       // null: no such pass here
  int min_opt_level;             // runs by default from this -O level on
  // Whether floating-point results may be rounded otherwise afterwards (contraction, reassociation).
  bool may_change_rounding = false;

  bool is_implemented() const { return run != nullptr; }
};

absl::Span<const PassInfo> PassTable();

// Null when there is no pass of that name.
const PassInfo* FindPass(std::string_view name);

// "unknown pass 'x'", with the nearest known name when one is near.
std::string UnknownPassMessage(std::string_view name);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PASS_TABLE_H_

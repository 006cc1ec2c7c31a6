// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/assign_valid_global_names.h"

#include <string>
#include <string_view>

#include "base/str_cat.h"
#include "ir/passes/globals/valid_names.h"

namespace ptxmir {

IrPassResult RunAssignValidGlobalNames(ir::Program& program, IrPassContext& context) {
  const auto report = [&](const GlobalValue& value, std::string_view name, bool is_renamed) {
    if (is_renamed) {
      context.reporter.AddGlobalRemark(IrPassReporter::Kind::kPassed, "Renamed", value,
                                       [&] { return StrCat("is called '", name, "', which is a name in PTX"); });
    } else {
      context.reporter.AddGlobalRemark(IrPassReporter::Kind::kMissed, "NotRenamed", value, [&] {
        return StrCat("keeps its name here, which metadata mentions; PTX has '", name, "'");
      });
    }
  };
  const size_t num_renamed = RenameIllegalGlobals(program.module(), report).size();
  context.AddStatistic("global values renamed", num_renamed);
  return {.changed = num_renamed != 0};
}

}  // namespace ptxmir

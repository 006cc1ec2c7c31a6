// SPDX-License-Identifier: Apache-2.0

#include "passes/run/pass_dumps.h"

#include <algorithm>
#include <vector>

#include "base/str_cat.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool NamesPass(const std::vector<std::string>& names, const PassInfo& pass) {
  return Contains(names, pass.name) || (!pass.alias.empty() && Contains(names, pass.alias));
}

bool IsDumped(const MachineFunction& function, const PrintOptions& options) {
  return options.functions.empty() || Contains(options.functions, function.name());
}

void DumpFunction(const MachineFunction& function, const PrintOptions& options, std::string_view heading,
                  std::string& log) {
  log += heading;
  MirWriteOptions write_options;
  write_options.stable_names = options.stable_names;
  if (options.module_scope) {
    if (function.module() != nullptr) WriteModulePart(*function.module(), log);
    WriteMirFunction(function, write_options, log);
  } else {
    WriteFunctionForDump(function, write_options, log);
    log += "\n";
  }
}

void PassDumps::DumpAround(std::string_view when, const PassInfo& pass) {
  DumpFunction(function_, options_, StrCat("# *** IR Dump ", when, " ", pass.description, " (", pass.name, ") ***:\n"),
               log_);
}

void PassDumps::BeforeStep(const PipelineStep& step) {
  if (step.action == PipelineStep::Action::kBanner && options_.after_all) {
    DumpFunction(function_, options_, StrCat("# ", step.banner, ":\n"), log_);
  }
  if (step.pass != nullptr && (options_.before_all || NamesPass(options_.before, *step.pass))) {
    DumpAround("Before", *step.pass);
  }
}

bool PassDumps::AfterPass(const PipelineStep& step, bool) {
  const PassInfo& pass = *step.pass;
  if (options_.after_all || NamesPass(options_.after, pass)) DumpAround("After", pass);
  return true;
}

}  // namespace ptxmir

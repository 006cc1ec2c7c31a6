// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/pass_run.h"

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "passes/pipeline/pass_table.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/writer/ptx_writer.h"

namespace ptxmir::fuzz {

std::string RunPassesOn(MachineFunction& function, const Pipeline& pipeline, const RunOptions& options,
                        std::vector<PassCount>& counts) {
  FunctionReport report;
  PipelineRunner(pipeline, options).Run(function, report);
  for (size_t i = 0; i < report.steps.size(); ++i) {
    if (!report.steps[i].ran || pipeline[i].pass == nullptr) continue;
    PassCount& count = counts[static_cast<size_t>(pipeline[i].pass - PassTable().data())];
    ++count.runs;
    count.changes += report.steps[i].changed;
  }
  return report.diagnostics.ToString();
}

bool PrintPtx(const Module& module, std::string& ptx, std::string& error) {
  DiagnosticEngine diagnostics;
  if (ptx::WritePtx(module, {}, diagnostics, ptx)) return true;
  error = StrCat("the PTX writer refuses it: ", diagnostics.ToString());
  return false;
}

}  // namespace ptxmir::fuzz

// SPDX-License-Identifier: Apache-2.0

// Texts that the tool prints beside its output, in LLVM's layouts.

#ifndef PTXMIR_TOOLS_DRIVER_TEXTS_H_
#define PTXMIR_TOOLS_DRIVER_TEXTS_H_

#include <string>
#include <vector>

#include "compiler/compilation.h"
#include "passes/pass_context.h"
#include "passes/run/run_report.h"

namespace ptxmir {

// Returns the output of -time-passes, in LLVM's order of columns.
std::string TimingReport(const std::vector<PassTiming>& timings);

// Returns the output of -stats -stats-json: an object with a member for each counter, "pass.description".
std::string StatisticsJson(const Statistics& statistics);

// Returns the output of -debug-pass: the steps that the command line's knobs let run, in order.
std::string PipelineText(const CompilationPlan& plan);

// Returns the output of -mcpu=help and -mattr=help.
std::string TargetListText();

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_DRIVER_TEXTS_H_

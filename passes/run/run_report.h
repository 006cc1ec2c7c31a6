// SPDX-License-Identifier: Apache-2.0

// The results of running a pipeline: for each function, and for all functions together.

#ifndef PTXMIR_PASSES_RUN_RUN_REPORT_H_
#define PTXMIR_PASSES_RUN_RUN_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "mir/text/remark.h"
#include "passes/pass_context.h"
#include "passes/pipeline/pipeline.h"
#include "passes/report/pressure_report.h"

namespace ptxmir {

struct StepReport {
  bool ran = false;
  bool changed = false;
  double seconds = 0;  // 0 unless time_passes is set
};

// A file that options ask for besides the output.
struct ReportFile {
  std::string path;
  std::string text;
};

// The results of running a pipeline over one function. Functions that are compiled in parallel have one report
// each.
struct FunctionReport {
  DiagnosticEngine diagnostics;
  Statistics statistics;
  std::string log;  // the output of PrintOptions and of passes
  std::vector<Remark> remarks;
  double selection_seconds = 0;   // of instruction selection; 0 unless it was part of the run
  std::vector<StepReport> steps;  // indexed by step of the pipeline
  std::vector<ReportFile> files;
  std::optional<FunctionPressure> pressure;
  std::string budget;  // "k: 72 registers: ...\n"; empty if no subtarget is known
};

struct PassTiming {
  std::string name;
  double seconds = 0;
};

// The combined results of all functions, in the order of the functions.
struct RunReport {
  Statistics statistics;
  std::vector<PassTiming> timings;  // indexed by step, in pipeline order; filled if time_passes is set
  std::string log;
  std::vector<bool> steps_run;  // indexed by step: whether it ran for some function
  std::vector<ReportFile> files;
  std::vector<Remark> remarks;
  std::vector<FunctionPressure> pressure;  // filled if report_pressure is set
  std::string budgets;                     // filled if report_budgets is set: one line per function

  void Add(const Pipeline& pipeline, const FunctionReport& function);
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_RUN_REPORT_H_

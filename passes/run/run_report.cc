// SPDX-License-Identifier: Apache-2.0

#include "passes/run/run_report.h"

namespace ptxmir {

void RunReport::Add(const Pipeline& pipeline, const FunctionReport& function) {
  statistics.Append(function.statistics);
  budgets += function.budget;
  if (function.pressure.has_value()) pressure.push_back(*function.pressure);
  log += function.log;
  remarks.insert(remarks.end(), function.remarks.begin(), function.remarks.end());
  files.insert(files.end(), function.files.begin(), function.files.end());
  steps_run.resize(pipeline.size());
  for (size_t i = 0; i < function.steps.size(); ++i) steps_run[i] = steps_run[i] || function.steps[i].ran;
  if (timings.empty()) {
    for (const PipelineStep& step : pipeline) timings.push_back({step.Name()});
  }
  for (size_t i = 0; i < function.steps.size(); ++i) timings[i].seconds += function.steps[i].seconds;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// -view-misched-dags: draws the dependences of each region that machine-scheduler is about to schedule.

#ifndef PTXMIR_PASSES_RUN_SCHEDULE_PICTURES_H_
#define PTXMIR_PASSES_RUN_SCHEDULE_PICTURES_H_

#include <vector>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"
#include "passes/run/pipeline_observer.h"
#include "passes/run/run_options.h"
#include "passes/run/run_report.h"

namespace ptxmir {

class SchedulePictures : public PipelineObserver {
 public:
  SchedulePictures(MachineFunction& function, AnalysisManager& analyses, const PrintOptions& options,
                   std::vector<ReportFile>& files)
      : function_(function), analyses_(analyses), options_(options), files_(files) {}

  void BeforeStep(const PipelineStep& step) override;

 private:
  MachineFunction& function_;
  AnalysisManager& analyses_;
  const PrintOptions& options_;
  std::vector<ReportFile>& files_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_SCHEDULE_PICTURES_H_

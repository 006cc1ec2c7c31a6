// SPDX-License-Identifier: Apache-2.0

// The interface of everything that watches a pipeline run over a function: dumps, verification, timing, reports.
//
// The runner calls its observers at every step, in the order of its list (PipelineRunner::FunctionRun::MakeObservers).
// AfterStep and EndFunction are called in the reverse order, so that observers nest: one that begins first ends last.
// An observer belongs to one run over one function, and keeps references to what it needs of that run.

#ifndef PTXMIR_PASSES_RUN_PIPELINE_OBSERVER_H_
#define PTXMIR_PASSES_RUN_PIPELINE_OBSERVER_H_

#include "passes/pipeline/pipeline.h"
#include "passes/run/run_report.h"

namespace ptxmir {

class PipelineObserver {
 public:
  PipelineObserver() = default;
  PipelineObserver(const PipelineObserver&) = delete;
  PipelineObserver& operator=(const PipelineObserver&) = delete;
  virtual ~PipelineObserver() = default;

  // Called before the first step, with the function as it was read and verified.
  virtual void BeginFunction() {}
  // Called before the first step after a module pass, between whose parts other functions were run.
  virtual void ResumeFunction() {}
  // Called before a step that is going to run.
  virtual void BeforeStep(const PipelineStep&) {}
  // Called after a step, even if it reported an error.
  virtual void AfterStep(const PipelineStep&, StepReport&) {}
  // Called after the AfterStep of all observers if the step is a pass and reported no error. Stale analyses have
  // been dropped. Returns false if an error was reported, which ends the run.
  virtual bool AfterPass(const PipelineStep&, bool /*changed*/) { return true; }
  // Called after the last step, unless an error ended the run.
  virtual void EndFunction() {}
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_PIPELINE_OBSERVER_H_

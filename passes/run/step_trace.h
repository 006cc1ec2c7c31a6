// SPDX-License-Identifier: Apache-2.0

// -time-trace: records each step as an event, except banners, which only head dumps.

#ifndef PTXMIR_PASSES_RUN_STEP_TRACE_H_
#define PTXMIR_PASSES_RUN_STEP_TRACE_H_

#include <string>

#include "base/time_trace.h"
#include "mir/code/machine_function.h"
#include "passes/run/pipeline_observer.h"

namespace ptxmir {

class StepTrace : public PipelineObserver {
 public:
  // Records the events of the calling thread, which must also be the one that runs the steps.
  StepTrace(TimeTrace& trace, const MachineFunction& function) : events_(trace.ThisThread()), function_(function) {}

  void BeforeStep(const PipelineStep& step) override;
  void AfterStep(const PipelineStep& step, StepReport& report) override;

 private:
  TimeTrace::Thread& events_;
  const MachineFunction& function_;
  std::string name_;  // of the running step
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_STEP_TRACE_H_

// SPDX-License-Identifier: Apache-2.0

// -print-changed: shows what passes changed, in LLVM's formats. -dot-cfg: draws the function after the last pass.

#ifndef PTXMIR_PASSES_RUN_CHANGE_DUMPS_H_
#define PTXMIR_PASSES_RUN_CHANGE_DUMPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "mir/code/machine_function.h"
#include "passes/run/cfg_dot.h"
#include "passes/run/pipeline_observer.h"
#include "passes/run/run_options.h"
#include "passes/run/run_report.h"

namespace ptxmir {

class ChangeDumps : public PipelineObserver {
 public:
  // Texts go to `log` and pictures to `files`.
  ChangeDumps(const MachineFunction& function, const PrintOptions& options, std::string& log,
              std::vector<ReportFile>& files)
      : function_(function), options_(options), log_(log), files_(files) {}

  void BeginFunction() override;
  bool AfterPass(const PipelineStep& step, bool changed) override;

 private:
  std::string Dump() const;
  // Appends "*** IR Dump After Machine code sinking (machine-sink) on f", then `rest` and the end of the heading.
  void PrintHeading(std::string_view when, const PassInfo& pass, std::string_view rest = "");
  void PrintDiff(const std::string& after);
  void AddPicture(const PassInfo& pass, const CfgText& after);

  const MachineFunction& function_;
  const PrintOptions& options_;
  std::string& log_;
  std::vector<ReportFile>& files_;
  std::string text_;  // the function after the last change
  CfgText cfg_;       // the same, for pictures
  unsigned num_pictures_ = 0;
};

class CfgPicture : public PipelineObserver {
 public:
  CfgPicture(const MachineFunction& function, const PrintOptions& options, std::vector<ReportFile>& files)
      : function_(function), options_(options), files_(files) {}

  void EndFunction() override;

 private:
  const MachineFunction& function_;
  const PrintOptions& options_;
  std::vector<ReportFile>& files_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_CHANGE_DUMPS_H_

// SPDX-License-Identifier: Apache-2.0

// The observers that make the reports and remarks of passes/report while a pipeline runs.

#ifndef PTXMIR_PASSES_RUN_REPORT_OBSERVERS_H_
#define PTXMIR_PASSES_RUN_REPORT_OBSERVERS_H_

#include <optional>
#include <string>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"
#include "passes/report/function_history.h"
#include "passes/report/occupancy_remarks.h"
#include "passes/report/pressure_report.h"
#include "passes/run/pipeline_observer.h"

namespace ptxmir {

// Records the register budget that the function starts with, for -stats.
class BudgetObserver : public PipelineObserver {
 public:
  BudgetObserver(const MachineFunction& function, const Knobs& knobs, const ptx::SmInfo& sm, std::string& budget)
      : function_(function), knobs_(knobs), sm_(sm), budget_(budget) {}
  void BeginFunction() override;

 private:
  const MachineFunction& function_;
  const Knobs& knobs_;
  const ptx::SmInfo& sm_;
  std::string& budget_;
};

// Makes the report of the register pressure after each pass that changed something (-pressure-report).
class PressureObserver : public PipelineObserver {
 public:
  PressureObserver(MachineFunction& function, AnalysisManager& analyses, std::optional<FunctionPressure>& report)
      : function_(function), analyses_(analyses), report_(report) {}
  void BeginFunction() override;
  bool AfterPass(const PipelineStep& step, bool changed) override;
  void EndFunction() override;

 private:
  MachineFunction& function_;
  AnalysisManager& analyses_;
  std::optional<FunctionPressure>& report_;
};

// Records the code of the function at the input and after each pass that changed it (-explore).
class HistoryObserver : public PipelineObserver {
 public:
  HistoryObserver(MachineFunction& function, AnalysisManager& analyses, FunctionHistory& history)
      : function_(function), analyses_(analyses), history_(history) {}
  void BeginFunction() override;
  bool AfterPass(const PipelineStep& step, bool changed) override;
  void EndFunction() override;

 private:
  MachineFunction& function_;
  AnalysisManager& analyses_;
  FunctionHistory& history_;
};

// Emits the remarks about passes that lower the occupancy of a kernel.
class OccupancyObserver : public PipelineObserver {
 public:
  OccupancyObserver(MachineFunction& function, AnalysisManager& analyses, const ptx::SmInfo& sm)
      : function_(function), analyses_(analyses), sm_(sm) {}
  void BeginFunction() override;
  bool AfterPass(const PipelineStep& step, bool changed) override;
  void EndFunction() override;

 private:
  MachineFunction& function_;
  AnalysisManager& analyses_;
  const ptx::SmInfo& sm_;
  std::optional<OccupancyRemarks> remarks_;
};

// Emits the remarks of asm-printer about the final function.
class AsmPrinterObserver : public PipelineObserver {
 public:
  AsmPrinterObserver(const MachineFunction& function, AnalysisManager& analyses)
      : function_(function), analyses_(analyses) {}
  void EndFunction() override;

 private:
  const MachineFunction& function_;
  AnalysisManager& analyses_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_REPORT_OBSERVERS_H_

// SPDX-License-Identifier: Apache-2.0

#include "passes/run/report_observers.h"

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "mir/code/function_ir.h"
#include "passes/ptxas_model/ptxas_features.h"
#include "passes/ptxas_model/ptxas_model.h"
#include "passes/report/asm_printer_remarks.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {

void BudgetObserver::BeginFunction() {
  budget_ = StrCat("  ", function_.name(), ": ", ComputeRegisterBudget(function_, knobs_, sm_).text, "\n");
}

void PressureObserver::BeginFunction() { report_ = BeginPressureReport(function_, analyses_); }

bool PressureObserver::AfterPass(const PipelineStep& step, bool changed) {
  if (changed) AddPressureStep(step.pass->name, function_, analyses_, *report_);
  return true;
}

void PressureObserver::EndFunction() {
  EndPressureReport(function_, analyses_, *report_);
  if (!report_->is_kernel) return;
  const PtxasFeatures features = ComputePtxasFeatures(function_, analyses_);
  report_->ptxas.emplace().registers = PredictRegisters(features);
  for (size_t i = 0; i < kNumPtxasFeatures; ++i) {
    const PtxasFeature feature = static_cast<PtxasFeature>(i);
    report_->ptxas->features.emplace_back(PtxasFeatureName(feature), features[feature]);
  }
}

void HistoryObserver::BeginFunction() {
  history_.is_kernel = IsKernelFunction(function_);
  if (const ptx::Subtarget* subtarget = analyses_.inputs().subtarget; subtarget != nullptr) {
    history_.sm = std::string(subtarget->sm().name);
    history_.budget = ComputeRegisterBudget(function_, analyses_.knobs(), subtarget->sm());
  }
  history_.AddMachineCode("input", "Machine code as it was read or selected", function_, analyses_);
  history_.AddRanges(function_, analyses_);
}

bool HistoryObserver::AfterPass(const PipelineStep& step, bool changed) {
  if (changed) {
    history_.AddMachineCode(step.pass->name, step.pass->description, function_, analyses_);
  } else {
    history_.unchanged.emplace_back(step.pass->name);
  }
  return true;
}

void HistoryObserver::EndFunction() { history_.AddRanges(function_, analyses_); }

void OccupancyObserver::BeginFunction() { remarks_.emplace(function_, analyses_, sm_); }

bool OccupancyObserver::AfterPass(const PipelineStep& step, bool changed) {
  if (changed) remarks_->NotePass(step.pass->name);
  return true;
}

void OccupancyObserver::EndFunction() { remarks_->Emit(); }

void AsmPrinterObserver::EndFunction() { EmitAsmPrinterRemarks(function_, analyses_.Get<MachineOptRemarkEmitter>()); }

}  // namespace ptxmir

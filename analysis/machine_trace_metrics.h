// SPDX-License-Identifier: Apache-2.0

// machine-trace-metrics: how long the likely way through each block takes, for passes that trade the length of
// dependence chains for the number of instructions (machine-combiner, early-ifcvt).
//
// What there is to ask, and how it is computed, is in trace_ensemble.h; the analysis is one ensemble of traces, with
// LLVM's strategy of the smallest number of instructions.
//
// Passes that change instructions keep it up to date with Invalidate; after changes of blocks or edges it is computed
// anew.

#ifndef PTXMIR_ANALYSIS_MACHINE_TRACE_METRICS_H_
#define PTXMIR_ANALYSIS_MACHINE_TRACE_METRICS_H_

#include <string>

#include "analysis/analysis_manager.h"
#include "analysis/trace_ensemble.h"

namespace ptxmir {

class MachineTraceMetrics : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineTraceMetrics;
  MachineTraceMetrics(MachineFunction& function, AnalysisManager& analyses);

  // Answers are computed when first asked for.
  TraceEnsemble& ensemble() const { return ensemble_; }
  void Invalidate(const MachineBasicBlock& block) { ensemble_.Invalidate(block); }

  // Blocks in LLVM's layout, then each instruction with depth, height and slack.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  const MachineFunction& function_;
  mutable TraceEnsemble ensemble_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_MACHINE_TRACE_METRICS_H_

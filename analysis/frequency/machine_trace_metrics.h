// SPDX-License-Identifier: Apache-2.0

// machine-trace-metrics: how long the likely path through each block takes, for passes that trade the length of
// dependence chains against the number of instructions (machine-combiner, early-ifcvt).
//
// trace_ensemble.h describes the queries and how they are computed. The analysis is one ensemble of traces, with
// LLVM's MinInstrCount strategy.
//
// Passes that change instructions keep it up to date with Invalidate. After changes of blocks or edges it is
// recomputed.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_MACHINE_TRACE_METRICS_H_
#define PTXMIR_ANALYSIS_FREQUENCY_MACHINE_TRACE_METRICS_H_

#include <string>

#include "analysis/analysis_manager.h"
#include "analysis/frequency/trace_ensemble.h"

namespace ptxmir {

class MachineTraceMetrics : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineTraceMetrics;
  MachineTraceMetrics(MachineFunction& function, AnalysisManager& analyses);

  // Computes its answers when first asked for.
  TraceEnsemble& ensemble() const { return ensemble_; }
  void Invalidate(const MachineBasicBlock& block) { ensemble_.Invalidate(block); }

  // Appends the blocks in LLVM's layout, then each instruction with its depth, height and slack.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  const MachineFunction& function_;
  mutable TraceEnsemble ensemble_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_MACHINE_TRACE_METRICS_H_

// SPDX-License-Identifier: Apache-2.0

#include "analysis/analysis_manager.h"

#include <cassert>

#include "analysis/analysis_names.h"
#include "base/str_cat.h"
#include "base/time_trace.h"

namespace ptxmir {

AnalysisManager::AnalysisManager(MachineFunction& function, const AnalysisInputs& inputs)
    : function_(function), inputs_(inputs) {
  static const auto& defaults = *new Knobs;
  if (inputs_.knobs == nullptr) inputs_.knobs = &defaults;
}

Analysis& AnalysisManager::Require(AnalysisKind kind, ComputeFunction compute) {
  const uint64_t bit = uint64_t{1} << static_cast<int>(kind);
  if (!computing_.empty()) slots_[static_cast<size_t>(computing_.back())].dependences |= bit;
  Slot& slot = slots_[static_cast<size_t>(kind)];
  if (slot.result != nullptr) return *slot.result;
  assert(!slot.computing && "an analysis depends on itself");
  slot.computing = true;
  slot.compute = compute;
  slot.dependences = 0;
  computing_.push_back(kind);
  {
    const TimeTraceScope traced(inputs_.time_trace, AnalysisName(kind), function_.name());
    slot.result = compute(function_, *this);
  }
  computing_.pop_back();
  slot.computing = false;
  order_.push_back(kind);
  ++num_computed_;
  return *slot.result;
}

void AnalysisManager::Invalidate(const PreservedAnalyses& preserved) {
  uint64_t gone = 0;
  for (const AnalysisKind kind : order_) {
    if (!preserved.IsPreserved(kind) || (slots_[static_cast<size_t>(kind)].dependences & gone) != 0) {
      gone |= uint64_t{1} << static_cast<int>(kind);
    }
  }
  if (gone == 0) return;
  // Dependents go first, because they hold references.
  for (size_t i = order_.size(); i-- > 0;) {
    if ((gone >> static_cast<int>(order_[i]) & 1) != 0) slots_[static_cast<size_t>(order_[i])].result.reset();
  }
  std::erase_if(order_, [&](AnalysisKind kind) { return (gone >> static_cast<int>(kind) & 1) != 0; });
}

std::string AnalysisManager::CheckCached() {
  // A second manager, so that the analyses to compare with do not depend on anything stale.
  AnalysisInputs inputs = inputs_;
  inputs.time_trace = nullptr;
  AnalysisManager fresh(function_, inputs);
  for (const AnalysisKind kind : order_) {
    const Slot& slot = slots_[static_cast<size_t>(kind)];
    const std::string difference = slot.result->DifferenceFrom(fresh.Require(kind, slot.compute));
    if (!difference.empty()) return StrCat(AnalysisName(kind), ": ", difference);
  }
  return "";
}

}  // namespace ptxmir

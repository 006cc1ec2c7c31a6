// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/analysis_table.h"

#include <algorithm>

#include "analysis/analysis_names.h"
#include "analysis/control_flow/edge_bundles.h"
#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/frequency/machine_trace_metrics.h"
#include "analysis/frequency/spill_placement.h"
#include "analysis/liveness/live_intervals.h"
#include "analysis/liveness/live_variables.h"
#include "analysis/liveness/reaching_definitions.h"
#include "analysis/liveness/slot_indexes.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/values/known_bits.h"
#include "analysis/values/memory_dependence.h"
#include "analysis/values/uniformity.h"
#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "passes/allocate/assignment/live_reg_matrix.h"
#include "passes/allocate/assignment/reg_alloc_advisors.h"
#include "passes/allocate/assignment/virt_reg_map.h"

namespace ptxmir {
namespace {

using Kind = AnalysisKind;

template <typename T>
Analysis& Get(AnalysisManager& analyses) {
  return analyses.Get<T>();
}

constexpr AnalysisInfo Row(Kind kind, std::string_view alias, std::string_view description,
                           Analysis& (*get)(AnalysisManager&)) {
  return {kind, AnalysisName(kind), alias, description, get};
}

constexpr AnalysisInfo kAnalyses[] = {
    Row(Kind::kSlotIndexes, "slotindexes", "Slot index numbering", Get<SlotIndexes>),
    Row(Kind::kLiveVariables, "live-vars", "Live Variable Analysis", Get<LiveVariables>),
    Row(Kind::kLiveIntervals, "liveintervals", "Live Interval Analysis", Get<LiveIntervals>),
    Row(Kind::kLiveRegMatrix, "liveregmatrix", "Live Register Matrix", Get<LiveRegMatrix>),
    Row(Kind::kVirtRegMap, "", "Virtual Register Map", Get<VirtRegMap>),
    Row(Kind::kMachineDominatorTree, "machinedomtree", "MachineDominator Tree Construction", Get<MachineDominatorTree>),
    Row(Kind::kMachinePostDominatorTree, "machinepostdomtree", "MachinePostDominator Tree Construction",
        Get<MachinePostDominatorTree>),
    Row(Kind::kMachineLoops, "", "Machine Natural Loop Construction", Get<MachineLoops>),
    Row(Kind::kMachineCycles, "", "Machine Cycle Info Analysis", Get<MachineCycles>),
    Row(Kind::kMachineBranchProbabilities, "", "Machine Branch Probability Analysis", Get<MachineBranchProbabilities>),
    Row(Kind::kMachineBlockFrequencies, "", "Machine Block Frequency Analysis", Get<MachineBlockFrequencies>),
    Row(Kind::kEdgeBundles, "", "Bundle Machine CFG Edges", Get<EdgeBundles>),
    Row(Kind::kSpillPlacement, "", "Spill Code Placement Analysis", Get<SpillPlacement>),
    Row(Kind::kRegAllocEvictionAdvisor, "", "Advises the greedy allocator on which live range to evict",
        Get<RegAllocEvictionAdvisor>),
    Row(Kind::kRegAllocPriorityAdvisor, "", "Assigns allocation priority to live ranges", Get<RegAllocPriorityAdvisor>),
    Row(Kind::kMachineTraceMetrics, "", "Machine Trace Metrics", Get<MachineTraceMetrics>),
    Row(Kind::kMachineOptRemarkEmitter, "", "Machine Optimization Remark Emitter", Get<MachineOptRemarkEmitter>),
    Row(Kind::kReachingDefinitions, "reaching-def", "Reaching definitions of registers", Get<ReachingDefinitions>),
    Row(Kind::kMemoryDependence, "", "Which accesses may touch the same memory", Get<MemoryDependence>),
    Row(Kind::kUniformity, "machine-uniformity", "Machine Uniformity Info Analysis", Get<Uniformity>),
    Row(Kind::kKnownBits, "", "Known bits and ranges of integers", Get<KnownBits>),
    Row(Kind::kMachineRegisterPressure, "", "Register pressure analysis on Machine IRs", Get<MachineRegisterPressure>),
};
static_assert(std::size(kAnalyses) == kNumAnalyses);

}  // namespace

absl::Span<const AnalysisInfo> AnalysisTable() { return kAnalyses; }

const AnalysisInfo* FindAnalysis(std::string_view name) {
  const auto it = std::find_if(std::begin(kAnalyses), std::end(kAnalyses), [&](const AnalysisInfo& analysis) {
    return analysis.name == name || (!analysis.alias.empty() && analysis.alias == name);
  });
  return it == std::end(kAnalyses) ? nullptr : it;
}

std::string UnknownAnalysisMessage(std::string_view name) {
  NearestName nearest(name);
  for (const AnalysisInfo& analysis : kAnalyses) {
    nearest.Consider(analysis.name);
    if (!analysis.alias.empty()) nearest.Consider(analysis.alias);
  }
  return StrCat("unknown analysis '", name, "'", nearest.Suggestion());
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// The number of each analysis, and sets of analyses. passes/pipeline/analysis_table.cc describes each one.

#ifndef PTXMIR_ANALYSIS_ANALYSIS_KINDS_H_
#define PTXMIR_ANALYSIS_ANALYSIS_KINDS_H_

#include <cstdint>
#include <initializer_list>

namespace ptxmir {

enum class AnalysisKind : uint8_t {
  kSlotIndexes,
  kLiveVariables,
  kLiveIntervals,
  kLiveRegMatrix,
  kVirtRegMap,
  kMachineDominatorTree,
  kMachinePostDominatorTree,
  kMachineLoops,
  kMachineCycles,
  kMachineBranchProbabilities,
  kMachineBlockFrequencies,
  kEdgeBundles,
  kSpillPlacement,
  kRegAllocEvictionAdvisor,
  kRegAllocPriorityAdvisor,
  kMachineTraceMetrics,
  kMachineOptRemarkEmitter,
  kReachingDefinitions,
  kMemoryDependence,
  kUniformity,
  kKnownBits,
  kMachineRegisterPressure,
};
inline constexpr int kNumAnalyses = static_cast<int>(AnalysisKind::kMachineRegisterPressure) + 1;

// The set of analyses that still hold after a pass. The pass returns it.
class PreservedAnalyses {
 public:
  static constexpr PreservedAnalyses None() { return PreservedAnalyses(0); }
  static constexpr PreservedAnalyses All() { return PreservedAnalyses(~uint64_t{0}); }
  // The analyses that depend on blocks and edges only. A pass that only touched instructions preserves them.
  static constexpr PreservedAnalyses ControlFlow() {
    return None()
        .Preserve(AnalysisKind::kMachineDominatorTree)
        .Preserve(AnalysisKind::kMachinePostDominatorTree)
        .Preserve(AnalysisKind::kMachineLoops)
        .Preserve(AnalysisKind::kMachineCycles)
        .Preserve(AnalysisKind::kMachineBranchProbabilities)
        .Preserve(AnalysisKind::kMachineBlockFrequencies)
        .Preserve(AnalysisKind::kEdgeBundles);
  }

  [[nodiscard]] constexpr PreservedAnalyses Preserve(AnalysisKind kind) const {
    return PreservedAnalyses(bits_ | Bit(kind));
  }
  [[nodiscard]] constexpr PreservedAnalyses Abandon(AnalysisKind kind) const {
    return PreservedAnalyses(bits_ & ~Bit(kind));
  }
  constexpr bool IsPreserved(AnalysisKind kind) const { return (bits_ & Bit(kind)) != 0; }

 private:
  constexpr explicit PreservedAnalyses(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t Bit(AnalysisKind kind) { return uint64_t{1} << static_cast<int>(kind); }
  uint64_t bits_;
};
static_assert(kNumAnalyses <= 64);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_ANALYSIS_KINDS_H_

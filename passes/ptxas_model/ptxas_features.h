// SPDX-License-Identifier: Apache-2.0

// Features: the properties of a function from which the model predicts what ptxas will report.
//
// ptxas schedules the instructions of a block again and allocates registers for its own order. How many registers it
// needs therefore lies between those of the order that needs the fewest, and those of an order that hides latency. The
// most important features are the registers that are live at once in four orders of each block: ours, the one with the
// fewest registers (passes/schedule/schedule_region.h), the one for latency (latency_order.h), and one in which loads
// come as early as their addresses allow. In all of them, a value takes the registers that it takes in machine code
// (values_at_ptxas.h). The others are counts: of instructions by kind, of what is live at the peak, of loops.
//
// All features are integers, so the prediction is the same on all machines.

#ifndef PTXMIR_PASSES_PTXAS_MODEL_PTXAS_FEATURES_H_
#define PTXMIR_PASSES_PTXAS_MODEL_PTXAS_FEATURES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

enum class PtxasFeature : uint8_t {
  // Registers of 32 bits, and the most that are live at once.
  kPeak,           // in our order
  kPeakLeast,      // in the order with the fewest
  kPeakLatency,    // in the order for latency
  kPeakLoads,      // with loads as early as possible
  kPeakAll,        // in our order, with all values in registers
  kPeakInLoops,    // in our order, in blocks of loops
  kPeakPairs,      // of 64-bit values, where the most are live
  kPeakQuads,      // of 128-bit values, there
  kPeakFree,       // not needed there, because constants and parameters are free
  kLiveIntoLoops,  // live into the header of a loop
  kLiveAcrossCalls,
  kLiveAcrossBarriers,
  kPredicates,
  // Where the pressure is high.
  kBlockOfPeak,     // instructions of the block with the peak
  kDepthOfPeak,     // loops around it
  kPointsNearPeak,  // instructions at which nine tenths of the peak are live
  kBlocksNearPeak,  // blocks with nine tenths of the peak
  // Loops of one block, which ptxas unrolls.
  kLoopBody,   // instructions of the largest
  kLoopLoads,  // registers that its loads define, the most of one loop
  kLoopPeak,   // the most that are live in one
  // Counts.
  kInstructions,
  kWork,  // instructions that are executed, by the estimated frequencies of blocks: FixedLog2 of 256 times their number
  kBlocks,
  kLoops,
  kLargestBlock,
  kBranches,
  kLoads,            // of memory that may be far
  kLoadedUnits,      // registers that they define
  kMostLoadedUnits,  // in one block
  kSharedLoads,
  kWideAccesses,  // of more than 64 bits
  kLocalAccesses,
  kStores,
  kAtomics,
  kTextures,
  kBarriers,
  kCalls,
  kDivisions,
  kSpecialFunctions,
  kDoubles,
  kMatrixOperations,
  kWarpOperations,
  kSpecialRegisters,
  kConstants,  // of 64 bits
  kParameters,
  // The machine, and what is known of the launch.
  kGeneration,  // 80 for sm_80
  kThreads,     // of a CTA; 0: not known
  kLimit,       // the most registers that ptxas may use; 255: no limit
  kFull,        // the most registers at full occupancy
  kCount,
};
inline constexpr size_t kNumPtxasFeatures = static_cast<size_t>(PtxasFeature::kCount);

// Returns the name in reports and in the table of the model, such as "peak_least".
std::string_view PtxasFeatureName(PtxasFeature feature);

class PtxasFeatures {
 public:
  int32_t operator[](PtxasFeature feature) const { return values_[static_cast<size_t>(feature)]; }
  int32_t& operator[](PtxasFeature feature) { return values_[static_cast<size_t>(feature)]; }
  int32_t operator[](size_t index) const { return values_[index]; }

 private:
  std::array<int32_t, kNumPtxasFeatures> values_ = {};
};

// Returns 256 times the binary logarithm, interpolated linearly between powers of two. 0 for 0.
int32_t FixedLog2(uint64_t value);

// Computes the features of a function as it is printed. Takes O(n log n) for n instructions and operands.
PtxasFeatures ComputePtxasFeatures(MachineFunction& function, AnalysisManager& analyses);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PTXAS_MODEL_PTXAS_FEATURES_H_

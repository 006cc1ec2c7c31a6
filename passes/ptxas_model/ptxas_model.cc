// SPDX-License-Identifier: Apache-2.0

#include "passes/ptxas_model/ptxas_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "passes/ptxas_model/regression_trees.h"

namespace ptxmir {
namespace {

#include "passes/ptxas_model/ptxas_model_trees.inc"

// Leaves are 1/4096 of a doubling, features that are logarithms 1/256.
constexpr int32_t kLeavesPerFixedLog2 = 16;
// Registers beyond those that are live: what addresses and the ABI take in the smallest kernels. A constant of the fit,
// too.
constexpr int32_t kOverhead = 6;

constexpr int32_t kNoticeableGain = 82;

int32_t LogOf(int32_t feature) { return FixedLog2(static_cast<uint64_t>(std::max(feature + kOverhead, 0))); }

int32_t StartOf(const PtxasFeatures& features) { return LogOf(features[PtxasFeature::kPeakLeast]); }

// Returns the change of a feature, as the trees expect it.
int32_t ChangeOf(PtxasFeature feature, int32_t before, int32_t after) {
  switch (feature) {
    case PtxasFeature::kGeneration:
    case PtxasFeature::kThreads:
    case PtxasFeature::kLimit:
    case PtxasFeature::kFull:
      return 0;
    case PtxasFeature::kWork:
      return after - before;
    default:
      return LogOf(after) - LogOf(before);
  }
}

int32_t RestOfChange(const PtxasFeatures& before, const PtxasFeatures& after) {
  std::array<int32_t, 2 * kNumPtxasFeatures> inputs;
  for (size_t i = 0; i < kNumPtxasFeatures; ++i) {
    inputs[i] = ChangeOf(static_cast<PtxasFeature>(i), before[i], after[i]);
    inputs[kNumPtxasFeatures + i] = before[i];
  }
  return kChange.Evaluate([&](size_t index) { return inputs[index]; });
}

}  // namespace

uint32_t PredictRegisters(const PtxasFeatures& features) {
  const int32_t log =
      kLeavesPerFixedLog2 * StartOf(features) + kRegisters.Evaluate([&](size_t index) { return features[index]; });
  // Rounding to whole registers makes the last bits of exp2 immaterial but for values that lie in the middle.
  const auto registers = static_cast<int64_t>(std::lround(std::exp2(log / 4096.0)));
  return static_cast<uint32_t>(std::clamp<int64_t>(registers, 1, features[PtxasFeature::kLimit]));
}

int32_t PredictChange(const PtxasFeatures& before, const PtxasFeatures& after) {
  // Half of the change of what is live at once, and what the trees make of the rest.
  return (StartOf(after) - StartOf(before)) * kLeavesPerFixedLog2 / 2 + RestOfChange(before, after) -
         RestOfChange(before, before);
}

int32_t PredictGain(const PtxasFeatures& before, const PtxasFeatures& after) {
  const int32_t more_work = std::max(after[PtxasFeature::kWork] - before[PtxasFeature::kWork], 0);
  const int32_t gain = -PredictChange(before, after) - more_work * kLeavesPerFixedLog2 / 2;
  return gain > kNoticeableGain ? gain : 0;
}

}  // namespace ptxmir

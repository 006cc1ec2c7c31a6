// SPDX-License-Identifier: Apache-2.0

// The model of ptxas: how many registers it will use for a kernel, without asking it.
//
// ptxas schedules and allocates again, by rules that are not published. The model was fitted to what ptxas 13.0 reports
// for kernels that were compiled under many option sets (bench/fit_ptxas_model.py; docs/ptxas-model.md has its errors,
// on kernels that took no part). It knows nothing of spills: when a limit is exceeded, the bytes that ptxas spills hang
// on decisions that no feature foresees.

#ifndef PTXMIR_PASSES_PTXAS_MODEL_PTXAS_MODEL_H_
#define PTXMIR_PASSES_PTXAS_MODEL_PTXAS_MODEL_H_

#include <cstdint>

#include "passes/ptxas_model/ptxas_features.h"

namespace ptxmir {

// Returns the registers that ptxas is expected to report for the kernel, at most the limit.
uint32_t PredictRegisters(const PtxasFeatures& features);

// Returns how the registers are expected to differ between two versions of a kernel: 4,096 times the binary logarithm
// of the ratio of those of `after` to those of `before`. This is more precise than the ratio of two predictions,
// because what the versions have in common falls out.
int32_t PredictChange(const PtxasFeatures& before, const PtxasFeatures& after);

// Returns what is gained by taking `after` for `before`, in the same unit; 0 if nothing is. Registers that fall
// by a share count as much as instructions executed that rise by twice the share: a kernel that waits for memory gets
// faster by as much as more of its warps are resident, one that does not slower by as much as it executes more. Less
// than one register of 72 is no gain.
int32_t PredictGain(const PtxasFeatures& before, const PtxasFeatures& after);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PTXAS_MODEL_PTXAS_MODEL_H_

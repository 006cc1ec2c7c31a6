// SPDX-License-Identifier: Apache-2.0

// The knobs that a function is compiled with: those of the compilation, and over them those that its attributes set.

#ifndef PTXMIR_PASSES_PIPELINE_FUNCTION_KNOBS_H_
#define PTXMIR_PASSES_PIPELINE_FUNCTION_KNOBS_H_

#include <memory>
#include <string_view>

#include "base/diagnostics.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "options/knobs.h"

namespace ptxmir {

// Returns true if a pass or an analysis of that name exists here.
bool IsPassOrAnalysisImplemented(std::string_view name);

// Returns `base` with the knobs that the function's attributes and its attribute groups set, or null if they set none.
// Reports attributes that are wrong as errors and knobs that have no effect as warnings.
std::unique_ptr<const Knobs> OwnKnobsOf(const Module& module, const IrFunction& function, const Knobs& base,
                                        DiagnosticEngine& diagnostics);
// The same for the IR function that a machine function was compiled from. If there is none, returns null.
std::unique_ptr<const Knobs> OwnKnobsOf(const MachineFunction& function, const Knobs& base,
                                        DiagnosticEngine& diagnostics);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_FUNCTION_KNOBS_H_

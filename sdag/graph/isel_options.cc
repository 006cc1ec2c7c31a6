// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/isel_options.h"

#include "ir/module.h"

namespace ptxmir::sdag {

ISelOptions ISelOptionsFor(const MachineFunction& function, const Knobs& knobs, unsigned opt_level,
                           const ptx::Subtarget& subtarget) {
  ISelOptions options = {.subtarget = &subtarget, .opt_level = opt_level};
  options.fma_level = static_cast<unsigned>(knobs.nvptx_fma_level());
  options.f32_division = static_cast<F32Division>(knobs.nvptx_prec_divf32());
  options.precise_f32_sqrt = knobs.nvptx_prec_sqrtf32();
  options.division_heeds_flags = !knobs.IsSet("nvptx-prec-divf32");
  options.sqrt_heeds_flags = !knobs.IsSet("nvptx-prec-sqrtf32");
  options.approximate_f32_log2 = knobs.nvptx_approx_log2f32();
  if (const Module* module = function.module()) {
    const IrFunction* ir = module->FindFunction(function.name());
    const IrAttribute* denormals = ir == nullptr ? nullptr : module->FindFunctionAttribute(*ir, "denormal-fp-math-f32");
    if (denormals == nullptr && ir != nullptr) denormals = module->FindFunctionAttribute(*ir, "denormal-fp-math");
    options.f32_ftz = denormals != nullptr && denormals->value.starts_with("preserve-sign");
  }
  return options;
}

}  // namespace ptxmir::sdag

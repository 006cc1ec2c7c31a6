// SPDX-License-Identifier: Apache-2.0

// What instruction selection is asked for: the same for the combiner, the legalizer and the selector.

#ifndef PTXMIR_SDAG_GRAPH_ISEL_OPTIONS_H_
#define PTXMIR_SDAG_GRAPH_ISEL_OPTIONS_H_

#include <cstdint>

#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

// How f32 is divided where flags of the node do not allow less; -nvptx-prec-divf32 by number.
enum class F32Division : uint8_t { kApprox, kFull, kIeee, kIeeeNoFtz };

struct ISelOptions {
  const ptx::Subtarget* subtarget;  // not null; must outlive whoever has the options
  unsigned opt_level = 2;           // 0 to 3; at 0 nothing is combined that need not be

  // Contraction of fmul and fadd: 0 never, 1 where both have the flag contract, 2 always (-nvptx-fma-level).
  unsigned fma_level = 1;
  F32Division f32_division = F32Division::kIeee;
  bool precise_f32_sqrt = true;
  bool approximate_f32_log2 = false;
  // Denormals of f32 are flushed: the function's attribute denormal-fp-math-f32 is "preserve-sign".
  bool f32_ftz = false;
};

// From knobs, the optimization level and attributes of the function.
ISelOptions ISelOptionsFor(const MachineFunction& function, const Knobs& knobs, unsigned opt_level,
                           const ptx::Subtarget& subtarget);

// Whether `node`, an fadd or fsub, may be contracted with `product`, an fmul that it uses.
inline bool MayContract(const SDNode& node, const SDNode& product, const ISelOptions& options) {
  if (options.fma_level == 0 || options.opt_level == 0) return false;
  return options.fma_level == 2 ||
         (node.HasFlag(SDNodeFlags::kAllowContract) && product.HasFlag(SDNodeFlags::kAllowContract));
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_ISEL_OPTIONS_H_

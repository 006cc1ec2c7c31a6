// SPDX-License-Identifier: Apache-2.0

// The options of instruction selection, shared by the combiner, the legalizer and the selector.

#ifndef PTXMIR_SDAG_GRAPH_ISEL_OPTIONS_H_
#define PTXMIR_SDAG_GRAPH_ISEL_OPTIONS_H_

#include <cstdint>

#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

// How f32 is divided unless a node's flags allow less precision. The values are the numbers of -nvptx-prec-divf32.
enum class F32Division : uint8_t { kApprox, kFull, kIeee, kIeeeNoFtz };

struct ISelOptions {
  const ptx::Subtarget* subtarget;  // not null; must outlive these options
  unsigned opt_level = 2;           // 0 to 3; 0 makes only the combines that are necessary

  // Contraction of fmul and fadd: 0 never, 1 if both have the flag contract, 2 always (-nvptx-fma-level).
  unsigned fma_level = 1;
  F32Division f32_division = F32Division::kIeee;
  bool precise_f32_sqrt = true;
  // Whether the flag afn of a division or square root allows less precision. As in LLVM, it does not if the option for
  // it is given.
  bool division_heeds_flags = true;
  bool sqrt_heeds_flags = true;
  bool approximate_f32_log2 = false;
  // Whether f32 denormals are flushed: the function's attribute denormal-fp-math-f32, or without it denormal-fp-math,
  // is "preserve-sign".
  bool f32_ftz = false;
};

// Returns the options that follow from the knobs, the optimization level and the attributes of the function.
ISelOptions ISelOptionsFor(const MachineFunction& function, const Knobs& knobs, unsigned opt_level,
                           const ptx::Subtarget& subtarget);

// Returns true if `node`, an fadd or fsub, may be contracted with `product`, an fmul that it uses.
inline bool MayContract(const SDNode& node, const SDNode& product, const ISelOptions& options) {
  if (options.fma_level == 0 || options.opt_level == 0) return false;
  return options.fma_level == 2 ||
         (node.HasFlag(SDNodeFlags::kAllowContract) && product.HasFlag(SDNodeFlags::kAllowContract));
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_ISEL_OPTIONS_H_

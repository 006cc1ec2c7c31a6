// SPDX-License-Identifier: Apache-2.0

// machine-combiner regroups chains of an associative operation: (a op x) op y becomes a op (x op y).
//
// It follows the reassociation patterns of LLVM's MachineCombiner (REASSOC_AX_BY and its kin): the inner instruction is
// in the same block and has no other use. There are two objectives:
// - Latency, LLVM's: the operand that is ready last is added last, if the result is then ready earlier. Depths are
// those
//   of machine-trace-metrics at the block's entry and are kept up to date within the block. In blocks with up to
//   -machine-combiner-inc-threshold instructions, the traces are computed anew after each change, and only instructions
//   without slack are regrouped. The regrouping may need a register more, and the block's peak must have room for it.
// - Pressure, ours: where the block needs more registers than the target, the operand that lives on anyway is added
// last,
//   and the two that end are joined first. That saves a register between the two instructions.
//
// Integers may always be regrouped. Sums and products of floating-point numbers need the flags reassoc and nsz. Flags
// about overflow are dropped (associative_ops.h).
//
// Where we differ from LLVM: the target has no patterns of its own, because peephole-opt makes mad and fma.

#ifndef PTXMIR_PASSES_COMBINE_MACHINE_COMBINER_H_
#define PTXMIR_PASSES_COMBINE_MACHINE_COMBINER_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunMachineCombiner(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COMBINE_MACHINE_COMBINER_H_

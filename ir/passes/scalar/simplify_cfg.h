// SPDX-License-Identifier: Apache-2.0

// simplifycfg: control flow that is certain. Branches on constants and to one target become jumps; blocks that nothing
// reaches go; a block joins its only predecessor if it is that one's only successor; empty blocks are jumped over; PHIs
// of one value go. Nothing is speculated and no selects are made: ptxas predicates short branches itself.
//
// nvvm-reflect-pp is the same without the last three, for what nvvm-reflect leaves.

#ifndef PTXMIR_IR_PASSES_SCALAR_SIMPLIFY_CFG_H_
#define PTXMIR_IR_PASSES_SCALAR_SIMPLIFY_CFG_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunSimplifyCfg(ir::Function& function, IrPassContext& context);
IrPassResult RunNvvmReflectPp(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_SIMPLIFY_CFG_H_

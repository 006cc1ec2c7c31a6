// SPDX-License-Identifier: Apache-2.0

// Builds the SelectionDAGs of functions of LLVM IR: LLVM's SelectionDAGBuilder, FunctionLoweringInfo and NVPTX's
// lowering of arguments, calls and results.
//
// Each block of IR becomes a machine block with a DAG (a switch becomes several). Nothing is optimized on the way: that
// is left to the passes on IR before and to the combiner after. Differences from LLVM:
//
//   - Types that no MVT has are taken apart or widened here, because the DAG has only types that exist (value_parts.h).
//   - A byval parameter of a kernel is copied to the stack unless all uses name its place in parameter space.
//     LLVM does that in a pass on IR (nvptx-lower-args), which is not needed for correct code here.
//   - Conditions are never split into several branches.

#ifndef PTXMIR_SDAG_FROM_IR_DAG_MODULE_BUILDER_H_
#define PTXMIR_SDAG_FROM_IR_DAG_MODULE_BUILDER_H_

#include <memory>

#include "absl/functional/function_ref.h"
#include "base/diagnostics.h"
#include "ir/code/program.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Takes the functions out of the program, and hands over those that need code (not those that the program merely quotes
// from elsewhere), in order: each with an empty machine function for it.
void TakeFunctions(ir::Program& program,
                   absl::FunctionRef<void(std::unique_ptr<ir::Function>, OwnedMachineFunction)> take);

// Builds the DAGs of one function. `function` is not needed afterwards. Returns null after reporting the first
// construct for which nothing can be built. From -O1 on, edges have the probabilities that the code suggests. Several
// threads may build functions of a program at once.
std::unique_ptr<DagFunction> BuildDags(ir::Function& function, MachineFunction& machine_function, unsigned opt_level,
                                       DiagnosticEngine& diagnostics);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_FROM_IR_DAG_MODULE_BUILDER_H_

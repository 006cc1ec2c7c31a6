// SPDX-License-Identifier: Apache-2.0

// Builds the SelectionDAGs of a module of LLVM IR: LLVM's SelectionDAGBuilder, FunctionLoweringInfo and NVPTX's
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
#include "sdag/text/dag_reader.h"

namespace ptxmir::sdag {

// Takes the DAGs of a function as soon as they are built. Returns false after an error.
using DagFunctionSink = absl::FunctionRef<bool(DagFunction&)>;

// Returns the module with a machine function and its DAGs for each function that has code. `program` is the code of
// `module`, and is not needed afterwards. Reports all constructs for which nothing can be built, one per function; the
// result then has no module. From -O1 on, edges have the probabilities that the code suggests.
DagModule BuildDags(std::unique_ptr<Module> module, const ir::Program& program, unsigned opt_level,
                    DiagnosticEngine& diagnostics);
// The same, but `take` gets the DAGs of each function, which are deleted when it returns: those of all functions of a
// module take several times the memory of its machine code. The result has no DAGs, and no module after an error.
DagModule BuildDags(std::unique_ptr<Module> module, const ir::Program& program, unsigned opt_level,
                    DiagnosticEngine& diagnostics, DagFunctionSink take);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_FROM_IR_DAG_MODULE_BUILDER_H_

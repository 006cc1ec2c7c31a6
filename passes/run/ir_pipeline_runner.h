// SPDX-License-Identifier: Apache-2.0

// Runs a pipeline of passes on LLVM IR (BuildIrPipeline), before instruction selection. Dumps, verification, timing,
// counters, remarks and -opt-bisect-limit are those of pipelines on machine code.
//
// Consecutive passes over functions run function by function, on RunOptions::threads threads; a pass over the program
// runs when all functions have come to it. These are the two phases of cicc's NVVMPassOptions: knobs are one constant
// set that all threads read, so there is nothing to copy. Results and reports do not depend on the number of threads. A
// function that is marked optnone is left out of what correct code does not need.

#ifndef PTXMIR_PASSES_RUN_IR_PIPELINE_RUNNER_H_
#define PTXMIR_PASSES_RUN_IR_PIPELINE_RUNNER_H_

#include "base/diagnostics.h"
#include "ir/code/program.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/run_options.h"
#include "passes/run/run_report.h"

namespace ptxmir {

// The program has been verified. Returns false if an error was reported; the program must then not be used. Of the
// options, those that are about machine code have no effect.
bool RunIrPipeline(ir::Program& program, const Pipeline& pipeline, const RunOptions& options,
                   DiagnosticEngine& diagnostics, RunReport& report);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_IR_PIPELINE_RUNNER_H_

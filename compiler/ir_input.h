// SPDX-License-Identifier: Apache-2.0

// Inputs that are LLVM IR.

#ifndef PTXMIR_COMPILER_IR_INPUT_H_
#define PTXMIR_COMPILER_IR_INPUT_H_

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "compiler/driver_options.h"
#include "ir/module.h"
#include "ir/text/program_reader.h"
#include "passes/run/run_report.h"

namespace ptxmir {

// Returns true if the input is LLVM IR: -x ir says so, or its contents show it.
bool IsIrInput(const DriverOptions& options, const SourceBuffer& input);

// Reads and verifies the input, and sets `text` to the IR as it is written (-emit-llvm, and -stop-* on IR). Passes run
// only if -passes or -run-pass names them, or up to a stop; `report` gets what they report. `input` is null if its file
// has not been read; `history`, if not null, takes the IR of functions. Returns false after an error.
bool TranslateIr(const DriverOptions& options, std::shared_ptr<const SourceBuffer> input, DiagnosticEngine& diagnostics,
                 RunReport& report, HistoryBook* history, std::string* text);

// Reads and verifies the input, and runs the standard pipeline of passes on IR. The result, for which instructions can
// be selected, is empty after an error. `history`, if not null, takes the IR of functions.
ir::ProgramFile ReadAndPrepareIr(const DriverOptions& options, std::shared_ptr<const SourceBuffer> input,
                                 DiagnosticEngine& diagnostics, RunReport& report, HistoryBook* history);

// Reads and verifies the input, runs the passes of -O0, and selects instructions without optimization, for who executes
// the program. Nothing is fused, so that the code rounds as the IR does. The GPU is the one that the IR names. Returns
// null after errors.
std::unique_ptr<Module> ReadIrToExecute(std::shared_ptr<const SourceBuffer> input, DiagnosticEngine& diagnostics);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_IR_INPUT_H_

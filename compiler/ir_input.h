// SPDX-License-Identifier: Apache-2.0

// A run of the tool on LLVM IR (-x ir).

#ifndef PTXMIR_COMPILER_IR_INPUT_H_
#define PTXMIR_COMPILER_IR_INPUT_H_

#include <string>

#include "base/diagnostics.h"
#include "compiler/driver_options.h"

namespace ptxmir {

// Reads and verifies the input and, with -emit-llvm, sets `text` to the IR as it is written. Without -emit-llvm, IR
// without errors is an error, too: there is no instruction selection from IR. Returns false after an error.
bool TranslateIr(const DriverOptions& options, DiagnosticEngine& diagnostics, std::string* text);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_IR_INPUT_H_

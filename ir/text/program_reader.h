// SPDX-License-Identifier: Apache-2.0

// Reads a module of LLVM IR text with the bodies of its functions: a .ll file.

#ifndef PTXMIR_IR_TEXT_PROGRAM_READER_H_
#define PTXMIR_IR_TEXT_PROGRAM_READER_H_

#include <memory>

#include "base/diagnostics.h"
#include "ir/code/program.h"
#include "ir/module.h"

namespace ptxmir::ir {

// Reads the bodies of a module's functions from the IR text that the module was read from (ReadIrModule). Returns true
// if there were no errors. The first error in a function ends the reading of that function, which is then missing from
// the program.
bool ReadBodies(Program& program, DiagnosticEngine& diagnostics);

struct ProgramFile {
  std::unique_ptr<Module> module;
  std::unique_ptr<Program> program;  // null after an error
};

// Reads a module and its bodies, upgrades what older versions of LLVM wrote (ir/upgrade), and verifies it (ir/verify).
ProgramFile ReadProgram(std::shared_ptr<const SourceBuffer> buffer, DiagnosticEngine& diagnostics);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_PROGRAM_READER_H_

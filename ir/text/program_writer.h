// SPDX-License-Identifier: Apache-2.0

// Writes LLVM IR text that LLVM 22 reads. What the module level has is written as it was read, or from its data where
// it was changed (Module::PrintIr). Bodies are always written from their instructions.

#ifndef PTXMIR_IR_TEXT_PROGRAM_WRITER_H_
#define PTXMIR_IR_TEXT_PROGRAM_WRITER_H_

#include <string>

#include "ir/code/program.h"

namespace ptxmir::ir {

// Gives the functions of the module the text of their bodies as they are now. The module answers questions about code
// (users of globals, loops) from these texts.
void UpdateBodyTexts(Program& program);

// Appends the whole module. Updates the texts of the bodies.
void WriteProgram(Program& program, std::string* out);

// Appends a body, from '{' to '}'.
void WriteBody(Function& function, std::string* out);

// Appends one instruction without indentation or the records in front of it. The values of its function must have
// been numbered (Function::NumberValues).
void WriteInstruction(const Instruction& instruction, std::string* out);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_PROGRAM_WRITER_H_

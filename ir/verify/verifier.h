// SPDX-License-Identifier: Apache-2.0

// The verifier of IR. It checks what LLVM's Verifier checks of instructions, with LLVM's messages: types of operands,
// signatures of calls, orderings of atomics, PHIs against predecessors, definitions that dominate their uses, and uses
// of metadata. What the reader cannot produce is checked, too, because passes can.
//
// Code that is unreachable from the entry is checked, except that definitions need not dominate its uses.

#ifndef PTXMIR_IR_VERIFY_VERIFIER_H_
#define PTXMIR_IR_VERIFY_VERIFIER_H_

#include "base/diagnostics.h"
#include "ir/code/program.h"

namespace ptxmir::ir {

// Return true if there were no errors. An error is reported at the instruction's place in the module's text; one in an
// instruction that was created has no place and names the function. Values are numbered on the way.
bool VerifyFunction(Function& function, DiagnosticEngine& diagnostics);
bool VerifyProgram(Program& program, DiagnosticEngine& diagnostics);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_VERIFY_VERIFIER_H_

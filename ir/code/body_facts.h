// SPDX-License-Identifier: Apache-2.0

// Facts of bodies: what is asked of the body of a function after its instructions are gone.

#ifndef PTXMIR_IR_CODE_BODY_FACTS_H_
#define PTXMIR_IR_CODE_BODY_FACTS_H_

#include "ir/code/program.h"

namespace ptxmir::ir {

// Gives the signatures of the program's functions the mentions and loops of their bodies in place of texts, which would
// take about as long to write as the program took to read. The module can no longer be printed.
void ReplaceBodyTexts(Program& program);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_BODY_FACTS_H_

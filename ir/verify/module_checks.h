// SPDX-License-Identifier: Apache-2.0

// Checks of what NVPTX reads from a module besides its code: !nvvm.annotations, the "nvvm." attributes and the calling
// conventions of functions, and module flags. LLVM takes some of the damage for absent (an annotation without a value)
// and aborts on other.
//
// Keys and attributes that are not known may have any value. An annotation of null, or of undef, is left of something
// that was removed, and may be anything.

#ifndef PTXMIR_IR_VERIFY_MODULE_CHECKS_H_
#define PTXMIR_IR_VERIFY_MODULE_CHECKS_H_

#include "base/diagnostics.h"
#include "ir/module.h"

namespace ptxmir::ir {

// Returns true if there were no errors. An error is reported at the node, the attribute or the function.
bool CheckModule(const Module& module, DiagnosticEngine& diagnostics);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_VERIFY_MODULE_CHECKS_H_

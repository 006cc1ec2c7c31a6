// SPDX-License-Identifier: Apache-2.0

// nvptx-proxyreg-erasure: removes the ProxyReg* pseudo instructions.
//
// They stand between a call's result and its users while instruction selection orders the call sequence.
// In SSA form the result of each is replaced by its source; out of SSA form, where the source may have been
// written again meanwhile, it becomes a COPY. A source that is no register stays a move.

#ifndef PTXMIR_PASSES_LOWER_PROXY_REG_ERASURE_H_
#define PTXMIR_PASSES_LOWER_PROXY_REG_ERASURE_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunProxyRegErasure(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_PROXY_REG_ERASURE_H_

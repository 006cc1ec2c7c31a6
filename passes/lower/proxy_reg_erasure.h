// SPDX-License-Identifier: Apache-2.0

// nvptx-proxyreg-erasure removes the ProxyReg* pseudo instructions.
//
// They separate a call's result from its uses while instruction selection orders the call sequence. In SSA form,
// the result of each is replaced by its source. After SSA form, where the source may have been redefined since,
// the pseudo becomes a COPY. If the source is not a register, the pseudo becomes a move.

#ifndef PTXMIR_PASSES_LOWER_PROXY_REG_ERASURE_H_
#define PTXMIR_PASSES_LOWER_PROXY_REG_ERASURE_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunProxyRegErasure(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_PROXY_REG_ERASURE_H_

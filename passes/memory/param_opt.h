// SPDX-License-Identifier: Apache-2.0

// param-opt ("Optimize NVPTX ld.param") joins and sinks the loads of a function's own parameters.
//
// - A load that an equal one dominates is erased, and its uses read the first one's result. This is what cicc's notes
//   say of the pass.
// - A load whose uses all lie behind a branch moves down to the nearest block that dominates them, but into no loop
// that
//   it was not in. The register is then free until there, and ways that do not use the parameter do not load it.
//   -remat-load-param=false keeps loads where they are.
//
// The parameters of a kernel are constant memory, so a load may move over anything. The parameters of other functions
// are the caller's to write, which it has done before the call. A parameter whose address is taken may be written
// through it, and is left alone.

#ifndef PTXMIR_PASSES_MEMORY_PARAM_OPT_H_
#define PTXMIR_PASSES_MEMORY_PARAM_OPT_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunParamOpt(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MEMORY_PARAM_OPT_H_

// SPDX-License-Identifier: Apache-2.0

// nvptx-forward-params makes loads read byval parameters in place.
//
// Instruction selection takes the address of a byval parameter (%a = MOV64_PARAM &f_param_0) and loads through it
// from local memory, which makes ptxas copy the parameter there. If every use of the address is a load, or a
// conversion between generic and local addresses that only loads use, the loads name the parameter directly, in
// parameter space:
//
//     LD_i32 0, 0, 5, ..., %a, 8     becomes     LD_i32 0, 0, 101, ..., &f_param_0, 8
//
// An address that is used in any other way (arithmetic, calls, PHIs) is left alone.

#ifndef PTXMIR_PASSES_LOWER_FORWARD_PARAMS_H_
#define PTXMIR_PASSES_LOWER_FORWARD_PARAMS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunForwardParams(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_FORWARD_PARAMS_H_

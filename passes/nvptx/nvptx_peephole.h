// SPDX-License-Identifier: Apache-2.0

// nvptx-peephole addresses the local frame directly.
//
//     %a = LEA_ADDRi64 $vrframe64, 16            becomes
//     %b = cvta_to_local_64 %a                   %b = LEA_ADDRi64 $vrframelocal64, 16
//
// If nothing reads the generic frame address any more, its set-up is erased.

#ifndef PTXMIR_PASSES_NVPTX_NVPTX_PEEPHOLE_H_
#define PTXMIR_PASSES_NVPTX_NVPTX_PEEPHOLE_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunNvptxPeephole(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_NVPTX_NVPTX_PEEPHOLE_H_

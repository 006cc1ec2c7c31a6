// SPDX-License-Identifier: Apache-2.0
//
// Calls passes of clients, which may throw exceptions. Nothing else here does: the release build compiles all other
// files without them.

#ifndef PTXMIR_PASSES_RUN_CLIENT_PASS_CALL_H_
#define PTXMIR_PASSES_RUN_CLIENT_PASS_CALL_H_

#include <functional>
#include <string_view>

#include "mir/code/machine_function.h"
#include "passes/pass_context.h"
#include "passes/pass_info.h"

namespace ptxmir {

// Runs the pass `name` on `function`. An exception becomes an error of `context`; the function counts as changed then.
PassResult CallClientPass(std::string_view name, const std::function<PassResult(MachineFunction&, PassContext&)>& run,
                          MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_CLIENT_PASS_CALL_H_

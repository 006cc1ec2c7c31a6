// SPDX-License-Identifier: Apache-2.0

#include "passes/run/client_pass_call.h"

#include <exception>

#include "base/str_cat.h"

namespace ptxmir {

PassResult CallClientPass(std::string_view name, const std::function<PassResult(MachineFunction&, PassContext&)>& run,
                          MachineFunction& function, PassContext& context) {
  try {
    return run(function, context);
  } catch (const std::exception& exception) {
    context.diagnostics.Error(
        StrCat("pass '", name, "' on function '", function.name(), "' threw: ", exception.what()));
  } catch (...) {
    context.diagnostics.Error(StrCat("pass '", name, "' on function '", function.name(), "' threw"));
  }
  return {.changed = true};
}

}  // namespace ptxmir

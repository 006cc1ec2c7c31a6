// SPDX-License-Identifier: Apache-2.0

// The interface of a machine pass over a whole module: a plain function over all functions of the module at once.
//
// The runner stops every function at the step of such a pass, runs the pass on one thread, and then goes on with the
// functions, which may again be compiled in parallel. A module pass must give the same result for any number of
// threads, so it may depend only on the functions and their order.

#ifndef PTXMIR_PASSES_MODULE_PASS_H_
#define PTXMIR_PASSES_MODULE_PASS_H_

#include <vector>

#include "ir/module.h"
#include "passes/pass_context.h"

namespace ptxmir {

// One function of the module, with the context that its other passes have.
struct ModulePassMember {
  MachineFunction& function;
  PassContext& context;
  PassResult result = {};  // set by the pass
};

struct ModulePassContext {
  Module& module;
  const Knobs& knobs;  // of the module
  // The functions that the pass may change, in the order of the module. A function that must not be optimized
  // (optnone) is not among them.
  std::vector<ModulePassMember> members;
  // The number that the first function has that the pass adds to the module.
  uint32_t next_function_number = 0;
  // The functions that the pass has made. They run through the steps that follow.
  std::vector<OwnedMachineFunction> created = {};
};

using MachineModulePass = void (*)(ModulePassContext&);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MODULE_PASS_H_

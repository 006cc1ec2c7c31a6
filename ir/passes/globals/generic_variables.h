// SPDX-License-Identifier: Apache-2.0

// GenericVariables: the variables of a module that are in the generic address space, moved to the global one.
//
// PTX has no variables in the generic space. Where initial values hold the address of such a variable, an addrspacecast
// gives them the generic address. Textures, surfaces, samplers and LLVM's own variables stay where they are, as in
// LLVM's GenericToNVVM.

#ifndef PTXMIR_IR_PASSES_GLOBALS_GENERIC_VARIABLES_H_
#define PTXMIR_IR_PASSES_GLOBALS_GENERIC_VARIABLES_H_

#include <vector>

#include "ir/module.h"

namespace ptxmir {

// Returns the address of a global value, converted to the generic space.
const IrConstant* GenericAddress(Module& module, GlobalId id);

// Returns true if the module has variables that must move.
bool HasVariablesInGenericSpace(const Module& module);

class GenericVariables {
 public:
  // The module must outlive this object.
  explicit GenericVariables(Module& module) : module_(module), is_moved_(module.global_values().size()) {}

  // Moves the variables, and changes the initial values and aliases that name them.
  void Move();

  bool IsMoved(GlobalId id) const { return is_moved_[id]; }
  // Returns the constant with the addresses of moved variables converted to the generic space; the constant itself if
  // it names none. New constants are in the module's memory.
  const IrConstant* WithCasts(const IrConstant* constant);

 private:
  Module& module_;
  std::vector<bool> is_moved_;  // by global value
};

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_GLOBALS_GENERIC_VARIABLES_H_

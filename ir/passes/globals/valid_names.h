// SPDX-License-Identifier: Apache-2.0

// Names of PTX for the global values of local linkage that have others, in a module of LLVM IR or of machine code.
//
// As in LLVM, names that others may refer to stay; the PTX writer reports those (ptx/target/ptx_names.h). Values that
// metadata mentions keep their names here, and the PTX writer makes them legal by the same rule. The reference says
// that the pass works on linkages 7 and 8, external and internal; in LLVM 7 and 8 are internal and private.

#ifndef PTXMIR_IR_PASSES_GLOBALS_VALID_NAMES_H_
#define PTXMIR_IR_PASSES_GLOBALS_VALID_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ir/module.h"

namespace ptxmir {

// Returns true if a value of local linkage has a name that PTX does not take.
bool HasIllegalNames(const Module& module);

struct GlobalRename {
  GlobalValue* value;
  std::string old_name;
};

// Renames what can be renamed. Calls `report` for each value with such a name before that, with the name that it gets
// in PTX. Initial values and aliases name values by id, so they follow.
std::vector<GlobalRename> RenameIllegalGlobals(
    Module& module, absl::FunctionRef<void(const GlobalValue& value, std::string_view name, bool is_renamed)> report);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_GLOBALS_VALID_NAMES_H_

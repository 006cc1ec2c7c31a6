// SPDX-License-Identifier: Apache-2.0

// What rules call by name (selection_functions.inc): addresses, modifiers of memory accesses, constants made of others,
// and conditions that are more than a type or a flag.

#ifndef PTXMIR_SDAG_SELECT_SELECTION_FUNCTIONS_H_
#define PTXMIR_SDAG_SELECT_SELECTION_FUNCTIONS_H_

#include "ptx/target/subtarget.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/select/rule_table.h"

namespace ptxmir::sdag {

struct SelectionContext {
  SelectionDAG* dag;  // null when only conditions may be asked
  const ptx::Subtarget& subtarget;
  SDNode* root;
};

// How many values a function makes.
unsigned NumValuesOf(SelectionFunction function);

// False: the rule does not match. `values` has room for NumValuesOf(function).
bool CallSelectionFunction(SelectionFunction function, const SelectionContext& context, SDValue argument,
                           SDValue* values);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_SELECTION_FUNCTIONS_H_

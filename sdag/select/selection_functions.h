// SPDX-License-Identifier: Apache-2.0

// The functions that rules call by name (selection_functions.inc). They compute addresses, modifiers of memory
// accesses and constants derived from others, and check conditions that are more than a type or a flag.

#ifndef PTXMIR_SDAG_SELECT_SELECTION_FUNCTIONS_H_
#define PTXMIR_SDAG_SELECT_SELECTION_FUNCTIONS_H_

#include "ptx/target/subtarget.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/select/rule_table.h"

namespace ptxmir::sdag {

struct SelectionContext {
  SelectionDAG* dag;  // null if only conditions are evaluated
  const ptx::Subtarget& subtarget;
  SDNode* root;
};

// Returns the number of values that a function makes.
unsigned NumValuesOf(SelectionFunction function);

// Calls a function. Returns false if the rule does not match. `values` has room for NumValuesOf(function).
bool CallSelectionFunction(SelectionFunction function, const SelectionContext& context, SDValue argument,
                           SDValue* values);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_SELECTION_FUNCTIONS_H_

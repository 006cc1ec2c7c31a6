// SPDX-License-Identifier: Apache-2.0

// The reducer's steps on the text of the IR document: entities are lines there, and functions from "define" to "}".

#ifndef PTXMIR_TOOLS_REDUCE_IR_STEPS_H_
#define PTXMIR_TOOLS_REDUCE_IR_STEPS_H_

#include <string>
#include <vector>

#include "tools/reduce/reduction_steps.h"

namespace ptxmir {

// The bodies of functions become "unreachable".
void EmptyIrBodies(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes global values, types, attribute groups, metadata and comments; what is still named cannot go, since the
// file would no longer read.
void DeleteIrEntities(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes parameters of functions.
void DeleteIrParameters(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes what follows the types of parameters: attributes and names.
void DropIrParameterAttributes(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes what follows the parameters of functions: attributes and metadata.
void DropIrFunctionAttributes(std::vector<std::string>& lines, TargetChooser& chooser);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_IR_STEPS_H_

// SPDX-License-Identifier: Apache-2.0

// The reducer's steps on the text of the IR document. Entities are lines there, and functions go from "define" to
// "}".

#ifndef PTXMIR_TOOLS_REDUCE_IR_STEPS_H_
#define PTXMIR_TOOLS_REDUCE_IR_STEPS_H_

#include <string>
#include <vector>

#include "tools/reduce/reduction_steps.h"

namespace ptxmir {

// Replaces the bodies of functions by "unreachable".
void EmptyIrBodies(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes global values, types, attribute groups, metadata and comments. Entities that are still named stay,
// because the file could not be read without them.
void DeleteIrEntities(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes parameters of functions.
void DeleteIrParameters(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes the attributes and names of parameters.
void DropIrParameterAttributes(std::vector<std::string>& lines, TargetChooser& chooser);
// Deletes the attributes and metadata after the parameters of functions.
void DropIrFunctionAttributes(std::vector<std::string>& lines, TargetChooser& chooser);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_IR_STEPS_H_

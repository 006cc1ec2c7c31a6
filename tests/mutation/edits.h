// SPDX-License-Identifier: Apache-2.0

// Editing of machine functions that leaves what they compute: clones take the place of instructions, operands come
// and go, blocks are split, edges get blocks of their own, and blocks are numbered anew.

#ifndef PTXMIR_TESTS_MUTATION_EDITS_H_
#define PTXMIR_TESTS_MUTATION_EDITS_H_

#include <string>

#include "mir/code/machine_function.h"

namespace ptxmir::testing {

// Edits the function and checks it after each kind of edit. What is wrong, or an empty string.
std::string EditAndCheck(MachineFunction& function);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_EDITS_H_

// SPDX-License-Identifier: Apache-2.0

// What can be said about PTX without ptxas: the parser of the interpreter takes it, what it names is declared,
// nothing is declared twice, and parameters are accessed by plain loads and stores of their space.

#ifndef PTXMIR_TESTS_MUTATION_PTX_CHECK_H_
#define PTXMIR_TESTS_MUTATION_PTX_CHECK_H_

#include <string>
#include <string_view>

namespace ptxmir::testing {

// What is wrong with a module as our writer prints it, or an empty string.
std::string CheckPtxText(std::string_view ptx);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_PTX_CHECK_H_

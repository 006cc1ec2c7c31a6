// SPDX-License-Identifier: Apache-2.0

// Checks of PTX that need no ptxas: the parser of the interpreter accepts it, each name is declared, and only once, and
// parameters are accessed by plain loads and stores of their space.

#ifndef PTXMIR_TESTS_MUTATION_PTX_CHECK_H_
#define PTXMIR_TESTS_MUTATION_PTX_CHECK_H_

#include <string>
#include <string_view>

namespace ptxmir::testing {

// Returns a description of the first fault in a module that our writer printed, or an empty string.
std::string CheckPtxText(std::string_view ptx);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_PTX_CHECK_H_

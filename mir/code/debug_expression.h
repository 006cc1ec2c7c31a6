// SPDX-License-Identifier: Apache-2.0

// Changes to the expressions of debug values. Functions refer to an expression by its id: the number of a node (!7), or
// text ("!DIExpression()"). Changed expressions are text. The rules are those of LLVM's DIExpression.

#ifndef PTXMIR_MIR_CODE_DEBUG_EXPRESSION_H_
#define PTXMIR_MIR_CODE_DEBUG_EXPRESSION_H_

#include <cstdint>
#include <optional>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the expression that describes a variable by a value that is less by `offset` than the value that
// `expression` takes. `is_address` says that the value is the address of the variable. Returns nullopt if `expression`
// is no !DIExpression.
std::optional<MetadataId> ExpressionWithOffset(MachineFunction& function, MetadataId expression, int64_t offset,
                                               bool is_address);

// Returns the expression for `size` bits, from bit `offset` on, of the value that `expression` takes. Returns nullopt
// if `expression` is no !DIExpression, if it describes none of these bits, or if it computes with the value, because a
// carry may go from one part to another.
std::optional<MetadataId> ExpressionOfBits(MachineFunction& function, MetadataId expression, uint64_t offset,
                                           uint64_t size);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_DEBUG_EXPRESSION_H_

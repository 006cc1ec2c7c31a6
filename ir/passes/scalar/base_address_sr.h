// SPDX-License-Identifier: Apache-2.0

// base-address-sr: base address strength reduction. An address that differs by a constant from one that is known where
// it is computed becomes that one plus an offset, which the access then holds. Within a block, an address that differs
// by a multiple of one value becomes a sum of two registers.
//
// cicc has a pass of this name, of which the reference tells little more. Here addresses are compared as polynomials
// (support/address_polynomial.h), along the dominator tree, like the candidates of LLVM's straight-line strength
// reduction, but whatever the shape of their indices.
//
// An address whose computation promises more than that of the address it replaces may be poison where the other is not.
// It is used only if memory was accessed there before, so that it can't be poison.

#ifndef PTXMIR_IR_PASSES_SCALAR_BASE_ADDRESS_SR_H_
#define PTXMIR_IR_PASSES_SCALAR_BASE_ADDRESS_SR_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunBaseAddressSr(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_BASE_ADDRESS_SR_H_

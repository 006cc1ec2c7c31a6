// SPDX-License-Identifier: Apache-2.0

// How values are passed in .param space: which of them are arrays of bytes, and how these are aligned. Call sites, the
// bodies of functions and their heads in PTX must agree, and agree with llc.

#ifndef PTXMIR_PTX_TARGET_CALLING_CONVENTION_H_
#define PTXMIR_PTX_TARGET_CALLING_CONVENTION_H_

#include <cstdint>

#include "ir/ir_attributes.h"
#include "ir/module.h"

namespace ptxmir::ptx {

// Returns true if a value goes through .param space as an array of bytes rather than as a scalar.
bool IsPassedAsArray(const IrType& type);

// Returns the bits of the .param of a scalar in the convention of device functions: 32, 64 or 128.
uint64_t ScalarParameterBits(const DataLayout& layout, const IrType& type);

// Returns the alignment in bytes of a parameter or result of this type when none is stated. `function` is the function
// that takes or returns it, or null if it is not known (in a call through a pointer).
uint64_t DefaultParameterAlign(const Module& module, const IrFunction* function, const IrType& type);

// Returns the alignment of an array for a parameter or result that is not byval, which alignstack(N) states.
uint64_t ParameterAlign(const Module& module, const IrFunction* function, const IrType& type,
                        const IrAttributes& attributes);
// Returns the alignment of a byval parameter, whose bytes have the type `by_value`.
uint64_t ByValAlign(const Module& module, const IrFunction* function, const IrType& by_value,
                    const IrAttributes& attributes);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_CALLING_CONVENTION_H_

// SPDX-License-Identifier: Apache-2.0

// The part of nvptx-image-optimizer that merges equal requests to texture units: fetches (tex, tld4) and questions for
// the shape of textures and surfaces (txq, suq).
//
// A request goes away if an equal one dominates it: the same instruction, whose operands have the same values. For
// that, operands are compared through the computations that make them, up to a depth: a handle that two blocks take of
// one variable, or a coordinate that two blocks compute. The nearest of several is taken, if it can be.
//
// CUDA leaves undefined what a kernel fetches from a texture that the same launch has written to. Stores therefore are
// no obstacle, nor are relaxed atomics; ptxas merges fetches across them, too. What lies between must not order memory,
// call anything, have unknown effects (inline assembly), or write a surface, which may be the texture. Of fences,
// barriers and stores to surfaces, ptxas heeds the first only. Questions are constant for a kernel.
//
// The results of the earlier request live longer. A request keeps a texture unit busy and takes hundreds of cycles, so
// that is worth registers, but no spills: where they become live, the pressure (machine-rpa) may reach the register
// budget, while machine-cse, which shares cheap computations, keeps it from rising at all.
//
// cicc's documentation says that the pass "coalesces related texture operations", and no more. LLVM's pass has nothing
// of it. machine-cse takes no fetches. ptxas merges fetches of which the same components are read; for others, it
// fetches again.

#ifndef PTXMIR_PASSES_NVPTX_IMAGE_FETCHES_H_
#define PTXMIR_PASSES_NVPTX_IMAGE_FETCHES_H_

#include <cstdint>

#include "passes/pass_context.h"

namespace ptxmir {

// Returns true for the opcodes of fetches from textures and of questions for the shape of images.
bool IsImageRequest(Opcode opcode);

// Merges equal requests of a function in SSA form. Returns their number.
uint64_t MergeImageRequests(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_NVPTX_IMAGE_FETCHES_H_

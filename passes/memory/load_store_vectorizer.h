// SPDX-License-Identifier: Apache-2.0

// load-store-vectorizer joins accesses of adjacent memory into accesses of vectors.
//
//     %2 = LD_i32 0, 0, 1, 3, 32, -1, %1, 0         %2, %3 = LDV_i32_v2 0, 0, 1, 3, 32, -1, %1, 0
//     %3 = LD_i32 0, 0, 1, 3, 32, -1, %1, 4
//
// One access of 16 bytes takes the load/store unit as long as one of 4. The idea is that of LLVM's pass of this name,
// which works on IR and has done most of the work where the input is optimized. What it cannot see are addresses that
// only instruction selection and later passes show to be adjacent, and it does not run at -O0.
//
// In each block, plain loads and stores of one size are put into groups by what their addresses are the same sum of
// (AddressForms), or by the symbol that they name. A group ends where an address is accessed again and after kMaxSpan
// instructions. Neighbors in a group are joined, the most that the GPU can first, if
//
// - memory operands, or the variable, prove that the address is aligned to the size of the vector;
// - the loads can all move up to the first one, or the stores down to the last: nothing in between may write what is
//   loaded, or access what is stored, order memory, or not return;
// - the pressure in the block leaves room for values that live longer and together.
//
// Three loads also become one of four values, of which one is not used: an aligned vector is all in memory if a part of
// it is. Variables and stack objects may end within it, which their sizes tell.
//
// Left alone are accesses that are volatile, ordered or atomic; the parameters of a kernel, which ptxas reads from
// constant memory without loads, while what calls pass and get back is joined; and stack objects whose address is used
// for nothing else (addressed_objects.h), which nvptx-mem2reg makes registers if they are accessed one by one.

#ifndef PTXMIR_PASSES_MEMORY_LOAD_STORE_VECTORIZER_H_
#define PTXMIR_PASSES_MEMORY_LOAD_STORE_VECTORIZER_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunLoadStoreVectorizer(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MEMORY_LOAD_STORE_VECTORIZER_H_

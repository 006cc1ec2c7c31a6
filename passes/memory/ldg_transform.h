// SPDX-License-Identifier: Apache-2.0

// ldgxform loads from global memory through the read-only data cache (ld.global.nc, "LDG") what the kernel never
// writes.
//
// The cache is not coherent: a load through it may return what memory held before a write of the same kernel, by this
// thread or another. Only these loads are changed, and only if they are not volatile, ordered or atomic:
//
// - Loads of variables that are constants, and loads that the IR calls invariant, in all functions. The memory has one
//   value for the whole program.
// - Loads that are based on a noalias readonly pointer parameter of a kernel (`const T* __restrict__`). In a function
//   that is no kernel the attributes say nothing about the time before the call, in which the kernel may have written.
// - All loads of global memory, if the kernel writes none. Stores to shared and local memory do not count, nor do
//   writes of variables to loads of other variables. A call, inline assembly that may write memory, a fence or an
//   ordered access, by which other kernels may be heard, and any write of an unknown address rule this out. What
//   decides is the variable and the state space alone: that two accesses of one thread are apart (by offset, type or
//   alias scope) says nothing about other threads.
//
// LLVM selects LDG for the first two at -O2 already (NVPTXTagInvariantLoads), so on its MIR the pass finds the third.
// cicc runs its pass of this name on IR.
//
// cicc splits a vector that is wider than what the GPU loads, and names its parts `.ldgsplit`, `.load` and
// `.ldgsplitinsert`; for that it has machinery for bit casts and elements of vectors (vecBitCast, extractSplitVec,
// insertSplitVec). It works on IR. Here, legalization has split vectors before, into loads that the GPU has with and
// without the cache, and MIR with a load that it has not is an error.

#ifndef PTXMIR_PASSES_MEMORY_LDG_TRANSFORM_H_
#define PTXMIR_PASSES_MEMORY_LDG_TRANSFORM_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunLdgTransform(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MEMORY_LDG_TRANSFORM_H_

// SPDX-License-Identifier: Apache-2.0

// The table of the semantics of all instructions.

#ifndef PTXMIR_PTX_INTERPRETER_SEMANTICS_SEMANTICS_TABLE_H_
#define PTXMIR_PTX_INTERPRETER_SEMANTICS_SEMANTICS_TABLE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/isa/isa_enums.h"

namespace ptxmir::ptx {

// The tables of the files. Several entries may have the same base. The first one that resolves wins.
absl::Span<const ResolverEntry> MemoryResolvers();         // semantics_memory.cc: ld, st, atom, red, prefetch ...
absl::Span<const ResolverEntry> CollectiveResolvers();     // semantics_collective.cc: shfl, vote, match, redux ...
absl::Span<const ResolverEntry> BarrierResolvers();        // semantics_barrier.cc: bar, barrier, fence, mbarrier
absl::Span<const ResolverEntry> TensorResolvers();         // semantics_tensor.cc: mma, wmma, ldmatrix, stmatrix
absl::Span<const ResolverEntry> MatrixResolvers();         // semantics_matrix.cc: ldmatrix, stmatrix, movmatrix
absl::Span<const ResolverEntry> MbarrierResolvers();       // semantics_mbarrier.cc
absl::Span<const ResolverEntry> AsyncResolvers();          // semantics_async.cc: cp.async and the bulk copies
absl::Span<const ResolverEntry> TextureResolvers();        // semantics_texture.cc: tex, tld4, suld, sust, txq ...
absl::Span<const ResolverEntry> LaunchControlResolvers();  // semantics_launch_control.cc
absl::Span<const ResolverEntry> WgmmaResolvers();          // semantics_wgmma.cc
absl::Span<const ResolverEntry> Tcgen05Resolvers();        // semantics_tcgen05.cc: tensor memory and its products

// Gives the statement a kernel. Returns true, as a resolver that knows the statement does.
inline bool ResolveKernel(WarpKernel kernel, Semantics* semantics) {
  semantics->warp = kernel;
  return true;
}

// Returns the state space that a mnemonic names, or the generic one.
MemorySpace SpaceOf(const Mnemonic& mnemonic);

// The kernel of statements that change nothing a program can see, such as prefetches.
StepResult RunNothing(Warp& warp, const DecodedInstr& instr);

// Finds the semantics of `statement`. If there are none, the error names the mnemonic.
absl::Status ResolveSemantics(const Statement& statement, Semantics* semantics);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_SEMANTICS_SEMANTICS_TABLE_H_

// SPDX-License-Identifier: Apache-2.0

// cicc's NVPTXBlockRemat (sub_2186D90): for blocks over the target, pulls values that are live out of the block in
// to where they are used. -nv-remat-measured=0 runs it.
//
// There are at most -nv-remat-max-times rounds. For each block over the target, its live-out registers are
// classified by whether they can be computed from registers that stay live out. Those that pass a pre-check become
// candidates at once; others get a second chance if there are too few. Candidates are taken in order of increasing
// cost until enough registers are pulled in. Uses after the block then read clones, one per block.
// -nv-dump-remat-block prints what cicc 13 prints.
//
// The bits of -nv-remat-block, as far as cicc's output shows them: bit 1 controls the second chance. Bit 2 has no
// effect that shows there; here it controls whether values that are live out of most blocks pass the pre-check.
// Bit 3 controls whether loops make clones more expensive.
//
// Where we differ: liveness comes from machine-rpa and is updated after each edit, so no separate propagation to
// predecessors and successors is needed. A value that a PHI reads at the end of the block cannot be pulled in. The
// documentation of cicc does not explain -max-reg-kind; here 0 counts units of 32 bits, 1 counts registers, and 2
// and 3 count the same with predicates.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_LIVE_OUTS_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_LIVE_OUTS_H_

#include "passes/remat/block_remat_peaks.h"

namespace ptxmir {

RematResult RematerializeLiveOuts(MachineFunction& function, PassContext& context, const RematTarget& target);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_LIVE_OUTS_H_

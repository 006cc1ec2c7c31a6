// SPDX-License-Identifier: Apache-2.0

// NVPTXBlockRemat as the reference describes it (machine-level-passes.txt, sub_2186D90): pulls values that blocks over
// the target keep live to their end in to where they are used. -nv-remat-measured=0 runs it.
//
// In at most -nv-remat-max-times rounds, for each block over the target: its live-out registers are classified by
// whether they can be computed from registers that stay live out; those that pass a pre-check are candidates at once,
// others get a second chance when there are too few; candidates are taken by cost, the cheapest first, until enough is
// pulled in. Uses behind the block then read clones, one in each block. -nv-dump-remat-block prints what cicc 13
// prints.
//
// The bits of -nv-remat-block, as far as cicc's output tells: 1 second chance; 2 none that shows there, here whether
// values that are live out of most blocks are let through the pre-check; 3 whether loops make clones dearer.
// Where we differ: liveness is that of machine-rpa, updated at each edit, so that blocks before and behind need no
// propagation of their own; a value that a PHI reads at the end of the block is not pullable; -max-reg-kind, which the
// reference does not explain, counts 0 units of 32 bits, 1 registers, 2 and 3 the same with predicates.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_LIVE_OUTS_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_LIVE_OUTS_H_

#include "passes/remat/block_remat_peaks.h"

namespace ptxmir {

RematResult RematerializeLiveOuts(MachineFunction& function, PassContext& context, const RematTarget& target);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_LIVE_OUTS_H_

// SPDX-License-Identifier: Apache-2.0

// The policy by which machine-sink does what LLVM does (-nvptx-enable-machine-sink): LLVM's MachineSinking, decision
// for decision, so that the output is what llc produces from the same code.
//
// The pass visits the blocks from first to last and repeats until nothing changes. In each block with several
// successors it visits the instructions from the bottom up. An instruction moves to the beginning of a successor
// or of an immediately dominated block: the least frequent such block that dominates all of its uses. The move
// must also be profitable, for one of these reasons: some path bypasses the new block; the new block is in fewer
// loops; no instruction but PHIs uses the result there; or, within a loop, no operand of the instruction raises
// the pressure there. Copies of registers with no other use are coalesced in the same walk. Invariant loads move
// like computations; other loads do not move past an instruction that may write the memory that they read.
//
// Where we differ: critical edges are not split. llc splits only those to loop headers, because PTX has to stay
// structured. Debug instructions that read the result of a moved instruction become undefined; they do not follow
// it.

#ifndef PTXMIR_PASSES_MOTION_SINK_LIKE_LLVM_H_
#define PTXMIR_PASSES_MOTION_SINK_LIKE_LLVM_H_

#include <memory>

#include "passes/motion/sinking.h"
#include "passes/pass_context.h"

namespace ptxmir::like_llvm {

std::unique_ptr<SinkPolicy> MakeSinkPolicy(MachineFunction& function, PassContext& context);

}  // namespace ptxmir::like_llvm

#endif  // PTXMIR_PASSES_MOTION_SINK_LIKE_LLVM_H_

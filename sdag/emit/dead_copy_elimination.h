// SPDX-License-Identifier: Apache-2.0

// What InstrEmitter records of each result that it emits, and the elimination of dead copies, which runs over these
// records when a DAG has been emitted (reference: instr-emitter, "Dead Copy Elimination").
//
// LLVM leaves dead copies to DeadMachineInstructionElim. Here, as in cicc, they go at once: a kernel of 50 parameters
// would begin with 50 copies that every analysis has to look at.
//
//   1. Over the records, in order: an instruction none of whose results has a use, and which may go (a copy, or what
//      the target says computes nothing but its results), goes.
//   2. What it read may have lost its last use, and the nodes that it was glued to may be dead with it: these are put
//      on the dead list, and deleted in bulk at the end, together with what dies of that.
//
// Where the notes let a COPY or REG_SEQUENCE go "regardless of its use count" because a user has folded it, here it
// goes if no use is left: with another user that did not fold it, deleting would be wrong code.

#ifndef PTXMIR_SDAG_EMIT_DEAD_COPY_ELIMINATION_H_
#define PTXMIR_SDAG_EMIT_DEAD_COPY_ELIMINATION_H_

#include <cstdint>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "sdag/emit/emit_target_hooks.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

// One result of one instruction.
struct EmitResultRecord {
  // COPY, REG_SEQUENCE, IMPLICIT_DEF, or what a sub-register node became.
  static constexpr uint32_t kCopy = 1u << 0;
  // `dst` is a virtual register that the emitter made: nothing else knows of it.
  static constexpr uint32_t kOwnResult = 1u << 1;
  // A user reads `src` itself.
  static constexpr uint32_t kInlineFolded = 1u << 2;

  MachineInstr* producer = nullptr;  // null once it is deleted
  SDNode* node = nullptr;
  Register src;  // of copies; may be physical
  Register dst;
  RegClassId reg_class = kNoRegClass;
  uint32_t sub_reg_index = 0;  // of EXTRACT_SUBREG
  uint32_t flags = 0;
};
static_assert(sizeof(EmitResultRecord) == 40);

struct DeadCopyCounts {
  uint32_t erased = 0;    // instructions that went at once
  uint32_t deferred = 0;  // that went through the dead list
  uint32_t folded = 0;    // of both, those that a user had folded
};

// `records` of one DAG, in the order of emission. Debug uses of what goes become $noreg.
DeadCopyCounts EliminateDeadCopies(MachineFunction& function, absl::Span<EmitResultRecord> records,
                                   const EmitTargetHooks& hooks);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_DEAD_COPY_ELIMINATION_H_

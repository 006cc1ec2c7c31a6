// SPDX-License-Identifier: Apache-2.0

// The records that InstrEmitter keeps of each result it emits, and the elimination of dead copies. The elimination
// runs over these records after a DAG has been emitted.
//
// LLVM leaves dead copies to DeadMachineInstructionElim. Here, as in cicc, they are deleted at once. Otherwise a
// kernel of 50 parameters would begin with 50 copies that every analysis has to look at.
//
//   1. Visit the records in order. Delete an instruction if none of its results has a use and it may be deleted: it is
//      a copy, or the target says that it has no effect besides its results.
//   2. A deletion may remove the last use of a register that the instruction read, and the nodes that its node was
//      glued to may be dead, too. Put these on the dead list. At the end, delete everything on the list, together with
//      what becomes dead as a result.
//
// cicc deletes a COPY or REG_SEQUENCE "regardless of its use count" because a user has folded it. Here it is
// deleted only if no use is left. If another user has not folded it, deleting it would produce wrong code.

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
  // The instruction is a COPY, REG_SEQUENCE, IMPLICIT_DEF, or the result of a sub-register node.
  static constexpr uint32_t kCopy = 1u << 0;
  // `dst` is a virtual register that the emitter made. No other code knows it.
  static constexpr uint32_t kOwnResult = 1u << 1;
  // A user reads `src` itself.
  static constexpr uint32_t kInlineFolded = 1u << 2;

  MachineInstr* producer = nullptr;  // null once it is deleted
  SDNode* node = nullptr;
  Register src;  // the source of a copy; may be physical
  Register dst;
  RegClassId reg_class = kNoRegClass;
  uint32_t sub_reg_index = 0;  // the index of an EXTRACT_SUBREG
  uint32_t flags = 0;
};

struct DeadCopyCounts {
  uint32_t erased = 0;    // instructions that were deleted at once
  uint32_t deferred = 0;  // instructions that were deleted through the dead list
  uint32_t folded = 0;    // instructions of both kinds that a user had folded
};

// Deletes dead copies. `records` are those of one DAG, in the order of emission. Debug uses of deleted registers
// become $noreg.
DeadCopyCounts EliminateDeadCopies(MachineFunction& function, absl::Span<EmitResultRecord> records,
                                   const EmitTargetHooks& hooks);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_DEAD_COPY_ELIMINATION_H_

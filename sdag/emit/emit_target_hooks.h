// SPDX-License-Identifier: Apache-2.0

// EmitTargetHooks: what InstrEmitter asks a target, as a table of functions.
//
// Three of them are those that cicc dispatches through its vtable after every instruction: the custom inserter (slot
// 0xB8), the expansion of pseudo instructions that no later pass lowers (expandPostRAPseudo, 0x348) and the insertion
// of sub-registers (0x160). A null function is the default of the target that has nothing of the kind, cicc's three
// adjacent stubs.

#ifndef PTXMIR_SDAG_EMIT_EMIT_TARGET_HOOKS_H_
#define PTXMIR_SDAG_EMIT_EMIT_TARGET_HOOKS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

// EXTRACT_SUBREG, INSERT_SUBREG, SUBREG_TO_REG and REG_SEQUENCE, with their operands in registers. Without a
// sub-register index in machine operands, each is instructions that take registers apart and put them together.
struct SubRegOperation {
  struct Part {
    Register reg;
    uint32_t index;      // of the sub-register, as the target numbers them
    uint16_t reg_flags;  // kKill where it is the last use
  };

  Opcode opcode;  // generic::
  Register result;
  Register whole;                // of EXTRACT_SUBREG and INSERT_SUBREG
  absl::Span<const Part> parts;  // EXTRACT_SUBREG: one, of which only the index counts
  MetadataId debug_loc;
};

struct EmitTargetHooks {
  // Whether instructions of the opcode go through custom_inserter.
  bool (*needs_custom_inserter)(const MachineInstr& instr, const ptx::Subtarget* subtarget) = nullptr;
  // Replaces an instruction, which it erases, by others, possibly with new blocks. Returns the block in which that
  // what stood behind the instruction stands now. Called when all instructions of the DAG have been emitted, in
  // their order, so that what is glued together is together, and what is dead is gone.
  MachineBasicBlock* (*custom_inserter)(MachineInstr& instr, const ptx::Subtarget* subtarget) = nullptr;

  // Turns an instruction that InstrEmitter made (a COPY, say) into the target's, in place; false when it is to stay.
  bool (*expand_post_ra_pseudo)(MachineInstr& instr) = nullptr;

  // Inserts what computes `operation` before `before` (null: at the end). The last instruction, which defines the
  // result; null when the target has no such sub-register.
  MachineInstr* (*insert_sub_register)(MachineBasicBlock& block, MachineInstr* before,
                                       const SubRegOperation& operation) = nullptr;

  // The class of registers for values of a type that is legal; divergent values may need another one than uniform ones.
  std::optional<RegClassId> (*reg_class_for)(MVT type, bool is_divergent) = nullptr;
  // Whether registers of the class should be used where they are rather than copied.
  bool (*is_expensive_to_copy)(RegClassId reg_class) = nullptr;
  // Physical registers that instructions of an opcode define and use beyond their operands.
  absl::Span<const Register> (*implicit_defs)(Opcode opcode) = nullptr;
  absl::Span<const Register> (*implicit_uses)(Opcode opcode) = nullptr;
  // Whether an instruction may go when nothing uses its results.
  bool (*is_deletable_if_unused)(const MachineInstr& instr) = nullptr;
};

// PTX's (ptx_emit_hooks.cc).
const EmitTargetHooks& PtxEmitHooks();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_EMIT_TARGET_HOOKS_H_

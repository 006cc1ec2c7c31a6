// SPDX-License-Identifier: Apache-2.0

// EmitTargetHooks: the questions that InstrEmitter asks a target, as a table of functions.
//
// cicc dispatches three of them through its vtable after every instruction: the custom inserter (slot 0xB8), the
// expansion of pseudo instructions that no later pass lowers (expandPostRAPseudo, 0x348), and the insertion of
// sub-registers (0x160). A null function means that the target has nothing of the kind; cicc has three adjacent
// stubs for this case.

#ifndef PTXMIR_SDAG_EMIT_EMIT_TARGET_HOOKS_H_
#define PTXMIR_SDAG_EMIT_EMIT_TARGET_HOOKS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

// EXTRACT_SUBREG, INSERT_SUBREG, SUBREG_TO_REG or REG_SEQUENCE, with its operands in registers. Machine operands
// have no sub-register index, so each of them becomes instructions that take registers apart or put them together.
struct SubRegOperation {
  struct Part {
    Register reg;
    uint32_t index;      // the sub-register, as the target numbers them
    uint16_t reg_flags;  // kKill if this is the last use
  };

  Opcode opcode;  // one of generic::
  Register result;
  Register whole;                // the whole register, for EXTRACT_SUBREG and INSERT_SUBREG
  absl::Span<const Part> parts;  // for EXTRACT_SUBREG a single part, of which only the index counts
  MetadataId debug_loc;
};

struct EmitTargetHooks {
  // Returns true if the instruction goes through custom_inserter.
  bool (*needs_custom_inserter)(const MachineInstr& instr, const ptx::Subtarget* subtarget) = nullptr;
  // Replaces an instruction with others of its block, or changes it. Called in order for the instructions of the DAG,
  // after all of them have been emitted: by then glued instructions are adjacent, and dead ones are gone. Operations
  // that need control flow become blocks before selection (sdag/expand).
  void (*custom_inserter)(MachineInstr& instr, const ptx::Subtarget* subtarget) = nullptr;

  // Turns an instruction that InstrEmitter made (a COPY, say) into one of the target, in place. Returns false if
  // the instruction is to stay.
  bool (*expand_post_ra_pseudo)(MachineInstr& instr) = nullptr;

  // Inserts the instructions that compute `operation` before `before` (null: at the end). Returns the last one,
  // which defines the result, or null if the target has no such sub-register.
  MachineInstr* (*insert_sub_register)(MachineBasicBlock& block, MachineInstr* before,
                                       const SubRegOperation& operation) = nullptr;

  // Returns the register class for values of a legal type. Divergent values may need another class than uniform
  // ones.
  std::optional<RegClassId> (*reg_class_for)(MVT type, bool is_divergent) = nullptr;
  // Returns true if registers of the class should be used in place rather than copied.
  bool (*is_expensive_to_copy)(RegClassId reg_class) = nullptr;
  // Return the physical registers that instructions of an opcode define or use in addition to their operands.
  absl::Span<const Register> (*implicit_defs)(Opcode opcode) = nullptr;
  absl::Span<const Register> (*implicit_uses)(Opcode opcode) = nullptr;
  // Returns true if an instruction may be deleted when its results are unused.
  bool (*is_deletable_if_unused)(const MachineInstr& instr) = nullptr;
};

// The hooks of PTX (ptx_emit_hooks.cc).
const EmitTargetHooks& PtxEmitHooks();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_EMIT_TARGET_HOOKS_H_

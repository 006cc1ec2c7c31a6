// SPDX-License-Identifier: Apache-2.0

// Opcodes that compute the same from other kinds of operands: ADD32rr and ADD32ri.
//
// A pass that learns that an operand is a constant, or that combines two instructions into one, finds here the opcode
// for what it has. It names the computation (SemanticTag) instead of opcodes.

#ifndef PTXMIR_PTX_TARGET_OPCODE_FORMS_H_
#define PTXMIR_PTX_TARGET_OPCODE_FORMS_H_

#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "mir/code/instr_desc.h"
#include "ptx/isa/isa_enums.h"

namespace ptxmir::ptx {

// Returns the opcodes with this computation, in ascending order.
absl::Span<const Opcode> OpcodesWith(SemanticTag semantics);

// Returns the opcode that differs from `opcode` only in that it takes operand `operand` as an immediate, or nullopt if
// there is none. The two need the same GPU and PTX version.
std::optional<Opcode> FormWithImmediate(Opcode opcode, unsigned operand);

// Returns the opcode that differs from `opcode` only in that it takes operand `operand` from a register, or nullopt if
// there is none.
std::optional<Opcode> FormWithRegister(Opcode opcode, unsigned operand);

// Returns the opcode with this computation whose first operands after the definitions are of these kinds: 'r' for a
// register, 'i' for an immediate. Returns nullopt if there is none. Any operands may follow.
std::optional<Opcode> FindForm(SemanticTag semantics, std::string_view kinds);

// Returns the opcode that differs from `opcode`, which takes a generic address, only in that it takes an address in
// `space`: atom.global.add.u32 for atom.add.u32. Returns nullopt if there is none, or if the space of `opcode` is an
// operand or is not generic. The new opcode may need a newer GPU or PTX version.
std::optional<Opcode> FormInSpace(Opcode opcode, MemorySpace space);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_OPCODE_FORMS_H_

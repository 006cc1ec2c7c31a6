// SPDX-License-Identifier: Apache-2.0

// The forms of plain loads and stores: how many values they access, and whether they go through the read-only cache.

#ifndef PTXMIR_PASSES_MEMORY_VECTOR_FORMS_H_
#define PTXMIR_PASSES_MEMORY_VECTOR_FORMS_H_

#include <cstdint>
#include <optional>

#include "mir/code/instr_desc.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {

enum class AccessKind : uint8_t { kLoad, kReadOnlyLoad, kStore };

struct AccessForm {
  AccessKind kind;
  uint16_t register_bits;  // of each value
  uint8_t num_values;      // 1, 2, 4 or 8
};

// Returns the form of a plain load or store, or nullopt for other opcodes.
std::optional<AccessForm> AccessFormOf(Opcode opcode);

// Returns the opcode of a form, or nullopt if there is none.
std::optional<Opcode> OpcodeOf(const AccessForm& form);
// Likewise, if the subtarget has it. If that is not known (null), forms that only newer GPUs have are not found.
std::optional<Opcode> SupportedOpcodeOf(const AccessForm& form, const ptx::Subtarget* subtarget);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MEMORY_VECTOR_FORMS_H_

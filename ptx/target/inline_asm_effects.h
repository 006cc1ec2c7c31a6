// SPDX-License-Identifier: Apache-2.0

// The effects of inline assembly that its operands do not show. LLVM has no opcodes for some instructions
// (wgmma.mma_async), so programs write them as inline assembly, and their text is all that tells what they do.

#ifndef PTXMIR_PTX_TARGET_INLINE_ASM_EFFECTS_H_
#define PTXMIR_PTX_TARGET_INLINE_ASM_EFFECTS_H_

#include <cstdint>
#include <string_view>

namespace ptxmir::ptx {

// Returns true if a statement of the assembly goes on reading or writing its registers after it has been issued, until
// something waits for it. `text` is the first operand of INLINEASM. Comments, labels and guards are skipped.
bool AccessesRegistersAfterIssue(std::string_view text);

// Returns true if the assembly has an address, which PTX writes in brackets.
bool HasAddress(std::string_view text);

enum class CarryUse : uint8_t {
  kNone,
  kWrites,  // the carry that the assembly finds does not matter to it
  kReads,
};

// Returns how the assembly uses the carry flag, which other instructions may use, too.
CarryUse CarryUseOf(std::string_view text);

// Returns true if a statement of the assembly has a label, which a copy of the assembly may define again.
bool HasLabel(std::string_view text);

// Returns the operand of the last setmaxnreg in the assembly, "40" or "$0", or an empty text if there is none.
std::string_view SetmaxnregOperand(std::string_view text);

// Returns the number of instructions in the assembly. Declarations do not count.
unsigned CountInstructions(std::string_view text);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_INLINE_ASM_EFFECTS_H_

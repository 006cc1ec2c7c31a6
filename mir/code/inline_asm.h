// SPDX-License-Identifier: Apache-2.0

// The layout of the operands of INLINEASM.
//
// Operand 0 is the text; operand 1 is a mask of properties. Groups follow. Each group begins with a flag word that
// gives its kind and the number of operands that follow. After the last group there may be a metadata operand
// (!srcloc) and implicit registers.

#ifndef PTXMIR_MIR_CODE_INLINE_ASM_H_
#define PTXMIR_MIR_CODE_INLINE_ASM_H_

#include <cstdint>
#include <string_view>

#include "mir/code/machine_function.h"

namespace ptxmir {

inline constexpr unsigned kInlineAsmFirstGroup = 2;

// Returns the text of an INLINEASM whose operand 0 is a symbol.
inline std::string_view InlineAsmText(const MachineInstr& instr) {
  return instr.function().symbol(instr.operand(0).symbol());
}

// The bits of operand 1.
struct InlineAsmProperty {
  enum : uint32_t {
    kSideEffects = 1,
    kAlignStack = 2,
    kIntelDialect = 4,
    kMayLoad = 8,
    kMayStore = 16,
    kConvergent = 32,
    kMayUnwind = 64,
  };
};

// Returns true if an INLINEASM has one of the properties.
inline bool InlineAsmHas(const MachineInstr& instr, uint32_t properties) {
  const MachineOperand& mask = instr.operand(1);
  return !mask.is_imm() || (mask.imm() & properties) != 0;
}

// A decoded flag word.
class InlineAsmGroup {
 public:
  enum class Kind : uint8_t {
    kNone = 0,
    kUse = 1,
    kDef = 2,
    kEarlyClobberDef = 3,
    kClobber = 4,
    kImmediate = 5,
    kMemory = 6,
    kFunction = 7,
  };

  explicit InlineAsmGroup(int64_t word) : word_(static_cast<uint32_t>(word)) {}
  Kind kind() const { return static_cast<Kind>(word_ & 7); }
  bool is_def() const { return kind() == Kind::kDef || kind() == Kind::kEarlyClobberDef; }
  unsigned num_operands() const { return (word_ >> 3) & 0x1fff; }
  bool is_tied() const { return (word_ >> 31) != 0; }
  // Returns the number of the definition group that a use is tied to.
  unsigned tied_group() const { return data(); }
  // Returns the register class number plus 1 (0: none), or the code of a memory constraint.
  unsigned data() const { return (word_ >> 16) & 0x3fff; }
  bool may_be_folded() const { return ((word_ >> 30) & 1) != 0; }
  bool is_register() const { return kind() == Kind::kUse || is_def(); }

 private:
  uint32_t word_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_INLINE_ASM_H_

// SPDX-License-Identifier: Apache-2.0

// Static descriptions of opcodes, register classes and physical registers, and TargetInfo, which bundles the
// tables that describe a target to `mir`.
//
// `mir` knows no target opcode by name. The reader, the writer and the verifier work from these tables. A target
// (ptx/isa) provides them as constant data. Only the few target-independent opcodes that have a meaning in machine
// code itself (PHI, COPY, INLINEASM ...) are named here. Every target's table begins with them, in this order.
//
// All strings are offsets into one character array. The tables contain no pointers, so they need no relocation at
// startup and can be shared between processes.

#ifndef PTXMIR_MIR_CODE_INSTR_DESC_H_
#define PTXMIR_MIR_CODE_INSTR_DESC_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"

namespace ptxmir {

using Opcode = uint16_t;
using RegClassId = uint8_t;

inline constexpr RegClassId kNoRegClass = 0xff;

// The target-independent opcodes, with LLVM's numbers. They are the first rows of every target's table.
namespace generic {
enum : Opcode {
  kPhi = 0,
  kInlineAsm = 1,
  kInlineAsmBr = 2,
  kCfiInstruction = 3,
  kEhLabel = 4,
  kGcLabel = 5,
  kAnnotationLabel = 6,
  kKill = 7,
  kExtractSubreg = 8,
  kInsertSubreg = 9,
  kImplicitDef = 10,
  kInitUndef = 11,
  kSubregToReg = 12,
  kCopyToRegclass = 13,
  kDbgValue = 14,
  kDbgValueList = 15,
  kDbgInstrRef = 16,
  kDbgPhi = 17,
  kDbgLabel = 18,
  kRegSequence = 19,
  kCopy = 20,
  kCopyLanemask = 21,
  kBundle = 22,
  kLifetimeStart = 23,
  kLifetimeEnd = 24,
  kPseudoProbe = 25,
  kArithFence = 26,
};
}  // namespace generic

// The bits of InstrDesc::flags, named after LLVM's MCID flags.
struct InstrFlag {
  enum : uint32_t {
    kReturn = 1u << 0,
    kBranch = 1u << 1,
    kIndirectBranch = 1u << 2,
    kBarrier = 1u << 3,  // control does not fall through; not a thread barrier
    kTerminator = 1u << 4,
    kCall = 1u << 5,
    kConvergent = 1u << 6,
    kNotDuplicable = 1u << 7,
    kMayLoad = 1u << 8,
    kMayStore = 1u << 9,
    kSideEffects = 1u << 10,  // unmodeled side effects
    kMoveImmediate = 1u << 11,
    kMoveRegister = 1u << 12,
    kCheapAsMove = 1u << 13,
    kRematerializable = 1u << 14,
    kCommutable = 1u << 15,  // the first two register sources may be swapped
    kVariadic = 1u << 16,
    kPseudo = 1u << 17,
    kMeta = 1u << 18,     // emits no machine code (DBG_VALUE, IMPLICIT_DEF, KILL ...)
    kPreIsel = 1u << 19,  // GlobalISel's G_* opcodes
  };
};

// The kind of value that an operand may hold. kUnknown: LLVM declares no type (addresses, modifiers, labels,
// symbols).
enum class OperandType : uint8_t { kUnknown, kRegister, kImmediate };

struct OperandDesc {
  OperandType type;
  RegClassId reg_class;  // kNoRegClass unless type is kRegister and the class is fixed
  uint8_t role;          // the target's own role (ptx/isa: base, offset, scope ...); 0: none
  int8_t tied_to;        // number of the definition whose register the use must share, or -1
};

struct InstrDesc {
  uint32_t name;           // offset into TargetInfo::strings; the name that LLVM's MIR uses
  uint32_t stable_name;    // likewise; differs from `name` only where LLVM's name is anonymous_N
  uint32_t flags;          // InstrFlag
  uint32_t first_operand;  // index into TargetInfo::operands
  uint16_t num_operands;   // fixed operands, definitions first
  uint16_t num_defs;
  uint16_t scheduling_class;  // row in the target's latency table
  uint16_t limited_operands;  // bit i: some GPUs have the instruction but not all values of operand i

  bool Has(uint32_t flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(InstrDesc) == 24);

struct RegClassDesc {
  std::string_view name;    // as MIR spells it: "b32"
  uint16_t bits;            // width of one register
  uint16_t pressure_units;  // cost of one value in ptxas's 32-bit registers; 0 for predicates
  bool allocatable;
  uint64_t member_mask[2];  // member physical registers; bit number = physical register number
};

struct PhysRegDesc {
  std::string_view name;  // as MIR spells it, without the '$': "vrframe64"
};

// All that `mir` knows about a target. Immutable; one constant object per target.
struct TargetInfo {
  absl::Span<const InstrDesc> instrs;
  absl::Span<const OperandDesc> operand_descs;
  const char* strings = nullptr;  // zero-terminated strings, at the offsets in the tables
  absl::Span<const RegClassDesc> reg_classes;
  absl::Span<const PhysRegDesc> phys_regs;  // index 0 is "noreg"

  // Returns the opcode with this name, in either spelling, or nullopt if there is none. O(1).
  std::optional<Opcode> (*find_opcode)(std::string_view name) = nullptr;

  // Returns true if a virtual register of class `actual` may be used where an operand requires class `wanted`.
  bool (*is_compatible_class)(RegClassId actual, RegClassId wanted) = nullptr;

  const InstrDesc& Get(Opcode opcode) const { return instrs[opcode]; }
  std::string_view Name(Opcode opcode) const { return strings + instrs[opcode].name; }
  std::string_view StableName(Opcode opcode) const { return strings + instrs[opcode].stable_name; }
  absl::Span<const OperandDesc> Operands(Opcode opcode) const {
    const InstrDesc& desc = instrs[opcode];
    return operand_descs.subspan(desc.first_operand, desc.num_operands);
  }
  // Returns true if the physical register is a member of the class.
  bool IsMember(uint32_t phys_reg, RegClassId reg_class) const {
    return phys_reg < 128 && ((reg_classes[reg_class].member_mask[phys_reg / 64] >> (phys_reg % 64)) & 1) != 0;
  }
  std::optional<RegClassId> FindRegClass(std::string_view name) const {
    for (size_t i = 0; i < reg_classes.size(); ++i) {
      if (reg_classes[i].name == name) return static_cast<RegClassId>(i);
    }
    return std::nullopt;
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_INSTR_DESC_H_

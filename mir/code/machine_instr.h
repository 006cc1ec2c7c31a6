// SPDX-License-Identifier: Apache-2.0

// MachineInstr: a 32-byte header that is directly followed by its operands, in the arena of its function.
//
// The instructions of a block form a list that is linked by arena ids. mi.parent() and mi.function() need no
// arguments: the header holds the block's number, and the arena chunk knows the function (see function_arena.h).
//
// An instruction is created with its operands (MachineFunction::CreateInstr or BuildMI). If a later AddOperand
// exceeds its capacity, the instruction moves; AddOperand returns its new address.

#ifndef PTXMIR_MIR_CODE_MACHINE_INSTR_H_
#define PTXMIR_MIR_CODE_MACHINE_INSTR_H_

#include <cassert>
#include <cstdint>

#include "absl/types/span.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_mem_operand.h"
#include "mir/code/machine_operand.h"

namespace ptxmir {

class MachineBasicBlock;

// The parts that few instructions have, except for a single memory operand.
struct InstrExtra {
  static constexpr uint32_t kNone = ~uint32_t{0};
  absl::Span<const MachineMemOperand* const> memoperands;
  SymbolId pre_instr_symbol = kNone;
  SymbolId post_instr_symbol = kNone;
  MetadataId heap_alloc_marker = kNone;
  MetadataId pcsections = kNone;
  MetadataId mmra = kNone;
  uint32_t cfi_type = 0;
  uint32_t debug_instr_number = 0;
};

class MachineInstr {
 public:
  // LLVM's MIFlags, in the order in which MIR prints them.
  enum Flag : uint32_t {
    kFrameSetup = 1u << 0,
    kFrameDestroy = 1u << 1,
    kFmNoNans = 1u << 2,
    kFmNoInfs = 1u << 3,
    kFmNsz = 1u << 4,
    kFmArcp = 1u << 5,
    kFmContract = 1u << 6,
    kFmAfn = 1u << 7,
    kFmReassoc = 1u << 8,
    kNoUWrap = 1u << 9,
    kNoSWrap = 1u << 10,
    kIsExact = 1u << 11,
    kNoFPExcept = 1u << 12,
    kNoMerge = 1u << 13,
    kUnpredictable = 1u << 14,
    kNoConvergent = 1u << 15,
    kNonNeg = 1u << 16,
    kDisjoint = 1u << 17,
    kSameSign = 1u << 18,
    kNoUSWrap = 1u << 19,
    kInBounds = 1u << 20,
    kLrSplit = 1u << 21,
    // Not printed as MIR flags: membership in a bundle ("{ ... }").
    kBundledPred = 1u << 22,
    kBundledSucc = 1u << 23,
  };

  static constexpr MetadataId kNoDebugLoc = ~uint32_t{0};

  Opcode opcode() const { return opcode_; }
  // Replaces the opcode. The operands must suit the new one.
  void set_opcode(Opcode opcode);
  uint32_t flags() const { return flags_; }
  bool has_flag(Flag flag) const { return (flags_ & flag) != 0; }
  void set_flags(uint32_t flags) { flags_ = flags & 0xffffff; }
  void set_flag(Flag flag, bool value) { flags_ = value ? flags_ | flag : flags_ & ~flag; }

  unsigned num_operands() const { return num_operands_; }
  MachineOperand& operand(unsigned i) {
    assert(i < num_operands_ && "there is no such operand");
    return operand_array()[i];
  }
  const MachineOperand& operand(unsigned i) const {
    assert(i < num_operands_ && "there is no such operand");
    return operand_array()[i];
  }
  absl::Span<MachineOperand> operands() { return {operand_array(), num_operands_}; }
  absl::Span<const MachineOperand> operands() const { return {operand_array(), num_operands_}; }

  // Returns the number of leading explicit register definitions.
  unsigned num_explicit_defs() const {
    unsigned n = 0;
    while (n < num_operands_ && operand(n).is_def() && !operand(n).is_implicit()) ++n;
    return n;
  }
  absl::Span<MachineOperand> explicit_defs() { return operands().first(num_explicit_defs()); }
  absl::Span<const MachineOperand> explicit_defs() const { return operands().first(num_explicit_defs()); }

  MachineFunction& function() const { return *FunctionArena::OwnerOf(this); }
  // Returns the block that contains the instruction, or null if it is in none.
  MachineBasicBlock* parent() const;
  bool is_linked() const { return block_ != kNoBlock; }
  const InstrDesc& desc() const;

  MachineInstr* next() const;      // null at the end of the block
  MachineInstr* previous() const;  // null at the beginning of the block
  ArenaId id() const { return FunctionArena::IdOf(this); }

  // Returns the metadata id of the location, or kNoDebugLoc.
  MetadataId debug_loc() const { return debug_loc_; }
  void set_debug_loc(MetadataId loc) { debug_loc_ = loc; }

  absl::Span<const MachineMemOperand* const> memoperands() const;
  void SetMemOperands(absl::Span<const MachineMemOperand* const> memoperands);
  // Returns null if the instruction has no more than one memory operand and none of the other rare parts.
  const InstrExtra* extra() const;
  void SetExtra(const InstrExtra& extra);

  // Operand lists. AddOperand appends an operand, even if it is a definition, and returns the address of the
  // instruction, which may have moved.
  MachineInstr* AddOperand(const MachineOperand& operand);
  void RemoveOperand(unsigned i);
  // Requires use `use` to have the same register as definition `def`.
  void TieOperands(unsigned def, unsigned use);
  void UntieOperand(unsigned i);
  // Returns the number of the operand that operand `i` is tied to. Precondition: operand(i).is_tied().
  unsigned FindTiedOperand(unsigned i) const;

  // Removes the instruction from its block. The instruction and its operands stay valid.
  void RemoveFromParent();
  // Removes the instruction from its block and frees it.
  void EraseFromParent();

  bool is_phi() const { return opcode_ == generic::kPhi; }
  bool is_copy() const { return opcode_ == generic::kCopy; }
  bool is_inline_asm() const { return opcode_ == generic::kInlineAsm || opcode_ == generic::kInlineAsmBr; }
  bool is_implicit_def() const { return opcode_ == generic::kImplicitDef; }
  bool is_kill() const { return opcode_ == generic::kKill; }
  bool is_debug() const { return opcode_ >= generic::kDbgValue && opcode_ <= generic::kDbgLabel; }
  bool is_terminator() const { return desc().Has(InstrFlag::kTerminator); }
  bool is_branch() const { return desc().Has(InstrFlag::kBranch); }
  bool is_barrier() const { return desc().Has(InstrFlag::kBarrier); }
  bool is_return() const { return desc().Has(InstrFlag::kReturn); }
  bool is_call() const { return desc().Has(InstrFlag::kCall); }
  bool is_meta() const { return desc().Has(InstrFlag::kMeta); }

 private:
  friend class MachineFunction;
  friend class MachineBasicBlock;
  friend class MachineOperand;

  static constexpr uint32_t kNoBlock = ~uint32_t{0};
  // A tag in extra_: the id is that of a single MachineMemOperand, not of an InstrExtra.
  static constexpr uint32_t kSingleMemOperand = 1u << 31;

  MachineInstr() = default;
  MachineOperand* operand_array() const {
    return reinterpret_cast<MachineOperand*>(const_cast<MachineInstr*>(this) + 1);
  }

  uint32_t flags_ : 24 = 0;
  uint32_t slack_ : 8 = 0;  // number of operands for which there is still room after the last
  Opcode opcode_ = 0;
  uint16_t unused_ = 0;
  uint32_t num_operands_ = 0;
  ArenaId previous_ = 0;
  ArenaId next_ = 0;
  uint32_t block_ = kNoBlock;
  MetadataId debug_loc_ = kNoDebugLoc;
  uint32_t extra_ = 0;
};
static_assert(sizeof(MachineInstr) == 32);

inline MachineInstr* MachineOperand::parent() const {
  const MachineOperand* operand = this;
  while (operand->back_ == kMaxBack) operand -= kMaxBack - 1;
  operand -= operand->back_ - 1;
  return const_cast<MachineInstr*>(reinterpret_cast<const MachineInstr*>(operand) - 1);
}

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MACHINE_INSTR_H_

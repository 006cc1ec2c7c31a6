// SPDX-License-Identifier: Apache-2.0

// MachineOperand: one operand of a machine instruction, in 16 bytes.
//
// A register operand of an instruction is linked into the use list of its register. The two links (arena ids) are
// in the operand itself. An operand finds its instruction without a pointer: it holds its own index, and the
// instruction's header precedes operand 0. The index saturates at 254; such an operand steps back 254 operands and
// repeats the lookup there.
//
// An operand made by one of the factories is detached. It becomes part of a function when
// MachineFunction::CreateInstr copies it into a new instruction.

#ifndef PTXMIR_MIR_CODE_MACHINE_OPERAND_H_
#define PTXMIR_MIR_CODE_MACHINE_OPERAND_H_

#include <bit>
#include <cstdint>

#include "ir/ids.h"
#include "mir/code/function_arena.h"
#include "mir/code/register.h"

namespace ptxmir {

class MachineInstr;
class MachineRegisterInfo;

// Ids of entities of a function. Each indexes a dense table. ir/ids.h has those of a module.
using BlockNumber = uint32_t;
using SymbolId = uint32_t;  // MachineFunction::symbol(id): an interned string

class MachineOperand {
 public:
  enum class Kind : uint8_t {
    kRegister,
    kImmediate,          // 64-bit, signed
    kFPImmediate,        // half, bfloat, float or double
    kWideImmediate,      // iN of any width, or x86_fp80/fp128/ppc_fp128; kept as text (symbol)
    kBlock,              // %bb.N
    kFrameIndex,         // %stack.N; fixed objects are negative
    kConstantPoolIndex,  // %const.N, with offset
    kJumpTableIndex,     // %jump-table.N
    kGlobal,             // @name, with offset
    kExternalSymbol,     // &name, with offset
    kMetadata,           // !N or inline metadata
    kMCSymbol,           // <mcsymbol name>
    kTargetIndex,        // target-index(name), with offset: kept as text
    kBlockAddress,       // blockaddress(@f, %ir-block.b), with offset: kept as text
    kRegisterMask,       // CustomRegMask(...), or a named mask: kept as text
    kRegisterLiveOut,    // liveout(...): kept as text
    kCfiInstruction,     // kept as text
    kIntrinsic,          // intrinsic(@llvm...): kept as text
    kPredicate,          // intpred(...), floatpred(...): kept as text
    kShuffleMask,        // shufflemask(...): kept as text
    kDbgInstrRef,        // dbg-instr-ref(instruction, operand)
    kLaneMask,           // lanemask(0x...)
  };
  static constexpr int kNumKinds = static_cast<int>(Kind::kLaneMask) + 1;

  enum class FPWidth : uint8_t { kHalf, kBFloat, kFloat, kDouble };

  // Flags of a register operand.
  enum RegFlag : uint16_t {
    kDefine = 1 << 0,
    kImplicit = 1 << 1,
    kKill = 1 << 2,  // only on uses
    kDead = 1 << 3,  // only on definitions
    kUndef = 1 << 4,
    kEarlyClobber = 1 << 5,
    kInternalRead = 1 << 6,
    kRenamable = 1 << 7,
    kDebug = 1 << 8,  // only on uses in debug instructions, which set it themselves
  };

  MachineOperand() : MachineOperand(Kind::kImmediate) {}

  static MachineOperand CreateReg(Register reg, uint16_t flags = 0) {
    MachineOperand op(Kind::kRegister);
    op.word_ = reg.bits();
    op.flags_ = flags;
    return op;
  }
  static MachineOperand CreateImm(int64_t value) {
    MachineOperand op(Kind::kImmediate);
    op.set_payload(value);
    return op;
  }
  // `bits` is the value in its own width: 16 bits for half and bfloat, 32 for float, 64 for double.
  static MachineOperand CreateFPImm(FPWidth width, uint64_t bits) {
    MachineOperand op(Kind::kFPImmediate);
    op.word_ = static_cast<uint32_t>(width);
    op.set_payload(static_cast<int64_t>(bits));
    return op;
  }
  static MachineOperand CreateBlock(BlockNumber block) { return WithId(Kind::kBlock, block, 0); }
  static MachineOperand CreateFrameIndex(int index) {
    return WithId(Kind::kFrameIndex, static_cast<uint32_t>(index), 0);
  }
  static MachineOperand CreateJumpTableIndex(uint32_t index) { return WithId(Kind::kJumpTableIndex, index, 0); }
  static MachineOperand CreateConstantPoolIndex(uint32_t index, int64_t offset) {
    return WithId(Kind::kConstantPoolIndex, index, offset);
  }
  static MachineOperand CreateGlobal(GlobalId global, int64_t offset = 0) {
    return WithId(Kind::kGlobal, global, offset);
  }
  static MachineOperand CreateExternalSymbol(SymbolId symbol, int64_t offset = 0) {
    return WithId(Kind::kExternalSymbol, symbol, offset);
  }
  static MachineOperand CreateMetadata(MetadataId metadata) { return WithId(Kind::kMetadata, metadata, 0); }
  static MachineOperand CreateDbgInstrRef(uint32_t instr, uint32_t operand) {
    return WithId(Kind::kDbgInstrRef, instr, operand);
  }
  static MachineOperand CreateLaneMask(uint64_t mask) { return WithId(Kind::kLaneMask, 0, static_cast<int64_t>(mask)); }
  // Creates an operand of one of the kinds that are kept as text.
  static MachineOperand CreateText(Kind kind, SymbolId text, int64_t offset = 0) { return WithId(kind, text, offset); }

  Kind kind() const { return static_cast<Kind>(kind_); }
  bool is_reg() const { return kind() == Kind::kRegister; }
  bool is_imm() const { return kind() == Kind::kImmediate; }
  bool is_fp_imm() const { return kind() == Kind::kFPImmediate; }
  bool is_block() const { return kind() == Kind::kBlock; }
  bool is_frame_index() const { return kind() == Kind::kFrameIndex; }
  bool is_global() const { return kind() == Kind::kGlobal; }
  bool is_symbol() const { return kind() == Kind::kExternalSymbol; }
  bool is_metadata() const { return kind() == Kind::kMetadata; }

  // Register operands.
  Register reg() const { return Register::FromBits(word_); }
  uint16_t reg_flags() const { return flags_; }
  bool is_def() const { return is_reg() && (flags_ & kDefine); }
  bool is_use() const { return is_reg() && !(flags_ & kDefine); }
  bool is_implicit() const { return flags_ & kImplicit; }
  bool is_kill() const { return flags_ & kKill; }
  bool is_dead() const { return flags_ & kDead; }
  bool is_undef() const { return flags_ & kUndef; }
  bool is_early_clobber() const { return flags_ & kEarlyClobber; }
  bool is_internal_read() const { return flags_ & kInternalRead; }
  bool is_renamable() const { return flags_ & kRenamable; }
  bool is_debug() const { return flags_ & kDebug; }
  // Returns true if the instruction reads the value of the register.
  bool reads_reg() const { return is_use() && !is_undef(); }
  bool is_tied() const { return tied_ != 0; }

  // Sets or clears a flag. Not for kDefine, which decides the operand's place in the use list.
  void set_reg_flag(RegFlag flag, bool value) {
    flags_ = static_cast<uint16_t>(value ? flags_ | flag : flags_ & ~flag);
  }

  // Changes the register and moves the operand to the new register's use list.
  void SetReg(Register reg);

  int64_t imm() const { return payload(); }
  void set_imm(int64_t value) { set_payload(value); }
  FPWidth fp_width() const { return static_cast<FPWidth>(word_); }
  uint64_t fp_bits() const { return static_cast<uint64_t>(payload()); }
  BlockNumber block() const { return word_; }
  void set_block(BlockNumber block) { word_ = block; }
  int frame_index() const { return static_cast<int>(word_); }
  // of a constant pool entry, a jump table, or the instruction of a dbg-instr-ref
  uint32_t index() const { return word_; }
  GlobalId global() const { return word_; }
  SymbolId symbol() const { return word_; }
  MetadataId metadata() const { return word_; }
  // The offset of a global, symbol, constant pool entry or the like.
  int64_t offset() const { return payload(); }
  void set_offset(int64_t offset) { set_payload(offset); }

  // Replaces the operand in place by one of any kind. Registers are unlinked from and linked into use lists as
  // needed. Ties are dropped.
  void ChangeTo(const MachineOperand& other);

  // Returns true if both operands have the same kind and value and, for registers, the same definition bit. Ties
  // and flags such as `killed` are not compared.
  bool IsIdenticalTo(const MachineOperand& other) const;

  // Returns the instruction that contains the operand. The operand must not be detached.
  MachineInstr* parent() const;
  unsigned operand_number() const;
  bool is_detached() const { return back_ == 0; }

 private:
  friend class MachineFunction;
  friend class MachineInstr;
  friend class MachineRegisterInfo;

  static constexpr unsigned kMaxBack = 255;
  static constexpr unsigned kFarTie = 31;

  explicit MachineOperand(Kind kind)
      : kind_(static_cast<uint32_t>(kind)), flags_(0), tied_(0), back_(0), word_(0), links_{0, 0} {}
  static MachineOperand WithId(Kind kind, uint32_t id, int64_t payload) {
    MachineOperand op(kind);
    op.word_ = id;
    op.set_payload(payload);
    return op;
  }

  int64_t payload() const { return std::bit_cast<int64_t>(links_); }
  void set_payload(int64_t value) { links_ = std::bit_cast<Links>(value); }

  struct Links {
    ArenaId previous;  // in the first operand: the last one of the list
    ArenaId next;      // 0 at the end
  };

  uint32_t kind_ : 5;
  uint32_t flags_ : 14;  // RegFlag
  uint32_t tied_ : 5;    // 0, or 1 + the partner's operand number; kFarTie: see the function's far_ties_
  uint32_t back_ : 8;    // 0: detached; else min(operand number + 1, kMaxBack)
  uint32_t word_;        // register, id, index or width, depending on the kind
  Links links_;          // registers: use list; other kinds: 64-bit payload
};
static_assert(sizeof(MachineOperand) == 16);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MACHINE_OPERAND_H_

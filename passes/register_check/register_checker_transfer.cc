// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_transfer.h"

#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using TransferKind = RegisterTransfer::Kind;
using ptx::InstrInfo;
using ptx::Property;
using ptx::PtxInstrInfo;

// The value of a comparison's `cmp` operand for "not equal".
constexpr int64_t kCompareNotEqual = 1;

bool IsRegister(const MachineInstr& instr, unsigned i) {
  return i < instr.num_operands() && instr.operand(i).is_reg() && instr.operand(i).reg().is_virtual();
}
bool IsImmediate(const MachineInstr& instr, unsigned i, int64_t value) {
  return i < instr.num_operands() && instr.operand(i).is_imm() && instr.operand(i).imm() == value;
}

// Recognizes a plain access (not volatile, not ordered) to a spill slot at a constant offset.
bool ClassifySlotAccess(const MachineInstr& instr, const PtxInstrInfo& info, int first_new_object,
                        RegisterTransfer& transfer) {
  if (info.address == PtxInstrInfo::kNoOperand || info.second_address != PtxInstrInfo::kNoOperand ||
      info.first_value == PtxInstrInfo::kNoOperand || info.address + 1u >= instr.num_operands()) {
    return false;
  }
  if (info.Has(Property::kAtomic | Property::kSide | Property::kVolatile | Property::kAsync | Property::kReadonly) ||
      info.reads_memory() == info.writes_memory()) {
    return false;
  }
  const MachineOperand& base = instr.operand(info.address);
  const MachineOperand& offset = instr.operand(info.address + 1);
  if (!base.is_frame_index() || base.frame_index() < first_new_object || !offset.is_imm()) return false;
  if (info.ordering != PtxInstrInfo::kNoOperand && !IsImmediate(instr, info.ordering, 0)) return false;
  int64_t bits = info.access_bits;
  if (bits == 0) {
    if (info.width == PtxInstrInfo::kNoOperand || !instr.operand(info.width).is_imm()) return false;
    bits = instr.operand(info.width).imm();
  }
  if (bits <= 0 || bits % 8 != 0 || bits > 128) return false;
  transfer.kind = info.reads_memory() ? TransferKind::kReload : TransferKind::kSpill;
  transfer.first_value = info.first_value;
  transfer.num_values = info.num_values;
  transfer.frame_index = base.frame_index();
  transfer.offset = offset.imm();
  transfer.size = static_cast<uint32_t>(bits / 8);
  return true;
}

enum class Packing : uint8_t { kNone, kPack, kUnpack, kUnpackHigh };

// Returns how an instruction moves between a register and its parts. kUnpackHigh extracts only the high half.
Packing PackingOf(ptx::SemanticTag semantics) {
  switch (semantics) {
    case ptx::SemanticTag::kPack2B32:
    case ptx::SemanticTag::kPack2B64:
    case ptx::SemanticTag::kPack2B128:
    case ptx::SemanticTag::kPack4B64:
      return Packing::kPack;
    case ptx::SemanticTag::kUnpack2B32:
    case ptx::SemanticTag::kUnpack2B64:
    case ptx::SemanticTag::kUnpack2B128:
    case ptx::SemanticTag::kUnpack4B64:
    case ptx::SemanticTag::kUnpackLB32:
    case ptx::SemanticTag::kUnpackLB64:
      return Packing::kUnpack;
    case ptx::SemanticTag::kUnpackHB32:
    case ptx::SemanticTag::kUnpackHB64:
      return Packing::kUnpackHigh;
    default:
      return Packing::kNone;
  }
}

bool IsIntegerCompare(ptx::SemanticTag semantics) {
  return semantics == ptx::SemanticTag::kSetpI16 || semantics == ptx::SemanticTag::kSetpI32 ||
         semantics == ptx::SemanticTag::kSetpI64;
}

// Recognizes moves between a register and its parts.
bool ClassifyPacking(const MachineInstr& instr, const PtxInstrInfo& info, RegisterTransfer& transfer) {
  const Packing packing = PackingOf(info.semantics);
  if (packing == Packing::kNone) return false;
  const unsigned num_defs = instr.num_explicit_defs();
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    if (!IsRegister(instr, i)) return false;
  }
  if (packing == Packing::kPack) {
    transfer.kind = TransferKind::kPack;
    transfer.source = 1;
    transfer.num_values = instr.num_operands() - 1;
    return num_defs == 1;
  }
  if (num_defs + 1 != instr.num_operands()) return false;
  transfer.kind = TransferKind::kUnpack;
  transfer.source = num_defs;
  transfer.num_values = num_defs;
  transfer.size = ValueBytes(instr.function(), instr.operand(0).reg());
  if (packing == Packing::kUnpackHigh) transfer.offset = transfer.size;
  return true;
}

// Recognizes selp d, 1, 0, p and setp.ne p, a, 0.
bool ClassifyPredicateMove(const MachineInstr& instr, const PtxInstrInfo& info, RegisterTransfer& transfer) {
  if (instr.num_operands() != 4 || !IsRegister(instr, 0)) return false;
  if (info.family == ptx::Family::kSelp) {
    if (!IsImmediate(instr, 1, 1) || !IsImmediate(instr, 2, 0) || !IsRegister(instr, 3)) return false;
    transfer.kind = TransferKind::kBoolToInt;
    transfer.source = 3;
    return true;
  }
  if (IsIntegerCompare(info.semantics)) {
    if (!IsRegister(instr, 1) || !IsImmediate(instr, 2, 0) || !IsImmediate(instr, 3, kCompareNotEqual)) return false;
    transfer.kind = TransferKind::kIntToBool;
    transfer.source = 1;
    return true;
  }
  return false;
}

bool HasEffect(const MachineInstr& instr, const PtxInstrInfo& info) {
  constexpr uint32_t kEffects = Property::kWrite | Property::kSide | Property::kCarryin | Property::kCarryout |
                                Property::kAtomic | Property::kFence | Property::kBarrier | Property::kCollective |
                                Property::kAsync | Property::kControl | Property::kCall;
  return info.Has(kEffects) || instr.is_terminator() || instr.is_inline_asm();
}

}  // namespace

uint32_t ValueBytes(const MachineFunction& function, Register reg) {
  if (!reg.is_virtual()) return 0;
  const RegClassId reg_class = function.reg_info().reg_class(reg);
  return reg_class == kNoRegClass ? 0 : (function.target().reg_classes[reg_class].bits + 7u) / 8;
}

bool IsReproducible(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (instr.is_phi() || instr.is_implicit_def() || HasEffect(instr, info) || info.Has(Property::kVolatile)) {
    return false;
  }
  if (info.is_rematerializable()) return true;
  if (!info.reads_memory()) return false;
  if (info.Has(Property::kReadonly)) return true;
  if (instr.memoperands().empty()) return false;
  for (const MachineMemOperand* memoperand : instr.memoperands()) {
    if (!memoperand->is_load() || memoperand->is_store() || memoperand->is_volatile() || memoperand->is_atomic() ||
        !memoperand->Has(MachineMemOperand::kInvariant)) {
      return false;
    }
  }
  return true;
}

RegisterTransfer ClassifyInserted(const MachineInstr& instr, int first_new_object) {
  RegisterTransfer transfer;
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (instr.is_debug() || instr.is_kill() || instr.opcode() == generic::kLifetimeStart ||
      instr.opcode() == generic::kLifetimeEnd) {
    transfer.kind = TransferKind::kNothing;
  } else if (instr.is_implicit_def()) {
    transfer.kind = TransferKind::kUndefine;
  } else if ((instr.is_copy() || info.is_move()) && instr.num_operands() == 2 && IsRegister(instr, 0) &&
             IsRegister(instr, 1)) {
    transfer.kind = TransferKind::kCopy;
    transfer.source = 1;
  } else if (instr.is_branch() && instr.is_barrier() && instr.num_operands() == 1 && instr.operand(0).is_block()) {
    transfer.kind = TransferKind::kBranch;
  } else if (!ClassifySlotAccess(instr, info, first_new_object, transfer) && !ClassifyPacking(instr, info, transfer) &&
             !ClassifyPredicateMove(instr, info, transfer)) {
    transfer.kind = HasEffect(instr, info) ? TransferKind::kEffect : TransferKind::kCompute;
  }
  return transfer;
}

}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

#include "sdag/atomics/atomic_expansion.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "ir/address_space.h"
#include "mir/code/memory_scope.h"
#include "mir/code/operand_ranges.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::sdag {
namespace {

namespace op = ptx::op;
using address_space::kGeneric;
using address_space::kGlobal;
using address_space::kShared;

enum class Addition : uint8_t { kF64, kF16, kBF16 };

// Operand codes, as in ptx/isa/tables/prelude.isa.
constexpr int64_t kRelaxed = 2, kVolatile = 8;
constexpr int64_t kNotEqual = 1, kIsNan = 13, kRoundToNearest = 5;

struct Atomic {
  Opcode opcode;
  Addition addition;
  int64_t space;
  MemoryScope scope;
};

constexpr Atomic kAtomics[] = {
    {op::INT_PTX_ATOM_ADD_F64_GENr, Addition::kF64, kGeneric, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_F64_GENi, Addition::kF64, kGeneric, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_F64_Gr, Addition::kF64, kGlobal, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_F64_Gi, Addition::kF64, kGlobal, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_F64_Sr, Addition::kF64, kShared, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_F64_Si, Addition::kF64, kShared, MemoryScope::kNone},
    {op::INT_PTX_SATOM_ADD_f64_ctagenr, Addition::kF64, kGeneric, MemoryScope::kCta},
    {op::INT_PTX_SATOM_ADD_f64_ctageni, Addition::kF64, kGeneric, MemoryScope::kCta},
    {op::INT_PTX_SATOM_ADD_f64_sysgenr, Addition::kF64, kGeneric, MemoryScope::kSys},
    {op::INT_PTX_SATOM_ADD_f64_sysgeni, Addition::kF64, kGeneric, MemoryScope::kSys},
    {op::INT_PTX_ATOM_ADD_F16_GENr, Addition::kF16, kGeneric, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_F16_Gr, Addition::kF16, kGlobal, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_F16_Sr, Addition::kF16, kShared, MemoryScope::kNone},
    {op::INT_PTX_SATOM_ADD_f16_ctagenr, Addition::kF16, kGeneric, MemoryScope::kCta},
    {op::INT_PTX_SATOM_ADD_f16_sysgenr, Addition::kF16, kGeneric, MemoryScope::kSys},
    {op::INT_PTX_ATOM_ADD_BF16_GENr, Addition::kBF16, kGeneric, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_BF16_Gr, Addition::kBF16, kGlobal, MemoryScope::kNone},
    {op::INT_PTX_ATOM_ADD_BF16_Sr, Addition::kBF16, kShared, MemoryScope::kNone},
    {op::INT_PTX_SATOM_ADD_bf16_ctagenr, Addition::kBF16, kGeneric, MemoryScope::kCta},
    {op::INT_PTX_SATOM_ADD_bf16_sysgenr, Addition::kBF16, kGeneric, MemoryScope::kSys},
};

const Atomic* FindAtomic(Opcode opcode) {
  const auto* found =
      std::find_if(std::begin(kAtomics), std::end(kAtomics), [=](const Atomic& a) { return a.opcode == opcode; });
  return found == std::end(kAtomics) ? nullptr : found;
}

int FirstSm(Addition addition) {
  switch (addition) {
    case Addition::kF64:
      return 60;
    case Addition::kF16:
      return 70;
    case Addition::kBF16:
      return 90;
  }
  return 0;
}

class LoopBuilder {
 public:
  LoopBuilder(MachineInstr& instr, const Atomic& atomic, const ptx::Subtarget& subtarget)
      : instr_(instr),
        atomic_(atomic),
        subtarget_(subtarget),
        function_(instr.function()),
        loc_(instr.debug_loc()),
        block_(*instr.parent()) {}

  MachineBasicBlock* Build() {
    // Values that the loop reads are live throughout the loop.
    for (const MachineOperand& use : VirtualUses(instr_)) function_.reg_info().ClearKillFlags(use.reg());
    return atomic_.addition == Addition::kF64 ? Build64() : Build16();
  }

 private:
  Register Emit(MachineBasicBlock& block, Opcode opcode, std::initializer_list<MachineOperand> uses) {
    const Register reg = function_.reg_info().CreateVirtualRegister(function_.target().Operands(opcode)[0].reg_class);
    return EmitTo(reg, block, opcode, uses);
  }
  Register EmitTo(Register reg, MachineBasicBlock& block, Opcode opcode, std::initializer_list<MachineOperand> uses) {
    MachineInstrBuilder builder = BuildMI(block, before_, opcode, loc_);
    builder.AddDef(reg);
    for (const MachineOperand& use : uses) builder.Add(use);
    builder.Insert();
    return reg;
  }
  static MachineOperand Use(Register reg) { return MachineOperand::CreateReg(reg); }
  static MachineOperand Imm(int64_t value) { return MachineOperand::CreateImm(value); }
  static MachineOperand Imm(MemoryScope scope) { return Imm(static_cast<int64_t>(scope)); }
  // Returns an operand of the instruction for use by the loop.
  MachineOperand Operand(unsigned i) const {
    const MachineOperand& operand = instr_.operand(i);
    return operand.is_reg() ? Use(operand.reg()) : operand;
  }

  // Splits the block after the instruction, erases the instruction, and puts the loop in between.
  void MakeBlocks() {
    MachineInstr* next = instr_.next();
    if (next != nullptr) {
      rest_ = function_.SplitBlock(next);
      block_.RemoveSuccessor(rest_);
    } else {
      rest_ = function_.CreateBlock();
      function_.InsertBlock(block_.next(), rest_);
      rest_->TransferSuccessorsAndUpdatePhis(&block_);
    }
    loop_ = function_.CreateBlock();
    function_.InsertBlock(rest_, loop_);
    block_.AddSuccessor(loop_);
    loop_->AddSuccessor(loop_);
    loop_->AddSuccessor(rest_);
    before_ = nullptr;
  }

  Register LoadFirst(Opcode opcode, int64_t bits, const MachineOperand& base, const MachineOperand& offset) {
    const bool has_relaxed = subtarget_.HasSm(70) && subtarget_.HasPtx(60);
    return Emit(block_, opcode,
                {Imm(has_relaxed ? kRelaxed : kVolatile), Imm(has_relaxed ? MemoryScope::kSys : MemoryScope::kNone),
                 Imm(atomic_.space), Imm(3), Imm(bits), Imm(-1), base, offset});
  }

  MemoryScope scope() const { return subtarget_.HasSm(60) ? atomic_.scope : MemoryScope::kNone; }

  Register AddPhi(RegClassId reg_class, Register first, Register seen) {
    const Register old = function_.reg_info().CreateVirtualRegister(reg_class);
    function_.SetProperty(FunctionProperty::kNoPhis, false);
    BuildMI(*loop_, loop_->front(), generic::kPhi, loc_)
        .AddDef(old)
        .AddUse(first)
        .AddBlock(block_)
        .AddUse(seen)
        .AddBlock(*loop_)
        .Insert();
    return old;
  }

  void Loop(Opcode compare, Register seen, Register old) {
    const Register again = Emit(*loop_, compare, {Use(seen), Use(old), Imm(kNotEqual)});
    BuildMI(*loop_, nullptr, op::CBranch, loc_).AddUse(again).AddBlock(*loop_).Insert();
  }

  MachineBasicBlock* Build64() {
    const MachineOperand base = Operand(1), offset = Operand(2), value = Operand(3);
    const Register result = instr_.operand(0).reg();
    const absl::Span<const MachineMemOperand* const> memory = instr_.memoperands();
    MakeBlocks();
    const Register first = LoadFirst(op::LD_i64, 64, base, offset);
    const Register old = AddPhi(ptx::reg_class::kB64, first, result);
    const Register sum = Emit(*loop_, value.is_reg() ? op::FADD_rnf64rr : op::FADD_rnf64ri, {Use(old), value});
    EmitTo(result, *loop_, op::INT_PTX_ATOM_CAS_64_rr,
           {base, offset, Use(old), Use(sum), Imm(0), Imm(scope()), Imm(atomic_.space)});
    loop_->back()->SetMemOperands(memory);
    Loop(op::SETP_i64rr, result, old);
    instr_.EraseFromParent();
    return rest_;
  }

  // Returns the address in a register, as a 64-bit or 32-bit number.
  Register Address() {
    const MachineOperand base = Operand(1);
    Register address;
    if (base.is_reg()) {
      address = base.reg();
    } else {
      address = Emit(block_, op::MOV_B64_sym, {base});
    }
    const bool is_wide = function_.reg_info().reg_class(address) == ptx::reg_class::kB64;
    const MachineOperand& offset = instr_.operand(2);
    if (!offset.is_imm() || offset.imm() != 0) {
      address = Emit(block_, is_wide ? op::ADD64ri : op::ADD32ri, {Use(address), offset});
    }
    return address;
  }

  Register Widen(MachineBasicBlock& block, Register half) {
    if (atomic_.addition == Addition::kF16) return Emit(block, op::CVT_f32_f16, {Use(half), Imm(0)});
    const Register bits = Emit(block, op::CVT_u32_u16, {Use(half), Imm(0)});
    return Emit(block, op::SHL32_ri, {Use(bits), Imm(16)});
  }

  Register Narrow(MachineBasicBlock& block, Register value) {
    if (atomic_.addition == Addition::kF16) return Emit(block, op::CVT_f16_f32, {Use(value), Imm(kRoundToNearest)});
    if (subtarget_.HasSm(80)) return Emit(block, op::CVT_bf16_f32, {Use(value), Imm(kRoundToNearest)});
    // Round to nearest, ties to even: add half of the last place, less if that place is even already. NaNs are
    // canonical.
    const Register upper = Emit(block, op::SRL32_ri, {Use(value), Imm(16)});
    const Register odd = Emit(block, op::AND_b32ri, {Use(upper), Imm(1)});
    const Register up = Emit(block, op::ADD32rr, {Use(value), Use(odd)});
    const Register rounded = Emit(block, op::ADD32ri, {Use(up), Imm(0x7fff)});
    const Register bits = Emit(block, op::SRL32_ri, {Use(rounded), Imm(16)});
    const Register is_nan = Emit(block, op::SETP_f32rr, {Use(value), Use(value), Imm(kIsNan), Imm(0)});
    const Register result = Emit(block, op::SELP_b32ir, {Imm(0x7fff), Use(bits), Use(is_nan)});
    return Emit(block, op::CVT_u16_u32, {Use(result), Imm(0)});
  }

  MachineBasicBlock* Build16() {
    const Register value = instr_.operand(3).reg();
    const Register result = instr_.operand(0).reg();
    before_ = &instr_;
    const Register address = Address();
    const bool is_wide = function_.reg_info().reg_class(address) == ptx::reg_class::kB64;
    const Register word = Emit(block_, is_wide ? op::AND_b64ri : op::AND_b32ri, {Use(address), Imm(-4)});
    const Register low = is_wide ? Emit(block_, op::CVT_u32_u64, {Use(address), Imm(0)}) : address;
    const Register upper_half = Emit(block_, op::AND_b32ri, {Use(low), Imm(2)});
    const Register shift = Emit(block_, op::SHL32_ri, {Use(upper_half), Imm(3)});
    const Register ones = Emit(block_, op::MOV_B32_i, {Imm(0xffff)});
    const Register mask = Emit(block_, op::SHL32_rr, {Use(ones), Use(shift)});
    const Register others = Emit(block_, op::NOT_b32, {Use(mask)});
    const Register addend = Widen(block_, value);
    MakeBlocks();
    const Register first = LoadFirst(op::LD_i32, 32, Use(word), Imm(0));
    const Register seen = function_.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
    const Register old = AddPhi(ptx::reg_class::kB32, first, seen);
    const Register half = Half(*loop_, old, shift);
    const Register sum = Emit(*loop_, op::FADD_rnf32rr, {Use(Widen(*loop_, half)), Use(addend), Imm(0)});
    const Register bits = Emit(*loop_, op::CVT_u32_u16, {Use(Narrow(*loop_, sum)), Imm(0)});
    const Register placed = Emit(*loop_, op::SHL32_rr, {Use(bits), Use(shift)});
    const Register rest = Emit(*loop_, op::AND_b32rr, {Use(old), Use(others)});
    const Register swapped = Emit(*loop_, op::OR_b32rr, {Use(rest), Use(placed)});
    EmitTo(seen, *loop_, op::INT_PTX_ATOM_CAS_32_rr,
           {Use(word), Imm(0), Use(old), Use(swapped), Imm(0), Imm(scope()), Imm(atomic_.space)});
    Loop(op::SETP_i32rr, seen, old);
    before_ = rest_->front();
    const Register shifted = Emit(*rest_, op::SRL32_rr, {Use(seen), Use(shift)});
    instr_.EraseFromParent();
    EmitTo(result, *rest_, op::CVT_u16_u32, {Use(shifted), Imm(0)});
    return rest_;
  }

  Register Half(MachineBasicBlock& block, Register word, Register shift) {
    const Register shifted = Emit(block, op::SRL32_rr, {Use(word), Use(shift)});
    return Emit(block, op::CVT_u16_u32, {Use(shifted), Imm(0)});
  }

  MachineInstr& instr_;
  const Atomic& atomic_;
  const ptx::Subtarget& subtarget_;
  MachineFunction& function_;
  MetadataId loc_;
  MachineBasicBlock& block_;
  MachineBasicBlock* loop_ = nullptr;
  MachineBasicBlock* rest_ = nullptr;
  MachineInstr* before_ = nullptr;  // new instructions are inserted before this one
};

}  // namespace

bool NeedsAtomicLoop(const MachineInstr& instr, const ptx::Subtarget& subtarget) {
  const Atomic* atomic = FindAtomic(instr.opcode());
  if (atomic == nullptr || subtarget.HasSm(FirstSm(atomic->addition)) || instr.num_operands() < 4) return false;
  const MachineOperand& base = instr.operand(1);
  return (base.is_reg() && base.reg().is_virtual()) || base.is_symbol() || base.is_global();
}

MachineBasicBlock* ExpandAtomicLoop(MachineInstr& instr, const ptx::Subtarget& subtarget) {
  return LoopBuilder(instr, *FindAtomic(instr.opcode()), subtarget).Build();
}

}  // namespace ptxmir::sdag

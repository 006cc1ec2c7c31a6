// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/spill/spill_code.h"

#include <bit>
#include <optional>

#include "ir/address_space.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

namespace op = ptx::op;

using ptx::OperandRole;
using ptx::PtxInstrInfo;

// LLVM's code for untyped values (ld.b32).
constexpr int64_t kUntyped = 3;
constexpr int64_t kAllBytes = -1;
constexpr int64_t kCompareNotEqual = 1;
constexpr uint8_t kSharedSpillWordAlignLog2 = std::countr_zero(kSharedSpillWordBytes);

constexpr RegClassId kPredicateCarrier = ptx::reg_class::kB32;

struct AccessOpcodes {
  Opcode load;
  Opcode store;
};

// Returns the opcodes that load and store a register of the class, or nullopt if no single instruction does.
constexpr std::optional<AccessOpcodes> AccessOpcodesOf(RegClassId reg_class) {
  switch (reg_class) {
    case ptx::reg_class::kB16:
      return AccessOpcodes{op::LD_i16, op::ST_i16};
    case ptx::reg_class::kB32:
      return AccessOpcodes{op::LD_i32, op::ST_i32};
    case ptx::reg_class::kB64:
      return AccessOpcodes{op::LD_i64, op::ST_i64};
    default:
      return std::nullopt;
  }
}

class Inserter {
 public:
  Inserter(MachineBasicBlock& block, MachineInstr* before, MetadataId debug_loc)
      : block_(block), function_(block.function()), before_(before), debug_loc_(debug_loc) {}

  SpillSequence Take() { return std::move(sequence_); }

  Register Temporary(RegClassId reg_class) {
    const Register reg = function_.reg_info().CreateVirtualRegister(reg_class);
    sequence_.temporaries.push_back(reg);
    return reg;
  }

  // The address of an access: an operand for the base and the alignment of its value, the offset, and the object that
  // is accessed.
  struct Place {
    MachineOperand base;
    uint8_t base_align_log2;
    int64_t offset;
    int64_t space;
    int object;
  };
  // A frame index stands for a generic address. Frame layout, which knows that the frame is local, makes the accesses
  // local.
  Place InSlot(int slot, int64_t offset) const {
    return {MachineOperand::CreateFrameIndex(slot), function_.frame_info().object(slot).align_log2, offset,
            address_space::kGeneric, slot};
  }
  // The base is the address of the thread's first word: only the first thread's is aligned as the object is.
  static Place InShared(const SharedSpillPlace& place, int64_t word) {
    return {MachineOperand::CreateReg(place.base), kSharedSpillWordAlignLog2, place.offset + word * place.stride,
            address_space::kShared, place.object};
  }

  void Access(Opcode opcode, const MachineOperand& value, RegClassId reg_class, const Place& place) {
    const PtxInstrInfo& info = ptx::InstrInfo(opcode);
    const int64_t bits = function_.target().reg_classes[reg_class].bits;
    MachineInstrBuilder builder = BuildMI(block_, before_, opcode, debug_loc_);
    const absl::Span<const OperandDesc> operands = function_.target().Operands(opcode);
    for (unsigned i = 0; i < operands.size(); ++i) {
      const auto role = static_cast<OperandRole>(operands[i].role);
      if (i == info.first_value) {
        builder.Add(value);
      } else if (role == OperandRole::kBase) {
        builder.Add(place.base);
      } else if (role == OperandRole::kOff) {
        builder.AddImm(place.offset);
      } else if (role == OperandRole::kAddsp) {
        builder.AddImm(place.space);
      } else if (role == OperandRole::kSign) {
        builder.AddImm(kUntyped);
      } else if (role == OperandRole::kUsedbytes) {
        builder.AddImm(kAllBytes);
      } else {
        builder.AddImm(i == info.width ? bits : 0);  // no ordering, no scope
      }
    }
    MachineInstr* instr = builder.Insert();
    MachineMemOperand memory;
    memory.flags = info.writes_memory() ? MachineMemOperand::kStore : MachineMemOperand::kLoad;
    memory.value_kind = MachineMemOperand::ValueKind::kFrameIndex;
    memory.frame_index = place.object;
    memory.address_space = static_cast<uint32_t>(place.space);
    memory.has_known_size = true;
    memory.type = {.kind = LowLevelType::Kind::kScalar, .bits = static_cast<uint32_t>(bits)};
    memory.offset = place.offset;
    memory.align_log2 = static_cast<uint8_t>(std::bit_width(static_cast<unsigned>(bits / 8)) - 1);
    memory.base_align_log2 = place.base_align_log2;
    const MachineMemOperand* created = function_.CreateMemOperand(memory);
    instr->SetMemOperands({&created, 1});
    sequence_.instrs.push_back(instr);
  }
  void Store(Register value, RegClassId reg_class, const Place& place) {
    Access(AccessOpcodesOf(reg_class)->store, MachineOperand::CreateReg(value), reg_class, place);
  }
  void Load(Register value, RegClassId reg_class, const Place& place) {
    Access(AccessOpcodesOf(reg_class)->load, MachineOperand::CreateReg(value, MachineOperand::kDefine), reg_class,
           place);
  }
  MachineInstrBuilder Build(Opcode opcode) { return BuildMI(block_, before_, opcode, debug_loc_); }
  void Add(MachineInstr* instr) { sequence_.instrs.push_back(instr); }

 private:
  MachineBasicBlock& block_;
  MachineFunction& function_;
  MachineInstr* before_;
  MetadataId debug_loc_;
  SpillSequence sequence_;
};

constexpr int64_t kHalfBytes = 8;

}  // namespace

bool CanSpillClass(RegClassId reg_class) {
  // Predicates are spilled as 32-bit integers, and 128 bits as two halves.
  return reg_class == ptx::reg_class::kB1 || reg_class == ptx::reg_class::kB128 ||
         AccessOpcodesOf(reg_class).has_value();
}

SpillSequence InsertSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                               MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB1) {
    const Register integer = inserter.Temporary(kPredicateCarrier);
    inserter.Add(inserter.Build(op::SELP_b32ii).AddDef(integer).AddImm(1).AddImm(0).AddUse(value).Insert());
    inserter.Store(integer, kPredicateCarrier, inserter.InSlot(slot, 0));
  } else if (reg_class == ptx::reg_class::kB128) {
    const Register low = inserter.Temporary(ptx::reg_class::kB64);
    const Register high = inserter.Temporary(ptx::reg_class::kB64);
    inserter.Add(inserter.Build(op::I128toV2I64).AddDef(low).AddDef(high).AddUse(value).Insert());
    inserter.Store(low, ptx::reg_class::kB64, inserter.InSlot(slot, 0));
    inserter.Store(high, ptx::reg_class::kB64, inserter.InSlot(slot, kHalfBytes));
  } else {
    inserter.Store(value, reg_class, inserter.InSlot(slot, 0));
  }
  return inserter.Take();
}

SpillSequence InsertSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                              MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB1) {
    const Register integer = inserter.Temporary(kPredicateCarrier);
    inserter.Load(integer, kPredicateCarrier, inserter.InSlot(slot, 0));
    inserter.Add(
        inserter.Build(op::SETP_i32ri).AddDef(value).AddUse(integer).AddImm(0).AddImm(kCompareNotEqual).Insert());
  } else if (reg_class == ptx::reg_class::kB128) {
    const Register low = inserter.Temporary(ptx::reg_class::kB64);
    const Register high = inserter.Temporary(ptx::reg_class::kB64);
    inserter.Load(low, ptx::reg_class::kB64, inserter.InSlot(slot, 0));
    inserter.Load(high, ptx::reg_class::kB64, inserter.InSlot(slot, kHalfBytes));
    inserter.Add(inserter.Build(op::V2I64toI128).AddDef(value).AddUse(low).AddUse(high).Insert());
  } else {
    inserter.Load(value, reg_class, inserter.InSlot(slot, 0));
  }
  return inserter.Take();
}

SpillSequence InsertSharedSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value,
                                     const SharedSpillPlace& place, MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB64) {
    const Register low = inserter.Temporary(ptx::reg_class::kB32);
    const Register high = inserter.Temporary(ptx::reg_class::kB32);
    inserter.Add(inserter.Build(ptx::op::I64toV2I32).AddDef(low).AddDef(high).AddUse(value).Insert());
    inserter.Store(low, ptx::reg_class::kB32, Inserter::InShared(place, 0));
    inserter.Store(high, ptx::reg_class::kB32, Inserter::InShared(place, 1));
  } else {
    inserter.Store(value, reg_class, Inserter::InShared(place, 0));
  }
  return inserter.Take();
}

SpillSequence InsertSharedSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value,
                                    const SharedSpillPlace& place, MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB64) {
    const Register low = inserter.Temporary(ptx::reg_class::kB32);
    const Register high = inserter.Temporary(ptx::reg_class::kB32);
    inserter.Load(low, ptx::reg_class::kB32, Inserter::InShared(place, 0));
    inserter.Load(high, ptx::reg_class::kB32, Inserter::InShared(place, 1));
    inserter.Add(inserter.Build(ptx::op::V2I32toI64).AddDef(value).AddUse(low).AddUse(high).Insert());
  } else {
    inserter.Load(value, reg_class, Inserter::InShared(place, 0));
  }
  return inserter.Take();
}

}  // namespace ptxmir
